/**
 * The forms of a message, from richest to plainest. When Slack refuses the message's blocks, the next form is tried
 * (fault F22: blocks refused).
 */

import type { ReplyDocument } from '../../../src/kit.ts';

/**
 * rich: everything. imageless: images are replaced by their names. common: without blocks and elements that few apps
 * use (Slack's own table, thumbs, the overflow menu). simple: without buttons. plain: text only. The names are stored
 * with replies.
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
 * Returns the next plainer form after a refusal; after `plain` there is none.
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
