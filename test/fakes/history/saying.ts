/** What a question asks the scripted platform to say, and the words that tell each answer from all others. */

export interface Saying {
  /** Six letters or digits, unique in a run. */
  readonly id: string;
  /** From the first words to the last, in milliseconds. */
  readonly ms: number;
  readonly everyMs: number;
  /** UTF-16 units of the whole answer. */
  readonly chars: number;
  /** Milliseconds before the first words, when it is asked for the first time. */
  readonly silentMs?: number;
  /** The answer breaks off after so many characters. */
  readonly cutAt?: number;
  /** The second half comes in sips, and its last one not before the platform's `release`. */
  readonly held?: boolean;
  /** Names a document as a source. */
  readonly source?: boolean;
}

const ID_LENGTH = 6;

/** An id that can be found in any text, and is never the beginning of another. */
export const idOf = (nth: number): string => nth.toString(36).padStart(ID_LENGTH, '0');

export const questionOf = (saying: Saying): string => `say ${JSON.stringify(saying)}`;

const asked = /say (\{[^{}]*\})/g;

/** Everything that a text asks to be said, in order. */
export const sayingsIn = (text: string): readonly Saying[] =>
  [...text.matchAll(asked)].flatMap(([, json = '']) => {
    const saying = parsed(json);
    return saying === undefined ? [] : [saying];
  });

function parsed(json: string): Saying | undefined {
  try {
    return JSON.parse(json.replaceAll(/[“”]/g, '"')) as Saying;
  } catch {
    return undefined;
  }
}

export const canaryOf = (id: string): string => `canary=${id}`;

/** Ids of the answers that a text holds words of, each once. */
export const canariesIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/canary\\?=([0-9a-z]{6})/g)].map(([, id = '']) => id)),
];

const WORDS = 'the warranty covers every part for two years when it was used as the handbook says';

const block = (nth: number, canary: string): string => {
  if (nth % 7 === 3) return `\`\`\`ts\nconst part${nth} = 'as code of ${canary}';\n\`\`\`\n\n`;
  if (nth % 7 === 5) return `- **Point ${nth}** of ${canary}\n- one more, ${WORDS}\n\n`;
  return `Point ${nth} of ${canary}: ${WORDS}.\n\n`;
};

/** The whole answer: every paragraph names it, and none is like another. */
export function answerOf({ id, chars }: Pick<Saying, 'id' | 'chars'>): string {
  const canary = canaryOf(id);
  let text = '';
  for (let nth = 1; text.length < chars; nth += 1) text += block(nth, canary);
  return `${text}The end of ${canary}.`;
}
