/** Finds the position in a growing answer at which a Slack message is full. */

import { type Begin, type Cut, Extent as TextExtent } from '../../../src/kit/ladder.ts';
import type { ReplyDocument } from '../../../src/kit.ts';
import { slackMarkdown, streamMarkdown } from '../render/emit.ts';
import { fitsEdit } from '../render/fallback.ts';
import type { Form } from '../render/form.ts';
import type { SlackPart } from './screen.ts';

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

type Message = Pick<SlackPart, 'begin' | 'emitted' | 'shown'>;

export class Extent {
  readonly text = new TextExtent(slackMarkdown);
  readonly #stream = new TextExtent(streamMarkdown);

  /** Returns where a stream must end, never before its shown text; undefined if the text fits. */
  streamCut(document: ReplyDocument, message: Message, taskBytes: number): Cut | undefined {
    const limit = STREAM_BYTES - Math.ceil(taskBytes / TASK_BYTES_STEP) * TASK_BYTES_STEP;
    return this.#stream.cut(document, message, limit);
  }

  /** Returns where a message in this form must end; undefined if the text fits. */
  cutFor(form: Form, document: ReplyDocument, message: Message): Cut | undefined {
    return form === 'plain'
      ? plainCut(this.text, document, message)
      : this.text.cut(document, message, PART_CHARS);
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
function plainCut(extent: TextExtent, document: ReplyDocument, message: Message): Cut | undefined {
  const { text } = document;
  const { begin } = message;
  let found: Cut | undefined;
  for (const limit of PLAIN_CHARS) {
    found = extent.cut(document, message, limit);
    if (fitsEdit(slackMarkdown.headOf(text, begin) + text.slice(begin.at, found?.to))) break;
  }
  return found;
}

/**
 * Returns where the first message may end while the answer is still being written; undefined while the text is too
 * short.
 */
export function readable(text: string, begin: Begin): number | undefined {
  const chars = text.length - begin.at;
  const inside = () => (chars >= READABLE_CHARS ? slackMarkdown.insideLine(text, begin, chars) : undefined);
  const state = slackMarkdown.settledEdge(text, begin) ?? inside();
  return state && state.at > begin.at ? state.at : undefined;
}
