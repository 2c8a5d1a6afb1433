interface TextSoFar {
  /** What is new. */
  readonly delta: string;
  /** All of it, the new part included. */
  readonly whole: string;
}

/** A payload that carries text: members for the chunk itself, or a value that stands in place of the chunk. */
type TextPayload =
  | { readonly place: 'member'; readonly members: Readonly<Record<string, unknown>> }
  | { readonly place: 'top'; readonly members: Readonly<Record<string, unknown>> }
  | { readonly place: 'chunk'; readonly value: unknown };

const CITATION = /\[\d+\]/g;
/** Characters at the end of a rewritten snapshot that have no citations yet. */
const UNMARKED_END = 60;

const member = (members: Record<string, unknown>): TextPayload => ({ place: 'member', members });
const top = (members: Record<string, unknown>): TextPayload => ({ place: 'top', members });

/** Dialects of the text of a chunk; full_output is a snapshot. */
const SHAPES = {
  plain: ({ delta }) => member({ content: delta }),
  full_output: ({ whole }) => member({ full_output: whole }),
  snapshot: ({ whole }) => member({ content: whole }),
  rewritten: ({ whole }) => member({ content: withLateCitations(whole) }), // DEC-11: citations appear in earlier text at the end
  parts: ({ delta }) => member({ content: [{ type: 'text', text: delta }] }),
  'in-data': ({ delta }) => top({ data: { content: delta } }),
  'in-data-string': ({ delta }) => top({ data: JSON.stringify({ content: delta }) }),
  'in-data-data': ({ delta }) => top({ data: { data: { content: delta } } }),
  'choices-delta': ({ delta }) => top({ choices: [{ delta: { content: delta } }] }),
  'choices-message': ({ delta }) => top({ choices: [{ message: { content: delta } }] }),
  'json-string': ({ delta }) => ({ place: 'chunk', value: delta }),
} satisfies Shapes;

type Shapes = Readonly<Record<string, (text: TextSoFar) => TextPayload>>;

/** Dialects that carry the text as a member of their own name (platform contract DEC-10). */
const MEMBERS = ['delta', 'text', 'output', 'answer', 'token', 'chunk', 'result', 'message'] as const;

export type TextDialect = keyof typeof SHAPES | (typeof MEMBERS)[number];

export const TEXT_DIALECTS: readonly string[] = [...Object.keys(SHAPES), ...MEMBERS];

/** The text of a chunk as the chosen dialect carries it (platform contract DEC-10, DEC-11). */
export function textPayload(text: TextSoFar, dialect: TextDialect): TextPayload {
  const shapes: Shapes = SHAPES;
  return shapes[dialect]?.(text) ?? member({ [dialect]: text.delta });
}

function withLateCitations(whole: string): string {
  const border = Math.max(0, whole.length - UNMARKED_END);
  return whole.slice(0, border) + whole.slice(border).replace(CITATION, '');
}
