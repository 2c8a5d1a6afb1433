interface TextSoFar {
  /** The text that is new. */
  readonly delta: string;
  /** The complete text, including the new part. */
  readonly whole: string;
}

/** Place of the text: in `value` as fields of the chunk, as fields beside it, or in place of the chunk. */
interface TextPayload {
  readonly place: 'member' | 'top' | 'chunk';
  readonly value: unknown;
}

const CITATION = /\[\d+\]/g;
/** The dialect `rewritten` omits citations in this many characters at the end of the text so far. */
const UNMARKED_END = 60;

const member = (value: unknown): TextPayload => ({ place: 'member', value });
const top = (value: unknown): TextPayload => ({ place: 'top', value });

/**
 * Shapes of the text in a chunk, by dialect. `full_output`, `snapshot` and `rewritten` send the complete text each time
 * (platform contract DEC-11).
 */
const SHAPES: Readonly<Record<string, (text: TextSoFar) => TextPayload>> = {
  plain: ({ delta }) => member({ content: delta }),
  full_output: ({ whole }) => member({ full_output: whole }),
  snapshot: ({ whole }) => member({ content: whole }),
  rewritten: ({ whole }) => member({ content: withLateCitations(whole) }), // Text that was sent earlier gets its citations later.
  parts: ({ delta }) => member({ content: [{ type: 'text', text: delta }] }),
  'in-data': ({ delta }) => top({ data: { content: delta } }),
  'in-data-string': ({ delta }) => top({ data: JSON.stringify({ content: delta }) }),
  'in-data-data': ({ delta }) => top({ data: { data: { content: delta } } }),
  'choices-delta': ({ delta }) => top({ choices: [{ delta: { content: delta } }] }),
  'choices-message': ({ delta }) => top({ choices: [{ message: { content: delta } }] }),
  'json-string': ({ delta }) => ({ place: 'chunk', value: delta }),
};

/** Dialects that send the text in a field with the name of the dialect (platform contract DEC-10). */
const MEMBERS = ['delta', 'text', 'output', 'answer', 'token', 'chunk', 'result', 'message'];

export const TEXT_DIALECTS = [...Object.keys(SHAPES), ...MEMBERS];

/** Returns the text of a chunk in the chosen dialect (platform contract DEC-10, DEC-11). */
export const textPayload = (text: TextSoFar, dialect: string): TextPayload =>
  SHAPES[dialect]?.(text) ?? member({ [dialect]: text.delta });

function withLateCitations(whole: string): string {
  const border = Math.max(0, whole.length - UNMARKED_END);
  return whole.slice(0, border) + whole.slice(border).replace(CITATION, '');
}
