import type { TextDialect } from './names.ts';

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

/** The text of a chunk as the chosen dialect carries it (platform contract DEC-10, DEC-11). */
export function textPayload(text: TextSoFar, dialect: TextDialect): TextPayload {
  const { delta, whole } = text;
  switch (dialect) {
    case 'plain':
      return member({ content: delta });
    case 'full_output':
      return member({ full_output: whole });
    case 'snapshot':
      return member({ content: whole });
    case 'rewritten':
      return member({ content: withLateCitations(whole) });
    case 'parts':
      return member({ content: [{ type: 'text', text: delta }] });
    case 'in-data':
      return top({ data: { content: delta } });
    case 'in-data-string':
      return top({ data: JSON.stringify({ content: delta }) });
    case 'in-data-data':
      return top({ data: { data: { content: delta } } });
    case 'choices-delta':
      return top({ choices: [{ delta: { content: delta } }] });
    case 'choices-message':
      return top({ choices: [{ message: { content: delta } }] });
    case 'json-string':
      return { place: 'chunk', value: delta };
    default:
      return member({ [dialect]: delta });
  }
}

const member = (members: Record<string, unknown>): TextPayload => ({ place: 'member', members });
const top = (members: Record<string, unknown>): TextPayload => ({ place: 'top', members });

function withLateCitations(whole: string): string {
  const border = Math.max(0, whole.length - UNMARKED_END);
  return whole.slice(0, border) + whole.slice(border).replace(CITATION, '');
}
