import { jsonReply, type Reply } from '../http/reply.ts';

/**
 * Bodies with which a server refuses a request of the Open API with HTTP status 200 (platform contract GEN-4, ERR-4).
 */
const BODIES = {
  pascal: (text) => ({ Success: false, Msg: text, Data: null }),
  zero: (text) => ({ success: 0, msg: text }),
  null: (text) => ({ success: null, msg: text }),
  text: (text) => ({ success: 'False', msg: text }),
  'is-success': (text) => ({ isSuccess: false, msg: text }),
  'bare-false': () => false,
  array: (text) => [{ success: false, msg: text }],
  nested: (text) => ({ data: { success: false, msg: text } }),
  problem: (text) => ({ type: 'about:blank', title: 'Forbidden', status: 403, detail: text }),
} satisfies Readonly<Record<string, (text: string) => unknown>>;

export type RefusalForm = 'plain' | keyof typeof BODIES;
export const REFUSALS: readonly string[] = ['plain', ...Object.keys(BODIES)];

/** Returns a refusal with HTTP status 200 in another form than `plain`. */
export function refusalInForm(text: string, form: keyof typeof BODIES): Reply {
  const reply = jsonReply(BODIES[form](text));
  return form === 'problem' ? { ...reply, headers: { 'content-type': 'application/problem+json' } } : reply;
}

export const DELETIONS = ['plain', 'no-content', 'empty'] as const;
export type Deletion = (typeof DELETIONS)[number];

/** Returns the confirmation of a deletion in the chosen dialect (platform contract GEN-4). */
export function deletionReply(reply: Reply, dialect: Deletion): Reply {
  if (dialect === 'plain') return reply;
  return { status: dialect === 'empty' ? 200 : 204, headers: {}, body: '' };
}
