/** One message of a reply as its writer knows it, whatever the channel: plain data that survives a restart. */

import type { ReplyDocument } from '../core/reply.ts';
import type { Part, Shown } from '../core/screen.ts';
import type { Begin } from '../reply/markdown/emission/cut.ts';
import { hashOf, type TextPart } from './shown.ts';

/** How much of what the channel can show is used: less after it refused a message (fault F22). */
export type Form = 'rich' | 'simple' | 'plain';

/** The next simpler one; the plain one is the last. */
export const weaker: Readonly<Record<Form, Form>> = { rich: 'simple', simple: 'plain', plain: 'plain' };

/** `from` and `to` are offsets in the source; `begin` holds the state at `from`. Each channel may define its own forms. */
export interface ReplyPart<OwnForm extends string = Form> extends TextPart {
  readonly begin: Begin;
  /** How the next message begins; set together with `to`. */
  readonly onward?: Begin;
  readonly form: OwnForm;
  /** What stands in and under the text besides it: to know whether it is still right. */
  readonly looks: string;
  /** Edits in a row whose outcome stayed unknown. */
  readonly failures: number;
  /** It was taken as the reply's end is to look; what changes afterwards stands beside the text. */
  readonly ended?: true;
  /** The channel takes no more edits of it: it stays as it is. */
  readonly left?: true;
}

/** What is known of a part that another writer made, an earlier version of this one for example: enough to go on from. */
export function foreignPart(part: Part): Omit<ReplyPart<'rich'>, 'emitted'> {
  const begin = { at: part.from, fresh: true };
  return { ...part, begin, form: 'rich', hash: hashOf(''), looks: '', failures: 0, sure: false };
}

export function withPart<Own extends { readonly parts: readonly ReplyPart<string>[] }>(
  screen: Own,
  index: number,
  part: Own['parts'][number],
): Own {
  return { ...screen, parts: screen.parts.with(index, part) };
}

/** What a part shows when the document's text up to `length` was taken. */
export function shownOf({ version, rewrites }: ReplyDocument, length: number): Shown {
  return { version, rewrites, length };
}
