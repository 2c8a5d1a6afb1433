/** The forms of a message, from richest to plainest: each refusal of its blocks moves to the next (fault F22). */

import type { ReplyDocument } from '../../../src/kit.ts';

/**
 * rich: everything. imageless: names in place of images. common: without the blocks and elements that few apps use (a
 * native table, thumbs, the overflow menu). simple: without buttons. plain: the text alone. These names are stored with
 * replies.
 */
export type Form = 'rich' | 'imageless' | 'common' | 'simple' | 'plain';

const weaker: Readonly<Record<Form, Form>> = {
  rich: 'imageless',
  imageless: 'common',
  common: 'simple',
  simple: 'plain',
  plain: 'plain',
};

/**
 * Returns the next form to try after a refusal; `plain` is the last.
 * @param uploaded Slack's ids of the images that the message may show, by the id of the medium
 */
export function weakerForm(
  form: Form,
  { media }: ReplyDocument,
  uploaded: Readonly<Record<string, unknown>>,
): Form {
  const hasImages = media.some(({ id, kind }) => kind === 'image' && uploaded[id] !== undefined);
  return form === 'rich' && !hasImages ? 'common' : weaker[form];
}
