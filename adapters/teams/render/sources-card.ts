/** Renders an answer's sources with passages and scores, best first, for the person who pressed "Sources". */

import { type Fragment, inPages, type NumberedSource, type Plain, scoreOf } from '../../../src/kit/ladder.ts';
import { type Source, sourceTitle } from '../../../src/kit.ts';
import type { ButtonReply } from './actions.ts';
import { passageElements } from './blocks.ts';
import { backButton, button } from './buttons.ts';
import { cardOf } from './card.ts';
import { factsOf } from './entity.ts';
import { label, line, linkRuns, noGap, openButton, quiet, richText, run, type Style } from './runs.ts';
import { words } from './words.ts';

/** Capacity of one page, in UTF-16 units. It keeps a page short, and is far below the limit of a message. */
const PAGE = { units: 14_000, elements: Number.POSITIVE_INFINITY };
/**
 * Maximum characters of a passage (the platform's passages have a few hundred), UTF-16 units of a passage, and
 * characters of a title.
 */
const PASSAGE_CHARS = 6_000;
const PASSAGE_UNITS = 10_000;
const TITLE_CHARS = 200;

/** @param nth page number, from 0; a number that is too high shows the last page */
export function sourcesCard(sources: readonly NumberedSource[], reply: ButtonReply, nth: number): Plain {
  const pages = inPages(
    sources.flatMap((source) => piecesOf(source, reply)),
    PAGE,
  );
  const page = Math.min(Math.max(nth, 0), pages.length - 1);
  const none = line(words.noSources);
  const caption = line(words.page(page + 1, pages.length), quiet);
  const body = [...(pages[page] ?? [none]), ...(pages.length > 1 ? [caption] : [])];
  return cardOf(body, pageButtons(page, pages.length, reply), { msteams: { width: 'Full' } });
}

/** Elements that stay together on one page. */
type Piece = readonly Plain[];

function piecesOf({ number, source }: NumberedSource, reply: ButtonReply): readonly Piece[] {
  const { fragments } = source;
  const passages = fragments.map((fragment, at) => passage(fragment, at, fragments.length));
  const none = passages.length === 0 ? [line(words.noPassages, { isSubtle: true })] : [];
  return [[...headOf(number, source, reply), ...none], ...passages];
}

function headOf(number: number, source: Source, reply: ButtonReply): Piece {
  const title = label(sourceTitle(source, number), TITLE_CHARS, words.untitled);
  const facts = factsOf(source);
  const share = button('shareSource', words.share, reply, String(number));
  return [
    richText([run(`${number}. `, bold), ...linkRuns(title, source.link, bold)], {
      separator: true,
      spacing: 'Medium',
    }),
    ...(facts.length === 0 ? [] : [line(facts.join(' · '), quiet, noGap)]),
    { type: 'ActionSet', actions: [...openButton(source.link), share], spacing: 'Small' },
  ];
}

const bold: Style = { weight: 'Bolder' };

function passage(fragment: Fragment, at: number, count: number): Piece {
  const elements = passageElements(fragment, PASSAGE_CHARS, PASSAGE_UNITS);
  const details = [words.passage(at + 1, count), scoreOf(fragment.score)]
    .filter((each) => each !== '')
    .join(' · ');
  return elements.length === 0 ? [] : [line(details, quiet), ...elements];
}

function pageButtons(page: number, count: number, reply: ButtonReply): readonly Plain[] {
  const to = (title: string, other: number): readonly Plain[] =>
    other < 0 || other >= count ? [] : [button('sources', title, reply, String(other))];
  return [backButton(reply), ...to(words.previous, page - 1), ...to(words.next, page + 1)];
}
