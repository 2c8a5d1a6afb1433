/** What stands under an answer: images, files, notices, sources, buttons, the footer. */

import type { ActionsBlock, Button, ImageBlock, KnownBlock, StaticSelect } from '@slack/types';
import { followed, linkTo } from '../../../src/kit/emission.ts';
import type { ReplyRef } from '../../../src/kit/reply-ref.ts';
import {
  type AgentCard,
  isFinal,
  type Media,
  type Notice,
  type NumberedSource,
  type ReplyDocument,
} from '../../../src/kit.ts';
import { type ActionKind, actionId, actionValue, menuId, OPTION_VALUE } from './actions.ts';
import { asWords, label } from './escape.ts';
import type { Reading } from './reading.ts';
import { sourceList } from './sources.ts';
import { contextOf, stepsLine } from './steps.ts';
import { words } from './words.ts';

/** What the writer knows besides the document. */
export interface Look {
  /** The reply, as its buttons name it. */
  readonly reply: Omit<ReplyRef, 'turn'>;
  /** Slack's ids of the images that were uploaded, by the id of the medium. */
  readonly images: Readonly<Record<string, string>>;
  readonly footer: boolean;
  /** Agents that may be asked instead. */
  readonly agents: readonly AgentCard[];
  /** Where only the asker sees it: it can be made public. */
  readonly isPrivate: boolean;
  /** Where the asker may have the answer with their own rights. */
  readonly offersMine: boolean;
  /** Whether the stream shows the steps as tasks already. */
  readonly showsTasks: boolean;
  /** What is known of the message from its last edit; absent: it is read anew. */
  readonly reading?: Reading;
}

/** Characters of a button's label (Slack's limit is 75), of a notice, of a name. */
const BUTTON_CHARS = 75;
const NOTICE_CHARS = 1_000;
const NAME_CHARS = 150;
/** Slack's limits: options of a select, alternative text, blocks of images that one message is given. */
const MAX_OPTIONS = 100;
const ALT_CHARS = 2_000;
const MAX_IMAGES = 10;
const MAX_FILES = 10;

/** Under an answer that still grows. */
export function whileRunning(document: ReplyDocument, look: Look): KnownBlock[] {
  const stop = buttons(document, look)('stop', words.stop);
  return [...stepsLine(document.steps), { type: 'actions', elements: [stop] }];
}

/** @param room characters of Markdown that the message may still have */
export function under(
  document: ReplyDocument,
  sources: readonly NumberedSource[],
  look: Look,
  room: number,
): KnownBlock[] {
  if (!isFinal(document)) return whileRunning(document, look);
  return [
    ...(look.showsTasks ? [] : stepsLine(document.steps)),
    ...images(document.media, look.images),
    ...files(document.media, look.images),
    ...document.notices.map(noticeLine),
    ...sourceList(sources, room),
    ...suggestions(document, look),
    ...controls(document, sources, look),
    ...feedback(document, look),
    ...footer(document, look),
  ];
}

/** A message without its adornments: only what happened. */
export function noticesOnly(document: ReplyDocument): KnownBlock[] {
  return document.notices.map(noticeLine);
}

export function images(media: readonly Media[], uploaded: Look['images']): ImageBlock[] {
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

interface Detail {
  /** What the press says besides which button it was. */
  readonly detail?: string;
  /** Tells apart buttons of one kind. */
  readonly place?: number;
}

type MakeButton = (kind: ActionKind, text: string, more?: Detail) => Button;

function buttons({ turn }: ReplyDocument, { reply }: Look): MakeButton {
  return (kind, text, { detail, place } = {}) => ({
    type: 'button',
    action_id: actionId(kind, place),
    text: { type: 'plain_text', text: label(text, BUTTON_CHARS, '…'), emoji: false },
    value: actionValue({ turn, ...reply }, detail),
  });
}

function suggestions(document: ReplyDocument, look: Look): ActionsBlock[] {
  const make = buttons(document, look);
  const elements = document.suggestions
    .filter((text) => text.trim() !== '')
    .map((text, place) => make('suggestion', text, { detail: text, place }));
  return elements.length === 0 ? [] : [{ type: 'actions', elements }];
}

function controls(document: ReplyDocument, sources: readonly NumberedSource[], look: Look): ActionsBlock[] {
  const make = buttons(document, look);
  const { retry, state, text } = document;
  const elements = [
    ...(sources.length > 0 ? [make('sources', words.allSources(sources.length))] : []),
    ...(retry ? [make('retry', words.retry)] : []),
    ...(state === 'done' && isAnswer(document) ? [make('regenerate', words.regenerate)] : []),
    ...versions(document, make),
    ...(look.isPrivate && text !== '' ? [make('share', words.share)] : []),
    ...(look.offersMine && isAnswer(document) ? [make('mine', words.askAsMe)] : []),
    ...(isAnswer(document) ? askAnother(document, look) : []),
  ];
  return elements.length === 0 ? [] : [{ type: 'actions', elements }];
}

/** Arrows to the versions beside the one that is shown. */
function versions({ editions }: ReplyDocument, make: MakeButton): Button[] {
  if (editions === undefined) return [];
  const { shown, count } = editions;
  const to = (edition: number, text: string, place: number): Button[] =>
    edition < 1 || edition > count ? [] : [make('show', text, { detail: String(edition), place })];
  return [...to(shown - 1, words.earlier, 0), ...to(shown + 1, words.later, 1)];
}

/** An agent whose name does not fit an option cannot be chosen there. */
function askAnother({ turn, agent }: ReplyDocument, { agents, reply }: Look): StaticSelect[] {
  const options = agents
    .filter(({ name }) => name !== agent)
    .map(({ name }) => ({
      text: { type: 'plain_text' as const, text: label(name, BUTTON_CHARS, '…'), emoji: false },
      value: name,
    }))
    .filter(({ value }) => value.length <= OPTION_VALUE)
    .slice(0, MAX_OPTIONS);
  if (options.length === 0) return [];
  const placeholder = { type: 'plain_text' as const, text: words.askAnother, emoji: false };
  return [{ type: 'static_select', action_id: menuId('agent', { turn, ...reply }), placeholder, options }];
}

/** What the bridge itself says can be neither judged nor asked again. */
const isAnswer = ({ agent }: ReplyDocument): boolean => agent !== undefined;

function feedback(document: ReplyDocument, { reply }: Look): KnownBlock[] {
  const { turn, state, text } = document;
  if (text === '' || !isAnswer(document) || (state !== 'done' && state !== 'partial')) return [];
  const choice = (verdict: 'up' | 'down', said: string) => ({
    text: { type: 'plain_text' as const, text: said, emoji: false },
    value: actionValue({ turn, ...reply }, verdict),
  });
  return [
    {
      type: 'context_actions',
      elements: [
        {
          type: 'feedback_buttons',
          action_id: actionId('feedback'),
          positive_button: choice('up', words.good),
          negative_button: choice('down', words.bad),
        },
      ],
    },
  ];
}

function footer(document: ReplyDocument, look: Look): KnownBlock[] {
  const { text, editions } = document;
  const version = editions === undefined ? [] : [words.version(editions.shown, editions.count)];
  const told = look.footer && text !== '' && isAnswer(document) ? [words.footer] : [];
  const line = [...version, ...told].join(' · ');
  return line === '' ? [] : [contextOf(line)];
}
