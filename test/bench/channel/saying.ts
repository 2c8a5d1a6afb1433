/** Each question of the bench describes the answer that it wants. This file writes and reads these descriptions. */

export interface Saying {
  readonly id: string;
  /** Milliseconds from the first words to the last. */
  readonly ms: number;
  readonly everyMs: number;
  /** Length of the whole answer in UTF-16 units. */
  readonly chars: number;
  readonly shape: 'lines' | 'paragraph' | 'mixed';
  /** When the agent's references arrive: after 2 s (`late`) or `never`. Absent if the agent has no references. */
  readonly references?: 'late' | 'never';
}

/** Returns the question for an answer. The question names the agent with references if the answer needs references. */
export const questionOf = (saying: Saying): string =>
  `${saying.references === undefined ? '' : 'librarian: '}say ${JSON.stringify(saying)}`;

/** Finds the requested answer in a request's body. Reads the last message, because earlier turns come first. */
export function sayingIn(body: string): Saying | undefined {
  const asked = JSON.parse(body) as { messages?: readonly { content: unknown }[]; content?: unknown };
  const content = asked.messages?.at(-1)?.content ?? asked.content;
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const found = /say (\{[^}]*\})/.exec(text.replaceAll('\\"', '"'));
  return found?.[1] === undefined ? undefined : (JSON.parse(found[1]) as Saying);
}

const WORDS = 'the warranty covers every part for two years when it was used as the handbook says'.split(' ');
const BLOCKS: Readonly<Record<Saying['shape'], (nth: number) => string>> = {
  lines: (nth) => `Point ${nth}: ${WORDS.join(' ')}.\n\n`,
  paragraph: (nth) => `${WORDS.slice(nth % 7).join(' ')} `,
  mixed: (nth) =>
    nth % 4 === 0
      ? `\`\`\`ts\nconst part${nth} = 'as code';\nexport { part${nth} };\n\`\`\`\n\n`
      : nth % 4 === 1
        ? `| part | years |\n| --- | --- |\n| pump ${nth} | 2 |\n| hose ${nth} | 1 |\n\n`
        : `- **Point ${nth}**: ${WORDS.join(' ')}\n\n`,
};

/**
 * Returns the text of an answer. The text ends with a mark that contains the id, so that the bench recognizes the last
 * words.
 */
export function textOf(saying: Saying): string {
  const { chars, shape } = saying;
  const end = endOf(saying);
  let text = '';
  for (let nth = 1; text.length < chars - end.length; nth += 1) text += BLOCKS[shape](nth);
  return text.slice(0, Math.max(0, chars - end.length)) + end;
}

/** Returns the mark that ends an answer: a paragraph that contains the id. */
export const endOf = ({ id }: Saying): string => `\n\nEND-${id}`;
