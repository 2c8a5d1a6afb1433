/** Checks of rendered messages, and sample messages. */

import { expect } from 'vitest';
import { readAction } from '../../../../adapters/teams/render/actions.ts';
import { messageOf, type TeamsMessage } from '../../../../adapters/teams/render/message.ts';
import type { Form, RenderContext } from '../../../../adapters/teams/render/render-context.ts';
import { list, type Plain, plain, plains } from '../../../../src/kit/json.ts';
import { agentName } from '../../../../src/kit/ladder.ts';
import type { ActionName, ReplyDocument } from '../../../../src/kit.ts';
import { faultsOfCard } from '../../../fakes/teams/checks/card.ts';
import { checkCitations, rootEntity } from '../../../fakes/teams/checks/message-entity.ts';
import { addressesIn } from '../../reply/markdown/hostile.ts';
import { faultsOf } from '../adaptive-card.ts';

const room = '19:abc@thread.tacv2';

export const context: RenderContext = {
  reply: { question: `${room}/1793491200000`, room, key: '1793491200000', kind: 'room' },
  format: 'markdown',
  media: {},
  agents: ['knowledge', 'sales', 'legal'].map((name) => ({
    name: agentName(name),
    description: name,
    seesImages: false,
  })),
  namesNoAgent: true,
  isPrivate: false,
  offersAsSelf: false,
  offersCorrection: false,
};

export const personal: RenderContext = {
  ...context,
  reply: { question: 'a:1/1793491200000', room: 'a:1', key: 'a:1', kind: 'direct' },
};

export const whole = (
  document: ReplyDocument,
  how: RenderContext = context,
  form: Form = 'rich',
): TeamsMessage => messageOf({ document, extent: { begin: { at: 0, fresh: true } }, context: how, form });

export const cardOf = ({ attachments }: TeamsMessage): Plain => plain(attachments[0]?.content);

/** Yields every object of a card that has a type, outermost first. */
export function* elementsIn(value: unknown): Iterable<Plain> {
  if (Array.isArray(value)) for (const each of value) yield* elementsIn(each);
  else if (typeof value === 'object' && value !== null) {
    yield plain(value);
    for (const inner of Object.values(value)) yield* elementsIn(inner);
  }
}

export const ofType = (value: unknown, type: string): readonly Plain[] =>
  [...elementsIn(value)].filter((each) => each.type === type);

/** Returns the texts in a card's text runs, in order. */
export const wordsIn = (value: unknown): string =>
  ofType(value, 'RichTextBlock')
    .flatMap(({ inlines }) => list(inlines))
    .map((each) => (typeof each === 'string' ? each : String(plain(each).text)))
    .join('|');

export function buttonsIn(value: unknown): readonly { kind: ActionName; title: string; detail: string }[] {
  return ofType(value, 'Action.Execute').flatMap(({ title, data }) => {
    const read = readAction(data);
    return read === undefined ? [] : [{ kind: read.kind, title: String(title), detail: read.detail }];
  });
}

/** Maximum bytes of a message in UTF-16; Teams accepts 100 KB. */
const BYTES = 80_000;

/** Expects a message within Teams' limits and without active content. */
export function expectSound(message: TeamsMessage): void {
  expect(2 * JSON.stringify(message).length).toBeLessThanOrEqual(BYTES);
  expect(message.text.trim() === '' && message.attachments.length === 0).toBe(false);
  if (message.textFormat === 'markdown') expect(message.text).not.toContain('<');
  if (message.textFormat !== 'plain') {
    const { links, images } = addressesIn(message.text);
    expect(images).toEqual([]);
    expect(links.filter((link) => !/^(?:https?:\/\/|mailto:)/.test(link))).toEqual([]);
  }
  expect(message.entities.length).toBeLessThanOrEqual(1);
  // The fake Teams' own checks apply too.
  const root = rootEntity({ ...message });
  if (root !== undefined) checkCitations(root);
  for (const entity of message.entities) expectSoundEntity(entity);
  expect(message.attachments.length).toBeLessThanOrEqual(1);
  for (const { content } of message.attachments) expectSoundCard(content);
  expect(message.attachments.length === 0 || message.suggestedActions === undefined).toBe(true);
}

function expectSoundEntity(entity: Plain): void {
  expect(entity).toMatchObject({ type: 'https://schema.org/Message', '@type': 'Message', '@id': '' });
  const citation = plains(entity.citation);
  expect(citation.length).toBeLessThanOrEqual(20);
  for (const { appearance } of citation) {
    const { name, abstract, url, keywords = [] } = plain(appearance);
    expect(String(name).length).toBeLessThanOrEqual(80);
    expect(String(abstract).length).toBeLessThanOrEqual(160);
    expect(`${name}${abstract}`.trim()).not.toBe('');
    if (url !== undefined) expect(url).toMatch(/^https:\/\//);
    expect(Array.isArray(keywords) && keywords.every((word) => String(word).length <= 28)).toBe(true);
  }
}

export function expectSoundCard(content: unknown): void {
  expect(faultsOf(content)).toEqual([]);
  expect(faultsOfCard(content)).toEqual([]);
  for (const element of elementsIn(content)) {
    // Teams renders Markdown in text blocks and facts, so these must not contain text from others.
    expect(element.type).not.toBe('FactSet');
    if (element.type === 'Image') expect(element.url).toMatch(/^(?:https:\/\/|data:image\/)/);
    if (element.type === 'Action.OpenUrl') expect(element.url).toMatch(/^https?:\/\//);
  }
  expect(wordsIn(content)).not.toMatch(/\{\{[A-Z]/);
  expect(ofType(content, 'TextBlock')).toEqual([]);
}
