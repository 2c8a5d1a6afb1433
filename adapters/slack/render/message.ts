/** Renders a whole message of a reply: its blocks and its fallback text. */

import type { ImageBlock, KnownBlock, MarkdownBlock, RichTextBlock } from '@slack/types';
import {
  type Begin,
  followed,
  lastNotice,
  linkTo,
  type Media,
  type Notice,
  type NumberedSource,
  noticeSign,
  numbersOf,
  sourcesOf,
} from '../../../src/kit/ladder.ts';
import { isFinal, type ReplyDocument, sourceTitle } from '../../../src/kit.ts';
import { type Body, bodyBlocks, definitionsOf, rawOf, rich } from './body.ts';
import { controls, feedback, isAnswer, stopButton, suggestions } from './controls.ts';
import { asWords, label, shortened } from './escape.ts';
import { fallback, wholeText } from './fallback.ts';
import type { Form } from './form.ts';
import { createReading } from './reading.ts';
import type { RenderContext } from './render-context.ts';
import { contextOf, stepsLine } from './steps.ts';
import { words } from './words.ts';

/** The part of the answer's text that one message contains. */
export interface Extent {
  readonly begin: Begin;
  /** End of the part; absent if it reaches the end of the text. */
  readonly to?: number;
}

export interface Message {
  readonly text: string;
  /** Empty if Slack shows only the text. */
  readonly blocks: KnownBlock[];
}

/** Slack's limit for the Markdown of one message, in characters of all markdown blocks together. */
const MARKDOWN_CHARS = 12_000;
/** Slack's limit for the blocks of one message. */
const MAX_BLOCKS = 50;
/** Maximum characters of the sentence that a message shows if the answer has no text. */
const SENTENCE_CHARS = 1_000;

export function messageOf(
  document: ReplyDocument,
  extent: Extent,
  context: RenderContext,
  form: Form,
): Message {
  const { reading = createReading() } = context;
  const sources = sourcesOf(document, { read: reading.answer, linkOf: context.linkOf });
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
  // An inline link repeats its address at every use. If that makes the text too long, the reference links stay as
  // typed.
  const written = markdownIn(linked) > MARKDOWN_CHARS ? bodyBlocks(body, native, reading) : linked;
  const visible = written.length > 0 || isShownByMedia(document) ? written : [sentenceBlock(document)];
  const last = extent.to === undefined;
  const content = written.length > 0 ? document : withoutSentence(document);
  const charsLeft = MARKDOWN_CHARS - markdownIn(visible);
  const rest = last ? under(content, sources, context, { charsLeft, form }) : [];
  const blocks = [...visible, ...rest].slice(0, MAX_BLOCKS);
  return { text, blocks: blocks.length > 0 ? blocks : [sentenceBlock(document)] };
}

/** Returns the blocks that are added under a stream's text when it is stopped. */
export function closingBlocks(document: ReplyDocument, context: RenderContext, used: number): KnownBlock[] {
  const sources = sourcesOf(document, { linkOf: context.linkOf });
  const charsLeft = MARKDOWN_CHARS - used;
  return under(document, sources, context, { charsLeft, form: 'rich' }).slice(0, MAX_BLOCKS);
}

/** Returns the sentence to show in a message that has no text. */
function sentence(document: ReplyDocument): string {
  if (!isFinal(document)) return document.meanwhile ?? words.thinking;
  return lastNotice(document)?.text ?? words.noText;
}

/**
 * Renders the sentence of a message that has no text, because a message must not consist of buttons only. It is rich
 * text for two reasons: an edit must not replace rich text by another kind of block (`chat.update`: block_mismatch),
 * and mentions and links in the text have no effect there.
 */
function sentenceBlock(document: ReplyDocument): RichTextBlock {
  const sign = isFinal(document) ? noticeSign(lastNotice(document) ?? { tone: 'info' }) : '';
  const text = sign + label(sentence(document), SENTENCE_CHARS, '…');
  return rich([{ type: 'text', text }]);
}

/** Returns the document without the notice that the message already shows in place of the answer's text. */
function withoutSentence(document: ReplyDocument): ReplyDocument {
  const shown = isFinal(document) ? lastNotice(document) : undefined;
  return { ...document, notices: document.notices.filter((notice) => notice !== shown) };
}

/** True if a final answer has images or files and no notice. Such an answer needs no sentence, even without text. */
function isShownByMedia(document: ReplyDocument): boolean {
  return isFinal(document) && document.media.length > 0 && lastNotice(document) === undefined;
}

