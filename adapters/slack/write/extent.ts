/** Finds the position in a growing answer at which a Slack message is full. */

import { type Cut, type ReplyDocument, Extent as TextExtent } from '../../../src/kit.ts';
import {
  type Begin,
  beginAt,
  cutAfter,
  headOf,
  insideLine,
  type StreamState,
  settledEdge,
  slackMarkdown,
  streamMarkdown,
} from '../render/emit.ts';
import { fitsEdit } from '../render/fallback.ts';
import type { Form } from '../render/form.ts';

/** Maximum characters of a message's text. Slack accepts about 12,000, which include the blocks under the text. */
export const PART_CHARS = 11_000;
/**
 * Maximum bytes of one stream. Slack does not document its limit: 10,571 bytes of UTF-8 were accepted and 10,821
 * refused (openclaw/openclaw#143882). The text and the titles of tasks count once, the details of tasks twice (same
 * issue, and vercel/chat#617).
 */
export const STREAM_BYTES = 10_000;
/** Step by which the space for text shrinks as the stream's tasks grow, in bytes. */
const TASK_BYTES_STEP = 500;
/** Minimum characters for posting a first message while the answer is still being written. */
const READABLE_CHARS = 240;

interface Streamed {
  /** How much of the text the stream already shows. */
  readonly shown?: StreamState;
  readonly taskBytes: number;
}

export class Extent {
  readonly #text = new TextExtent(slackMarkdown);
  readonly #stream = new TextExtent(streamMarkdown);

  /**
   * Returns where a stream that starts at `begin` must end, never before `shown`. Returns undefined if the text fits.
   */
  streamCut(document: ReplyDocument, begin: Begin, { shown, taskBytes }: Streamed): Cut | undefined {
    const limit = STREAM_BYTES - Math.ceil(taskBytes / TASK_BYTES_STEP) * TASK_BYTES_STEP;
    return this.#stream.cut(document, begin, { limit, ...(shown && { shown }) });
  }

  /** Returns where a message in this form must end; undefined if the text fits. */
  cutFor(form: Form, document: ReplyDocument, begin: Begin): Cut | undefined {
    return form === 'plain'
      ? plainCut(document, begin)
      : this.#text.cut(document, begin, { limit: PART_CHARS });
  }

  /** True if some of the text after `from` can be shown already, although more may follow. */
  hasMore(text: string, from: StreamState, ended: boolean): boolean {
    return this.#text.hasMore(text, from, ended);
  }
}

/**
 * Limits for a message that is text only, in characters, tried in order. Slack counts bytes, at most five per character
 * here, so 780 always fit.
 */
const PLAIN_CHARS = [3_800, 1_250, 780];

/**
 * Returns the position at which a text-only message must end for an edit to show all of it; undefined if the text fits.
 */
function plainCut({ text }: ReplyDocument, begin: Begin): Cut | undefined {
  let found: StreamState | undefined;
  for (const limit of PLAIN_CHARS) {
    found = cutAfter(text, begin, { limit });
    if (fitsEdit(headOf(text, begin) + text.slice(begin.at, found?.at))) break;
  }
  return found && { to: found.at, onward: beginAt(text, found) };
}

/**
 * Returns where the first message may end while the answer is still being written; undefined while the text is too
 * short.
 */
export function readable(text: string, begin: Begin): Cut | undefined {
  const settled = settledEdge(text, begin);
  const long = text.length - begin.at >= READABLE_CHARS;
  const state = settled ?? (long ? insideLine(text, begin, text.length - begin.at) : undefined);
  return state && state.at > begin.at ? { to: state.at, onward: beginAt(text, state) } : undefined;
}
