/** Makes the card of a message. It contains the buttons, and content that Teams cannot show in a text. */

import type { Plain } from '../../../src/kit/json.ts';
import { isFinal, type Notice, type NumberedSource, type ReplyDocument } from '../../../src/kit.ts';
import { controls, stopButton, suggestionButtons, versions } from './buttons.ts';
import { uncited } from './entity.ts';
import type { RenderContext } from './render-context.ts';
import { label, line, quiet } from './runs.ts';
import { type ShownTable, tableElements } from './table.ts';
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

export interface CardParts {
  readonly document: ReplyDocument;
  readonly sources: readonly NumberedSource[];
  readonly numbers: ReadonlyMap<number, number>;
  readonly tables: readonly ShownTable[];
  /** Notices that the message's text does not contain already. */
  readonly notices: readonly Notice[];
  readonly context: RenderContext;
  /** True for the reply's last message. Only its card contains steps, images, sources and buttons. */
  readonly isLast: boolean;
  /** Maximum UTF-16 units of each kind of content that has no limit of its own, such as tables and sources. */
  readonly units: number;
}

/** Returns the card under an answer; undefined if it would be empty. */
export function answerCard(parts: CardParts): Plain | undefined {
  const { document, sources, context, isLast } = parts;
  const running = !isFinal(document);
  const tables = tableElements(parts.tables, parts.numbers, parts.units);
  const below = isLast ? (running ? runningSteps(document.steps) : ended(parts)) : [];
  const body = [...tables, ...below];
  const actions = isLast
    ? running
      ? [stopButton(document, context)]
      : controls(document, sources, context)
    : [];
  if (body.length + actions.length === 0) return undefined;
  return cardOf(body, actions, tables.length > 0 ? { msteams: { width: 'Full' } } : {});
}

function ended({ document, sources, notices, context, units }: CardParts): readonly Plain[] {
  const { steps, media } = document;
  return [
    ...imageElements(media, context.media, units),
    ...fileElements(media, context.media, units),
    ...notices.map(noticeElement),
    ...foldedSteps(steps),
    ...sourceElements(uncited(document, sources), units),
    ...author(document, context),
    ...versions(document, context),
    ...suggestionButtons(document, context),
  ];
}

/** Maximum characters of the name of the agent that answered. */
const AGENT_CHARS = 60;

/** Names the agent that answered, and says why this one did. With a single agent, there is nothing to say. */
function author({ agent, text }: ReplyDocument, { agents, namesNoAgent }: RenderContext): readonly Plain[] {
  if (agent === undefined || text === '' || agents.length < 2) return [];
  const name = label(agent, AGENT_CHARS, words.whichAgent);
  return [line(namesNoAgent ? words.answeredByUsual(name) : words.answeredBy(name), quiet)];
}
