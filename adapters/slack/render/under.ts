/** What stands under an answer: images, files, notices, sources, buttons, the footer. */

import type { ImageBlock, KnownBlock, MarkdownBlock } from '@slack/types';
import { followed, linkTo } from '../../../src/kit/emission.ts';
import {
  isFinal,
  type Media,
  type Notice,
  type NumberedSource,
  type ReplyDocument,
  sourceTitle,
} from '../../../src/kit.ts';
import { controls, feedback, isAnswer, stopButton, suggestions } from './controls.ts';
import { asWords, label, shortened } from './escape.ts';
import type { Form } from './form.ts';
import type { Look } from './look.ts';
import { contextOf, stepsLine } from './steps.ts';
import { words } from './words.ts';

/** Maximum characters of a notice, and of a name. */
const NOTICE_CHARS = 1_000;
const NAME_CHARS = 150;
/** Slack's limit for alternative text, in characters; maximum images and file names per message. */
const ALT_CHARS = 2_000;
const MAX_IMAGES = 10;
const MAX_FILES = 10;

/** Input for the blocks under an answer. */
interface Below {
  readonly document: ReplyDocument;
  readonly sources: readonly NumberedSource[];
  readonly look: Look;
  /** Characters of Markdown left in the message. */
  readonly room: number;
  readonly form: Exclude<Form, 'plain'>;
}

export function under({ document, sources, look, room, form }: Below): KnownBlock[] {
  const steps = look.showsTasks ? [] : stepsLine(document.steps);
  const pressable = form !== 'simple';
  if (!isFinal(document)) return [...steps, ...(pressable ? [stopButton(document, look)] : [])];
  const uploaded = form === 'rich' ? look.images : {};
  return [
    ...steps,
    ...images(document.media, uploaded),
    ...files(document.media, uploaded),
    ...document.notices.map(noticeLine),
    ...sourceList(sources, room),
    ...(pressable ? [...suggestions(document, look), ...controls(document, sources, look, form)] : []),
    ...(form === 'rich' || form === 'imageless' ? feedback(document, look) : []),
    ...footer(document, look),
  ];
}

function images(media: readonly Media[], uploaded: Look['images']): ImageBlock[] {
  return media
    .filter(({ kind }) => kind === 'image')
    .flatMap(({ id, name }): ImageBlock[] => {
      const file = uploaded[id];
      const alt = label(name, ALT_CHARS, words.image);
      return file === undefined ? [] : [{ type: 'image', slack_file: { id: file }, alt_text: alt }];
    })
    .slice(0, MAX_IMAGES);
}

/** Files, and images that could not be uploaded, as names; links where they open for a person. */
function files(media: readonly Media[], uploaded: Look['images']): KnownBlock[] {
  const named = media.filter(({ id, kind }) => kind === 'file' || uploaded[id] === undefined);
  const lines = named.slice(0, MAX_FILES).map(({ name, kind, link }) => {
    const shown = asWords(label(name, NAME_CHARS, kind === 'image' ? words.image : words.file));
    const target = link === undefined ? undefined : followed(link);
    return `- ${target === undefined ? shown : linkTo(target, name, shown)}`;
  });
  return lines.length === 0 ? [] : [{ type: 'markdown', text: lines.join('\n') }];
}

function noticeLine({ tone, text }: Notice): KnownBlock {
  return contextOf(`${signOf(tone)}${label(text, NOTICE_CHARS, '…')}`);
}

export const signOf = (tone: Notice['tone']): string => (tone === 'info' ? '' : '⚠ ');

function footer(document: ReplyDocument, look: Look): KnownBlock[] {
  const { text, editions, agent } = document;
  const author = agent === undefined || text === '' || look.named ? [] : [words.answeredBy(agent)];
  const version = editions === undefined ? [] : [words.version(editions.shown, editions.count)];
  const told = look.footer && text !== '' && isAnswer(document) ? [words.footer] : [];
  const line = [...author, ...version, ...told].join(' · ');
  return line === '' ? [] : [contextOf(line)];
}

/** Sources that a message lists; the rest stand behind the button. */
const LISTED_SOURCES = 5;
const TITLE_CHARS = 120;

/** @param room characters that the message's Markdown still has; what would not fit loses its link, then its line */
export function sourceList(sources: readonly NumberedSource[], room: number): MarkdownBlock[] {
  let text = `**${words.sources}**`;
  for (const { number, source } of sources.slice(0, LISTED_SOURCES)) {
    const title = shortened(sourceTitle(source, number), TITLE_CHARS);
    const name = asWords(title);
    const target = source.link === undefined ? undefined : followed(source.link);
    const linked = target === undefined ? name : linkTo(target, title, name);
    const line = [linked, name].find((each) => text.length + each.length + 8 <= room);
    if (line === undefined) break;
    text += `\n${number}. ${line}`;
  }
  return sources.length === 0 || !text.includes('\n') ? [] : [{ type: 'markdown', text }];
}
