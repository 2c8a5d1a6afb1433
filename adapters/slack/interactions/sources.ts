/** The form that shows an answer's sources, page by page. */

import type { ActionsBlock, KnownBlock, ModalView } from '@slack/types';
import {
  type Fragment,
  inPages,
  type NumberedSource,
  passageText,
  type ReplyRef,
  scoreOf,
  sourcesOf,
} from '../../../src/kit/ladder.ts';
import { openReply, sourceTitle } from '../../../src/kit.ts';
import type { SlackAction, SlackView } from '../receive/events.ts';
import { actionValue, type ReadAction, readActionValue } from '../render/actions.ts';
import {
  aside,
  button,
  linkButton,
  modal,
  notice,
  paragraph,
  pieces,
  SECTION,
  VIEW_BLOCKS,
} from '../render/blocks.ts';
import { plainTextElement } from '../render/escape.ts';
import { type Interaction, linksOf } from './deps.ts';
import { replyPress } from './replies.ts';
import { openView, updateView } from './tell.ts';
import { words } from './words.ts';

const TITLE = 'Sources';

/**
 * Opens the sources form at its first page.
 * @param ts time stamp of the press
 */
export function openSources(interaction: Interaction, read: ReadAction, ts: string): Promise<void> {
  return openView(interaction, TITLE, () => viewFor(interaction, { ...read, detail: '0' }, ts));
}

/** Shows another page in the open form. */
export async function turnPage(
  interaction: Interaction,
  action: SlackAction,
  view: SlackView,
): Promise<void> {
  const read = readActionValue(action.value);
  if (read === undefined || !Number.isSafeInteger(Number(read.detail))) return;
  await updateView(interaction, view.id, await viewFor(interaction, read));
}

/** Returns one page of the form, or a notice with the refusal. `detail` is the page number. */
async function viewFor(
  interaction: Interaction,
  { reply, detail }: ReadAction,
  ts?: string,
): Promise<ModalView> {
  const { press, context } = replyPress(interaction, { reply, detail }, { action: 'sources', ts });
  const opened = await openReply(press, context);
  if (opened.kind === 'refused') return notice(TITLE, opened.sentence);
  const sources = sourcesOf(opened.reply, { linkOf: linksOf(interaction, reply) });
  if (sources.length === 0) return notice(TITLE, words.noSources);
  return sourcesView(sources, reply, Number(detail));
}

const SOURCES = 'sources';
export const TURN_PAGE = 'sources:page';
export const SHARE_SOURCE = 'sources:share';
const OPEN_SOURCE = 'sources:open';

/**
 * Maximum blocks and characters (UTF-16 units) of one page. Both keep a page short and are far below Slack's limits.
 */
const PAGE = { elements: 40, units: 12_000 };
const TITLE_CHARS = 280;

/** @param wanted page number, from 0; a number that is too high shows the last page */
export function sourcesView(sources: readonly NumberedSource[], reply: ReplyRef, wanted: number): ModalView {
  const pages = inPages(
    sources.flatMap((source) => piecesOf(source, reply)),
    PAGE,
  );
  const page = Math.min(Math.max(wanted, 0), pages.length - 1);
  const blocks = pages[page] ?? [];
  return modal({
    callback: SOURCES,
    title: TITLE,
    metadata: actionValue(reply, String(page)),
    blocks: [...blocks, ...pageButtons(page, pages.length, reply)].slice(0, VIEW_BLOCKS),
  });
}

/** Blocks that stay together on one page. */
type Piece = readonly KnownBlock[];

function piecesOf({ number, source }: NumberedSource, reply: ReplyRef): readonly Piece[] {
  const passages = source.fragments.flatMap((fragment, at) => passage(fragment, at, source.fragments.length));
  return [headOf({ number, source }, reply), ...passages];
}

function headOf({ number, source }: Pick<NumberedSource, 'number' | 'source'>, reply: ReplyRef): Piece {
  const open = linkButton(`${OPEN_SOURCE}:${number}`, source.link);
  const share = button('Share', {
    id: `${SHARE_SOURCE}:${number}`,
    value: actionValue(reply, String(number)),
  });
  const title = plainTextElement(`${number}. ${sourceTitle(source, number)}`, TITLE_CHARS);
  const details = [source.kind, scoreOf(source.score)].filter((each) => each !== '').join(' · ');
  const actions: ActionsBlock = { type: 'actions', elements: open === undefined ? [share] : [open, share] };
  return [{ type: 'divider' }, { type: 'section', text: title }, aside(details), actions];
}

function passage({ text, score }: Fragment, at: number, count: number): readonly Piece[] {
  const details = [`Passage ${at + 1} of ${count}`, scoreOf(score)].filter((each) => each !== '').join(' · ');
  const paragraphs = pieces(passageText(text), SECTION).map(paragraph);
  const [first, ...more] = paragraphs;
  return first === undefined ? [] : [[aside(details), first], ...more.map((block) => [block])];
}

function pageButtons(page: number, count: number, reply: ReplyRef): readonly KnownBlock[] {
  if (count < 2) return [];
  const to = (label: string, other: number, place: string) =>
    other < 0 || other >= count
      ? []
      : [button(label, { id: `${TURN_PAGE}:${place}`, value: actionValue(reply, String(other)) })];
  const elements = [...to('Previous', page - 1, 'previous'), ...to('Next', page + 1, 'next')];
  return [{ type: 'divider' }, aside(`Page ${page + 1} of ${count}`), { type: 'actions', elements }];
}
