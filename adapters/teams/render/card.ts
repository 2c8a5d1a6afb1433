/** Makes the card of a message. It contains the buttons, and content that Teams cannot show in a text. */

import {
  lastNotice,
  type NumberedSource,
  numbersOf,
  type Plain,
  sourcesOf,
} from '../../../src/kit/ladder.ts';
import { isFinal, type ReplyDocument } from '../../../src/kit.ts';
import { controls, stopButton, suggestionButtons, versions } from './buttons.ts';
import { uncited } from './entity.ts';
import { type TextPart, tablesOf } from './part.ts';
import type { RenderContext } from './render-context.ts';
import { label, line, quiet } from './runs.ts';
import { tableElements } from './table.ts';
import {
  fileElements,
  foldedSteps,
  imageElements,
  noticeElement,
  runningSteps,
  sourceElements,
} from './under.ts';
import { words } from './words.ts';

export const CARD_TYPE = 'application/vnd.microsoft.card.adaptive';

/** Returns a card of version 1.5, the newest that all Teams clients show. It supports tables and universal actions. */
export function cardOf(body: readonly Plain[], actions: readonly Plain[] = [], more: Plain = {}): Plain {
  return {
    type: 'AdaptiveCard',
    $schema: 'https://adaptivecards.io/schemas/adaptive-card.json',
    version: '1.5',
    body,
    ...(actions.length > 0 && { actions }),
    ...more,
  };
}

export const attached = (content: Plain): Plain => ({ contentType: CARD_TYPE, content });

/** The reply, and the part of its text under which the card stands. */
export interface CardParts extends TextPart {
  readonly context: RenderContext;
}

/**
 * Returns the card under an answer; undefined if it would be empty. Only the card of the reply's last message contains
 * steps, images, sources and buttons.
 * @param units maximum UTF-16 units of each kind of content that has no limit of its own, such as tables and sources
 */
export function answerCard(parts: CardParts, units: number): Plain | undefined {
  const { document, extent } = parts;
  const context = { ...parts.context, reply: { ...parts.context.reply, at: extent.begin.at } };
  const sources = sourcesOf(document, { linkOf: context.linkOf });
  const tables = tableElements(tablesOf(parts), numbersOf(sources), units);
  const more = tables.length > 0 ? { msteams: { width: 'Full' } } : {};
  if (extent.to !== undefined) return tables.length === 0 ? undefined : cardOf(tables, [], more);
  const running = !isFinal(document);
  const below = running ? runningSteps(document.steps) : ended(document, sources, context, units);
  const actions = running ? [stopButton(document, context)] : controls(document, sources, context);
  const body = [...tables, ...below];
  return body.length + actions.length === 0 ? undefined : cardOf(body, actions, more);
}

function ended(
  document: ReplyDocument,
  sources: readonly NumberedSource[],
  context: RenderContext,
  units: number,
): readonly Plain[] {
  const { steps, media, notices, text } = document;
  // A message without text already shows the last notice as its text.
  const otherwise = text.trim() === '' ? lastNotice(document) : undefined;
  return [
    ...imageElements(media, context.media, units),
    ...fileElements(media, context.media, units),
    ...notices.filter((notice) => notice !== otherwise).map(noticeElement),
    ...foldedSteps(steps),
    ...sourceElements(uncited(document, sources), units),
    ...author(document, context),
    ...versions(document, context),
    ...suggestionButtons(document, context),
  ];
}

/** Maximum characters of the name of the agent that answered. */
const AGENT_CHARS = 60;

/** Returns the line that names the agent, and says if it is the conversation's agent; empty if there is only one agent. */
function author({ agent, text }: ReplyDocument, { agents, namesNoAgent }: RenderContext): readonly Plain[] {
  if (agent === undefined || text === '' || agents.length < 2) return [];
  const name = label(agent, AGENT_CHARS, words.whichAgent);
  return [line(namesNoAgent ? words.answeredByUsual(name) : words.answeredBy(name), quiet)];
}