function markdownIn(blocks: readonly KnownBlock[]): number {
  return blocks.reduce((sum, block) => sum + (block.type === 'markdown' ? block.text.length : 0), 0);
}

/** Maximum characters of a notice, and of the name of a file or image. */
const NOTICE_CHARS = 1_000;
const NAME_CHARS = 150;
/**
 * Slack's limit for alternative text, in characters, and the maximum number of images and file names in one message.
 */
const ALT_CHARS = 2_000;
const MAX_IMAGES = 10;
const MAX_FILES = 10;

/**
 * Returns the blocks under the answer's text.
 * @param charsLeft characters of Markdown that Slack still accepts in this message
 */
function under(
  document: ReplyDocument,
  sources: readonly NumberedSource[],
  context: RenderContext,
  { charsLeft, form }: { charsLeft: number; form: Exclude<Form, 'plain'> },
): KnownBlock[] {
  const steps = context.showsTasks ? [] : stepsLine(document.steps);
  const pressable = form !== 'simple';
  if (!isFinal(document)) return [...steps, ...(pressable ? stopButton(document, context) : [])];
  const uploaded = form === 'rich' ? context.images : {};
  return [
    ...steps,
    ...images(document.media, uploaded),
    ...files(document.media, uploaded),
    ...document.notices.map(noticeLine),
    ...(context.isAfresh ? [contextOf(words.afresh)] : []),
    ...sourceList(sources, charsLeft),
    ...(pressable ? [...suggestions(document, context), ...controls(document, sources, context, form)] : []),
    ...(form === 'rich' || form === 'imageless' ? feedback(document, context) : []),
    ...footer(document, context),
  ];
}

function images(media: readonly Media[], uploaded: RenderContext['images']): ImageBlock[] {
  return media
    .filter(({ kind }) => kind === 'image')
    .flatMap(({ id, name }): ImageBlock[] => {
      const file = uploaded[id];
      const alt = label(name, ALT_CHARS, words.image);
      return file === undefined ? [] : [{ type: 'image', slack_file: { id: file }, alt_text: alt }];
    })
    .slice(0, MAX_IMAGES);
}

/**
 * Lists the names of all files, and of the images that could not be uploaded. A name is a link if its address is known
 * and safe.
 */
function files(media: readonly Media[], uploaded: RenderContext['images']): KnownBlock[] {
  const named = media.filter(({ id, kind }) => kind === 'file' || uploaded[id] === undefined);
  const lines = named.slice(0, MAX_FILES).map(({ name, kind, link }) => {
    const title = asWords(label(name, NAME_CHARS, kind === 'image' ? words.image : words.file));
    const target = link === undefined ? undefined : followed(link);
    return `- ${target === undefined ? title : linkTo(target, name, title)}`;
  });
  return lines.length === 0 ? [] : [{ type: 'markdown', text: lines.join('\n') }];
}

const noticeLine = (notice: Notice): KnownBlock =>
  contextOf(noticeSign(notice) + label(notice.text, NOTICE_CHARS, '…'));

function footer(document: ReplyDocument, context: RenderContext): KnownBlock[] {
  const { text, editions, agent } = document;
  const author = agent === undefined || text === '' || context.named ? [] : [words.answeredBy(agent)];
  const version = editions === undefined ? [] : [words.version(editions.shown, editions.count)];
  const notes = context.footer && text !== '' && isAnswer(document) ? [words.footer] : [];
  const line = [...author, ...version, ...notes].join(' · ');
  return line === '' ? [] : [contextOf(line)];
}

/** Maximum number of sources that a message lists; the button "Sources" shows all of them. */
const LISTED_SOURCES = 5;
const TITLE_CHARS = 120;

/**
 * Returns the list of sources.
 * @param charsLeft characters left for Markdown in this message; a source that does not fit loses its link first, then
 * its line
 */
export function sourceList(sources: readonly NumberedSource[], charsLeft: number): MarkdownBlock[] {
  let text = `**${words.sources}**`;
  for (const { number, source } of sources.slice(0, LISTED_SOURCES)) {
    const title = shortened(sourceTitle(source, number), TITLE_CHARS);
    const name = asWords(title);
    const target = source.link === undefined ? undefined : followed(source.link);
    const linked = target === undefined ? name : linkTo(target, title, name);
    const line = [linked, name].find((each) => text.length + each.length + 8 <= charsLeft);
    if (line === undefined) break;
    text += `\n${number}. ${line}`;
  }
  return sources.length === 0 || !text.includes('\n') ? [] : [{ type: 'markdown', text }];
}
