/** Whether what a message shows is still what its document says there. A screen keeps a number of the text, never the text. */

import type { ReplyDocument } from '../core/reply.ts';
import type { Part } from '../core/screen.ts';
import type { StreamState } from '../reply/markdown/emission/emission.ts';

/** A message of a reply, as far as its text goes. */
export interface TextPart extends Part {
  /** Of a live stream: how far it has come. */
  readonly emitted?: { readonly state: StreamState };
  /** Of the source that is shown, to know whether it was rewritten. */
  readonly hash: number;
}

/** FNV-1a over UTF-16 units. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** How much of the document's source a part shows. */
function shownEnd(part: TextPart): number {
  return part.emitted?.state.at ?? part.shown?.length ?? part.from;
}

export function stands(part: TextPart, { rewrites, text }: ReplyDocument): boolean {
  if (part.shown?.rewrites === rewrites) return true;
  const end = shownEnd(part);
  return end <= text.length && hashOf(text.slice(part.from, end)) === part.hash;
}
