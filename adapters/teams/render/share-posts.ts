/** Renders shared sources and answers, and the form in which a person chooses where to share. */

import {
  type AgentName,
  asWords,
  type NumberedSource,
  numbersOf,
  type Plain,
  shortened,
  sourcesOf,
} from '../../../src/kit/ladder.ts';
import { type ReplyDocument, sourceTitle } from '../../../src/kit.ts';
import type { ReadAction } from './actions.ts';
import { passageElements } from './blocks.ts';
import { backButton, button, choice } from './buttons.ts';
import { attached, cardOf } from './card.ts';
import { emitterOf } from './emit.ts';
import { rootEntity, uncited } from './entity.ts';
import { bareMessage, PART_CHARS, type TeamsMessage } from './message.ts';
import { markedText, type TextPart, tablesOf } from './part.ts';
import type { RenderContext } from './render-context.ts';
import { label, line, openButton, quiet } from './runs.ts';
import { tableElements } from './table.ts';
import { fileElements, imageElements, sourceElements } from './under.ts';
import { words } from './words.ts';

/**
 * Limits for the passages of a shared source: their number (the best are kept), and the characters and UTF-16 units of
 * each.
 */
const PASSAGES = 3;
const PASSAGE_CHARS = 3_000;
const PASSAGE_UNITS = 6_000;
const NAME_CHARS = 100;
const TITLE_CHARS = 200;
const QUESTION_CHARS = 1_000;
/** Maximum messages of a shared answer. The longest answer that the bridge accepts fits into them. */
const MESSAGES = 40;
/** Maximum UTF-16 units of all tables in one message. */
const TABLE_UNITS = 20_000;
/**
 * Maximum UTF-16 units of the images under the last message. The same limit applies separately to its files and to its
 * sources.
 */
const UNDER_UNITS = 6_000;

interface Shared {
  /** Name of the person who shares. */
  readonly by: string;
  readonly agent?: AgentName;
  readonly question?: string;
}

const nameWords = (name: string): string => label(name, NAME_CHARS, '…');

/** Renders a shared source. All of it is in the card, because Teams shows a message's text apart from its card. */
export function sourcePost({ number, source }: NumberedSource, { by, agent }: Shared): TeamsMessage {
  const title = label(sourceTitle(source, number), TITLE_CHARS, words.untitled);
  const passages = source.fragments
    .slice(0, PASSAGES)
    .flatMap((passage) => passageElements(passage, PASSAGE_CHARS, PASSAGE_UNITS));
  const head = line(words.sharedSource(nameWords(by)), { weight: 'Bolder' });
  const from = agent === undefined ? [] : [line(words.fromAnswer(nameWords(agent), number), quiet)];
  const body = [head, line(title, { weight: 'Bolder' }), ...passages, ...from];
  return cardMessage(cardOf(body, openButton(source.link), { msteams: { width: 'Full' } }));
}

const cardMessage = (card: Plain): TeamsMessage => ({
  ...bareMessage('', 'markdown'),
  attachments: [attached(card)],
});

/**
 * Renders a shared private answer as messages. The first one begins with the sharing person's name and the question.
 * Each text comes before its card.
 */
export function answerPosts(
  document: ReplyDocument,
  shared: Shared,
  context: Pick<RenderContext, 'format' | 'media'>,
): readonly TeamsMessage[] {
  const { format, media: places } = context;
  const all = emitterOf(format).ranges(document.text, PART_CHARS).slice(0, MESSAGES);
  const sources = sourcesOf(document);
  const under = [
    ...imageElements(document.media, places, UNDER_UNITS),
    ...fileElements(document.media, places, UNDER_UNITS),
    ...sourceElements(uncited(document, sources), UNDER_UNITS),
  ];
  return all.flatMap(({ begin, to }, at) => {
    const part: TextPart = { document, extent: { begin, to }, context };
    const text = markedText(part);
    const body = [
      ...tableElements(tablesOf(part), numbersOf(sources), TABLE_UNITS),
      ...(at === all.length - 1 ? under : []),
    ];
    const message: TeamsMessage = {
      ...bareMessage(at === 0 ? `${headingOf(shared)}\n\n${text}` : text, format),
      entities: [rootEntity(text, sources, false)],
    };
    return body.length === 0 ? [message] : [message, cardMessage(cardOf(body))];
  });
}

function headingOf({ by, agent, question }: Shared): string {
  const head = `**${asWords(words.sharedAnswer(nameWords(by), agent && nameWords(agent)))}**`;
  if (question === undefined || question.trim() === '') return head;
  return `${head}\n\n> ${asWords(shortened(question, QUESTION_CHARS))}`;
}

/** Id of the card's input in which a person chooses the conversation. */
export const WHERE_INPUT = 'where';

/** Returns the form in which a person chooses where to share. Its button repeats the press, now with the choice. */
export function shareForm(
  places: readonly { readonly id: string; readonly name: string }[],
  { kind, reply, detail }: Omit<ReadAction, 'inputs'>,
): Plain {
  const choices = places.map(({ id, name }) => ({ title: nameWords(name), value: id }));
  const where = choice(WHERE_INPUT, words.shareWhere, words.chooseWhere, choices);
  const first = choices[0] && { value: choices[0].value };
  const press = { ...button(kind, words.share, reply, detail), associatedInputs: 'auto' };
  return cardOf([{ ...where, ...first }], [press, backButton(reply)]);
}
