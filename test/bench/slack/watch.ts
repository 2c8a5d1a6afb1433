/** Computes the visible text over time from the calls that the fake Slack received, independently of the bridge. */

import type { CallRecord } from '../../fakes/slack/index.ts';
import type { Seen } from '../channel/runs.ts';

export interface SlackSeen extends Seen {
  readonly methods: readonly string[];
}

const SHOWING = [
  'chat.startStream',
  'chat.appendStream',
  'chat.stopStream',
  'chat.update',
  'chat.postMessage',
];

/** Finds the reply to a question by the question's `ts`. The reply ends at the text `END-` with the question's id. */
export function seenOf(
  calls: readonly CallRecord[],
  question: { readonly ts: string; readonly id: string },
): SlackSeen {
  const messages = new Map<string, string>();
  const growth: { at: number; chars: number }[] = [];
  const methods: string[] = [];
  let lastAt: number | undefined;
  let closedAt = 0;
  for (const call of calls) {
    if (call.doneAt === undefined || call.answer?.ok !== true || !SHOWING.includes(call.method)) continue;
    const ts = String(call.answer.ts ?? call.args.ts ?? '');
    if (call.args.thread_ts !== question.ts && !messages.has(ts)) continue;
    methods.push(call.method);
    closedAt = Math.max(closedAt, call.doneAt);
    const told = wordsOf(call);
    const whole = call.method === 'chat.update' || call.method === 'chat.postMessage';
    if (whole || told !== '') messages.set(ts, whole ? told : (messages.get(ts) ?? '') + told);
    const text = [...messages.values()].join('');
    if (text.trim() !== '') growth.push({ at: call.doneAt, chars: text.length });
    if (lastAt === undefined && text.includes(`END-${question.id}`)) lastAt = call.doneAt;
  }
  const first = growth[0]?.at;
  return {
    ...(first !== undefined && { firstAt: first }),
    ...(lastAt !== undefined && { lastAt }),
    closedAt,
    growth,
    methods,
  };
}

/** Returns the text that a call shows: a stream's new text, or the blocks of a message, or else its `text`. */
function wordsOf({ method, args }: CallRecord): string {
  if (method.endsWith('Stream')) {
    const chunks = Array.isArray(args.chunks) ? args.chunks : [];
    const told = chunks.map((chunk) => String((chunk as { text?: unknown }).text ?? ''));
    return String(args.markdown_text ?? '') + told.join('');
  }
  const blocks = Array.isArray(args.blocks) ? args.blocks : [];
  const shown = blocks.map(textOf).join('\n');
  return shown === '' ? String(args.markdown_text ?? args.text ?? '') : shown;
}

/** Returns the text of a Markdown block; other blocks contain no text of the answer. */
function textOf(block: unknown): string {
  const { type, text } = block as { readonly type?: unknown; readonly text?: unknown };
  return type === 'markdown' && typeof text === 'string' ? text : '';
}
