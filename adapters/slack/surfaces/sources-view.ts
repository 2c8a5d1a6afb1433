/** The form that shows sources: their passages with scores, the best first. Pure. */

import type { ActionsBlock, KnownBlock, ModalView } from '@slack/types';
import { inPages } from '../../../src/kit/pages.ts';
import { scoreOf } from '../../../src/kit/sources.ts';
import { type Fragment, type NumberedSource, passageText, sourceTitle } from '../../../src/kit.ts';
import {
  aside,
  button,
  linkButton,
  modal,
  paragraph,
  pieces,
  plainText,
  SECTION,
  VIEW_BLOCKS,
} from './blocks.ts';

export const SOURCES = 'sources';
export const TURN_PAGE = 'sources:page';
export const SHARE_SOURCE = 'sources:share';
export const OPEN_SOURCE = 'sources:open';

/** Blocks and characters of one page: quickly read, and far from what a form may have. */
const PAGE = { elements: 40, units: 12_000 };
const TITLE_CHARS = 280;

export interface SourcesLook {
  readonly title: string;
  /** From 0; one beyond the last is the last. */
  readonly page: number;
  /** What a button of the reply carries, with this detail. */
  carry(detail: string): string;
}

export function sourcesView(sources: readonly NumberedSource[], look: SourcesLook): ModalView {
  const pages = inPages(
    sources.flatMap((source) => piecesOf(source, look)),
    PAGE,
  );
  const page = Math.min(Math.max(look.page, 0), pages.length - 1);
  const shown = pages[page] ?? [];
  return modal({
    callback: SOURCES,
    title: look.title,
    metadata: look.carry(String(page)),
    blocks: [...shown, ...turning(page, pages.length, look)].slice(0, VIEW_BLOCKS),
  });
}

/** Blocks that stay together. */
type Piece = readonly KnownBlock[];

function piecesOf({ number, source }: NumberedSource, look: SourcesLook): readonly Piece[] {
  const passages = source.fragments.flatMap((fragment, at) => passage(fragment, at, source.fragments.length));
  return [headOf({ number, source }, look), ...passages];
}

function headOf({ number, source }: Pick<NumberedSource, 'number' | 'source'>, look: SourcesLook): Piece {
  const open = linkButton(`${OPEN_SOURCE}:${number}`, source.link);
  const share = button('Share', { id: `${SHARE_SOURCE}:${number}`, value: look.carry(String(number)) });
  const title = plainText(`${number}. ${sourceTitle(source, number)}`, TITLE_CHARS);
  const told = [source.kind, scoreOf(source.score)].filter((each) => each !== '').join(' · ');
  const actions: ActionsBlock = { type: 'actions', elements: open === undefined ? [share] : [open, share] };
  return [{ type: 'divider' }, { type: 'section', text: title }, aside(told), actions];
}

function passage({ text, score }: Fragment, at: number, count: number): readonly Piece[] {
  const told = [`Passage ${at + 1} of ${count}`, scoreOf(score)].filter((each) => each !== '').join(' · ');
  const shown = pieces(passageText(text), SECTION).map(paragraph);
  const [first, ...more] = shown;
  return first === undefined ? [] : [[aside(told), first], ...more.map((block) => [block])];
}

function turning(page: number, count: number, { carry }: SourcesLook): readonly KnownBlock[] {
  if (count < 2) return [];
  const to = (label: string, other: number, place: string) =>
    other < 0 || other >= count
      ? []
      : [button(label, { id: `${TURN_PAGE}:${place}`, value: carry(String(other)) })];
  const elements = [...to('Previous', page - 1, 'previous'), ...to('Next', page + 1, 'next')];
  return [{ type: 'divider' }, aside(`Page ${page + 1} of ${count}`), { type: 'actions', elements }];
}
