/** The card of a message: content that a text cannot contain, and buttons. */

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

/** Uses version 1.5, the newest that all Teams clients show; it has tables and universal actions. */
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
  /** Notices that the text does not contain. */
  readonly notices: readonly Notice[];
  readonly look: Look;
  /** True for the reply's last message, which also gets steps, images, sources and buttons. */
  readonly isLast: boolean;
  /** Maximum UTF-16 units of each part that may be of any length. */
  readonly units: number;
}

/** Returns undefined if the card would be empty. */
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
