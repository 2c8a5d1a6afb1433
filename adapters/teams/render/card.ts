/** The one card of a message: what its text cannot have, and what can be done with it. */

import type { Plain } from '../../../src/kit/json.ts';
import { isFinal, type Notice, type NumberedSource, type ReplyDocument } from '../../../src/kit.ts';
import { controls, stopButton, suggestionButtons, versions } from './buttons.ts';
import type { Look } from './look.ts';
import { type ShownTable, tableElements } from './table.ts';
import {
  fileElements,
  foldedSteps,
  imageElements,
  noticeElement,
  runningSteps,
  sourceElements,
} from './under.ts';

export const CARD_TYPE = 'application/vnd.microsoft.card.adaptive';

/** The version that Teams shows everywhere, with tables and universal actions. */
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
  /** Those that the text does not say already. */
  readonly notices: readonly Notice[];
  readonly look: Look;
  /** Whether it is the reply's last message, under which the rest stands. */
  readonly isLast: boolean;
  /** UTF-16 units for what may be of any length. */
  readonly units: number;
}

/** Nothing where there is nothing to show. */
export function answerCard(parts: CardParts): Plain | undefined {
  const { document, sources, look, isLast } = parts;
  const running = !isFinal(document);
  const tables = tableElements(parts.tables, parts);
  const below = isLast ? (running ? runningSteps(document.steps) : ended(parts)) : [];
  const body = [...tables, ...below];
  const actions = isLast ? (running ? [stopButton(document, look)] : controls(document, sources, look)) : [];
  if (body.length + actions.length === 0) return undefined;
  return cardOf(body, actions, tables.length > 0 ? { msteams: { width: 'Full' } } : {});
}

function ended({ document, sources, notices, look, units }: CardParts): readonly Plain[] {
  const { steps, media } = document;
  return [
    ...imageElements(media, { places: look.media, units }),
    ...fileElements(media, { places: look.media, units }),
    ...notices.map(noticeElement),
    ...foldedSteps(steps),
    ...sourceElements(sources, units),
    ...versions(document, look),
    ...suggestionButtons(document, look),
  ];
}
