/** Checks of a message's text. */

import { list, text } from '../args.ts';
import { refuse } from '../refusal.ts';
import type { Json } from '../shapes.ts';

/**
 * Maximum characters of a text. Slack cuts off longer text without an error:
 * https://docs.slack.dev/reference/methods/chat.postMessage#truncating
 */
export const TEXT_CUT = 40_000;
/**
 * Maximum bytes of UTF-8 of an edit's text. https://docs.slack.dev/reference/methods/chat.update, error
 * `msg_too_long` ("cannot exceed 4,000").
 */
export const UPDATE_TEXT_BYTES = 4_000;
/**
 * Maximum characters of `markdown_text`: https://docs.slack.dev/reference/methods/chat.postMessage ("Limit
 * this field to 12,000").
 */
export const MARKDOWN_CHARACTERS = 12_000;
/**
 * Maximum characters of the metadata as JSON. https://docs.slack.dev/messaging/message-metadata, error
 * `metadata_too_large`.
 */
export const METADATA_CHARACTERS = 8_000;

export interface Content {
  readonly text?: string;
  readonly markdown?: string;
  readonly blocks?: readonly Json[];
  readonly attachments?: readonly Json[];
}

export function contentOf(args: Json): Content {
  const said = text(args, 'text');
  const markdown = text(args, 'markdown_text');
  const blocks = list(args, 'blocks');
  const attachments = list(args, 'attachments');
  return {
    ...(said === undefined ? {} : { text: said }),
    ...(markdown === undefined ? {} : { markdown }),
    ...(blocks === undefined ? {} : { blocks }),
    ...(attachments === undefined ? {} : { attachments }),
  };
}

/**
 * Refuses `markdown_text` together with `text` or `blocks`: error `markdown_text_conflict` of the three posting
 * methods.
 */
export function checkMarkdown({ markdown, text: said, blocks }: Content): void {
  if (markdown === undefined) return;
  if (said !== undefined || blocks !== undefined) refuse('markdown_text_conflict');
  if ([...markdown].length > MARKDOWN_CHARACTERS) refuse('msg_too_long');
}

export function checkSomething({ text: said, markdown, blocks, attachments }: Content): void {
  const empty = (value: string | undefined) => value === undefined || value.trim() === '';
  const nothing = (list: readonly Json[] | undefined) => list === undefined || list.length === 0;
  if (empty(said) && empty(markdown) && nothing(blocks) && nothing(attachments)) refuse('no_text');
}

export function checkMetadata(metadata: unknown): void {
  if (metadata !== undefined && JSON.stringify(metadata).length > METADATA_CHARACTERS)
    refuse('metadata_too_large');
}

export function cutText(said: string): { text: string; truncated: boolean } {
  const truncated = said.length > TEXT_CUT;
  return { text: truncated ? said.slice(0, TEXT_CUT) : said, truncated };
}
