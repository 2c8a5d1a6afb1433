/** A whole message of a reply: its blocks and the text that stands for them. */

import type { KnownBlock, RichTextBlock } from '@slack/types';
import { numbersOf, sourcesOf } from '../../../src/kit/sources.ts';
import { isFinal, type Notice, type ReplyDocument } from '../../../src/kit.ts';
import { type Body, bodyBlocks, definitionsOf, rawOf } from './body.ts';
import type { Begin } from './emit.ts';
import { label } from './escape.ts';
import { fallback, wholeText } from './fallback.ts';
import type { Form } from './form.ts';
import type { Look } from './look.ts';
import { createReading } from './reading.ts';
import { signOf, under } from './under.ts';
import { words } from './words.ts';

/** Which of the document's text a message holds. */
export interface Extent {
  readonly begin: Begin;
  /** Absent: to the end. */
  readonly to?: number;
}

export interface Message {
  readonly text: string;
  /** Empty: only the text is shown. */
  readonly blocks: KnownBlock[];
}

/** Characters of Markdown that one message may have (Slack: all markdown blocks together). */
export const MARKDOWN_CHARS = 12_000;
/** Blocks that one message may have. */
const MAX_BLOCKS = 50;
/** Characters of the sentence that stands where an answer has no text. */
const SENTENCE_CHARS = 1_000;

export function messageOf(document: ReplyDocument, extent: Extent, look: Look, form: Form): Message {
  const { reading = createReading() } = look;
  const sources = sourcesOf(document, { read: reading.answer, linkOf: look.linkOf });
  const body: Body = {
    source: document.text,
    begin: extent.begin,
    to: extent.to ?? document.text.length,
    growing: extent.to === undefined && !isFinal(document),
    numbers: numbersOf(sources),
  };
  if (form === 'plain') return { text: wholeText(rawOf(body), sentence(document), body.numbers), blocks: [] };
  const text = fallback(rawOf(body), sentence(document), reading, body.numbers);
  const native = form === 'rich' || form === 'imageless';
  const linked = bodyBlocks({ ...body, definitions: definitionsOf(document) }, native, reading);
  // An inline link repeats its address at every use, so the text may exceed the limit.
  const written = markdownIn(linked) > MARKDOWN_CHARS ? bodyBlocks(body, native, reading) : linked;
  const shown = written.length > 0 || isShownByMedia(document) ? written : [sentenceBlock(document)];
  const last = extent.to === undefined;
  const said = written.length > 0 ? document : withoutSentence(document);
  const room = MARKDOWN_CHARS - markdownIn(shown);
  const rest = last ? under({ document: said, sources, look, room, form }) : [];
  const blocks = [...shown, ...rest].slice(0, MAX_BLOCKS);
  return { text, blocks: blocks.length > 0 ? blocks : [sentenceBlock(document)] };
}

/** What closes a stream: the blocks under its text. */
export function closingBlocks(document: ReplyDocument, look: Look, used: number): KnownBlock[] {
  const sources = sourcesOf(document, { linkOf: look.linkOf });
  return under({ document, sources, look, room: MARKDOWN_CHARS - used, form: 'rich' }).slice(0, MAX_BLOCKS);
}

/** What a message says that has no text. */
function sentence(document: ReplyDocument): string {
  if (!isFinal(document)) return document.meanwhile ?? words.thinking;
  return toldBy(document)?.text ?? words.noText;
}

const toldBy = ({ notices }: ReplyDocument): Notice | undefined =>
  notices.findLast(({ text }) => text.trim() !== '');

/**
 * So that no message is of buttons alone. As rich text, because a message that once was takes nothing less
 * (`chat.update`: block_mismatch); what it says is not live in it.
 */
function sentenceBlock(document: ReplyDocument): RichTextBlock {
  const sign = isFinal(document) ? signOf(toldBy(document)?.tone ?? 'info') : '';
  const text = sign + label(sentence(document), SENTENCE_CHARS, '…');
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
  };
}

/** The document as it is under its sentence. */
function withoutSentence(document: ReplyDocument): ReplyDocument {
  const told = isFinal(document) ? toldBy(document) : undefined;
  return { ...document, notices: document.notices.filter((notice) => notice !== told) };
}

/** An answer of images alone needs no sentence. */
function isShownByMedia(document: ReplyDocument): boolean {
  return isFinal(document) && document.media.length > 0 && toldBy(document) === undefined;
}

function markdownIn(blocks: readonly KnownBlock[]): number {
  return blocks.reduce((sum, block) => sum + (block.type === 'markdown' ? block.text.length : 0), 0);
}
