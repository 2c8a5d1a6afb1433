/** Encodes in a question which answer the scripted platform gives. Each answer has unique words. */

export interface Saying {
  /** Six letters or digits, unique in a run. */
  readonly id: string;
  /** Time from the first words to the last, in milliseconds. */
  readonly ms: number;
  readonly everyMs: number;
  /** UTF-16 units of the whole answer. */
  readonly chars: number;
  /** Delay of the first words on the first request, in milliseconds. */
  readonly silentMs?: number;
  /** The answer is interrupted after this number of characters. */
  readonly cutAt?: number;
  /** The second half arrives in small pieces, the last one only after the platform's `release`. */
  readonly held?: boolean;
  /** Names a document as a source. */
  readonly source?: boolean;
  /** Fault of the platform while it answers. */
  readonly fault?: AnswerFault;
}

/** A fault of the sandbox, with its parameters. */
export interface AnswerFault {
  /** A code of the sandbox's table of faults. */
  readonly code: string;
  readonly mode?: string;
  /** Number of requests for this answer that the fault hits. Default: 1. */
  readonly times?: number;
  readonly status?: number;
  readonly ms?: number;
  readonly bytes?: number;
  readonly events?: number;
  readonly retryAfter?: string;
}

const ID_LENGTH = 6;

/** Creates an id that can be found in any text and is never a prefix of another. */
export const idOf = (nth: number): string => nth.toString(36).padStart(ID_LENGTH, '0');

export const questionOf = (saying: Saying): string => `say ${JSON.stringify(saying)}`;

const asked = /say (\{[^{}]*(?:\{[^{}]*\}[^{}]*)?\})/g;

/** Returns the answers that a text asks for, in order. */
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

/**
 * Returns the ids of the answers whose words a text contains, each id once. Leaves out an id that a letter or digit
 * follows directly: there, a damaged stream has cut an id short and joined it to the next word.
 */
export const canariesIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/canary\\?=([0-9a-z]{6})(?![0-9a-z])/g)].map(([, id = '']) => id)),
];

const WORDS = 'the warranty covers every part for two years when it was used as the handbook says';

const block = (nth: number, canary: string): string => {
  if (nth % 7 === 3) return `\`\`\`ts\nconst part${nth} = 'as code of ${canary}';\n\`\`\`\n\n`;
  if (nth % 7 === 5) return `- **Point ${nth}** of ${canary}\n- one more, ${WORDS}\n\n`;
  return `Point ${nth} of ${canary}: ${WORDS}.\n\n`;
};

/** Returns the pieces of an answer, one per event. */
export function piecesOf(saying: Pick<Saying, 'id' | 'chars' | 'ms' | 'everyMs'>): readonly string[] {
  const whole = answerOf(saying);
  const size = Math.ceil(whole.length / Math.max(1, Math.round(saying.ms / saying.everyMs)));
  return Array.from({ length: Math.ceil(whole.length / size) }, (_, nth) =>
    whole.slice(nth * size, (nth + 1) * size),
  );
}

/** Returns the texts that may be shown: the whole answer, and what its fault leaves of it. */
export function possibleAnswers(saying: Saying): readonly string[] {
  const whole = answerOf(saying);
  const { code, mode, events = 1 } = saying.fault ?? {};
  const pieces = piecesOf(saying);
  if (code === 'F09') return [whole, pieces.filter((_, nth) => nth < 1 || nth > events).join('')];
  // The fault inserts three bytes that are not valid UTF-8. They decode to a parenthesis and to replacement characters;
  // `wordsOf` removes the replacement characters.
  if (code === 'F10' && (mode ?? 'utf8') === 'utf8')
    return [whole, pieces.map((piece, nth) => (nth === 1 ? `(${piece}` : piece)).join('')];
  return [whole];
}

/** Returns the whole answer. Every paragraph is different and contains the id. */
export function answerOf({ id, chars }: Pick<Saying, 'id' | 'chars'>): string {
  const canary = canaryOf(id);
  let text = '';
  for (let nth = 1; text.length < chars; nth += 1) text += block(nth, canary);
  return `${text}The end of ${canary}.`;
}
