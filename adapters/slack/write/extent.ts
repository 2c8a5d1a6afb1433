/** How much of a growing answer one message of Slack can hold. */

import { type Cut, Extent as TextExtent } from '../../../src/kit/extent.ts';
import type { ReplyDocument } from '../../../src/kit.ts';
import {
  type Begin,
  beginAt,
  cutAfter,
  type Emission,
  headOf,
  insideLine,
  settledEdge,
  slackMarkdown,
} from '../render/emit.ts';
import { fitsEdit } from '../render/fallback.ts';
import type { Form } from '../render/form.ts';

export type { Cut } from '../../../src/kit/extent.ts';
export { isBlank } from '../../../src/kit/extent.ts';

/** Characters of a message's text: Slack holds about 12,000, of which what stands under it needs some. */
export const PART_CHARS = 11_000;
/** Characters that are worth a message of their own while the rest is still to come. */
const READABLE_CHARS = 240;

export class Extent {
  readonly #text = new TextExtent(slackMarkdown);

  /** Where a message that begins so must end; nothing while all fits. Never before `shown`. */
  cut(document: ReplyDocument, begin: Begin, shown: Emission = begin): Cut | undefined {
    return this.#text.cut(document, begin, { limit: PART_CHARS, shown });
  }

  /** The same for a message in the form that Slack takes. */
  cutFor(form: Form, document: ReplyDocument, begin: Begin): Cut | undefined {
    return form === 'plain' ? plainCut(document, begin) : this.cut(document, begin);
  }

  /** Whether anything of the source after a place can be shown already. */
  hasMore(text: string, from: Emission, ended: boolean): boolean {
    return this.#text.hasMore(text, from, ended);
  }
}

/** Characters of a message that is text alone. Slack counts bytes, of which a sign may have five, so the last always fits. */
const PLAIN_CHARS = [3_800, 1_250, 780];

/** Such a message holds as little as an edit can show, so that it can grow and be corrected. */
function plainCut({ text }: ReplyDocument, begin: Begin): Cut | undefined {
  let found: Emission | undefined;
  for (const limit of PLAIN_CHARS) {
    found = cutAfter(text, begin, { limit });
    if (fitsEdit(headOf(text, begin) + text.slice(begin.at, found?.at))) break;
  }
  return found && { to: found.at, onward: beginAt(text, found) };
}

/** Where a first message may end while the rest is to come; nothing while there is too little to read. */
export function readable(text: string, begin: Begin): Cut | undefined {
  const settled = settledEdge(text, begin);
  const long = text.length - begin.at >= READABLE_CHARS;
  const state = settled ?? (long ? insideLine(text, begin, text.length - begin.at) : undefined);
  return state && state.at > begin.at ? { to: state.at, onward: beginAt(text, state) } : undefined;
}
