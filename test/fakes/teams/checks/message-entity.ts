/**
 * Checks the root entity of an answer: AI label, sensitivity and citations.
 * https://learn.microsoft.com/microsoftteams/platform/bots/how-to/bot-messages-ai-generated-content, with its "Error handling".
 */

import { isJson, type Json, list, text } from '../read.ts';
import { badRequest } from '../refusal.ts';
import { faultsOfCard } from './card.ts';

export const MESSAGE_ENTITY = 'https://schema.org/Message';

const CITATIONS = 20;
const NAME = 80;
const ABSTRACT = 160;
const KEYWORDS = 3;
const KEYWORD = 28;
const CARD = 'application/vnd.microsoft.card.adaptive';

const icons = new Set(
  [
    'Microsoft Word, Microsoft Excel, Microsoft PowerPoint, Microsoft OneNote, Microsoft SharePoint, Microsoft Visio',
    'Microsoft Loop, Microsoft Whiteboard, Source Code, Sketch, Adobe Illustrator, Adobe Photoshop, Adobe InDesign',
    'Adobe Flash, Image, GIF, Video, Sound, ZIP, Text, PDF',
  ].flatMap((line) => line.split(', ')),
);

/** Returns the root entity, or undefined if there is none. Refuses a second root entity and an invalid one. */
export function rootEntity(activity: Json): Json | undefined {
  const [root, ...more] = list(activity, 'entities').filter(({ type }) => type === MESSAGE_ENTITY);
  if (more.length > 0) badRequest('Multiple root message entities found under `entities` array.');
  if (root === undefined) return undefined;
  if (!isRoot(root)) badRequest('Error parsing message entity from `entities` array.');
  checkUsage(root);
  return root;
}

const isRoot = (root: Json): boolean =>
  root['@type'] === 'Message' &&
  root['@context'] === 'https://schema.org' &&
  Object.keys(root).every((name) => ROOT.has(name)) &&
  (root.additionalType === undefined || isLabel(root.additionalType)) &&
  (root.citation === undefined || Array.isArray(root.citation)) &&
  (root.usageInfo === undefined || isUsage(root.usageInfo));

const ROOT = new Set(['type', '@type', '@context', '@id', 'additionalType', 'usageInfo', 'citation']);

const isLabel = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 1 && value[0] === 'AIGeneratedContent';

const isUsage = (value: unknown): boolean =>
  isJson(value) &&
  value['@type'] === 'CreativeWork' &&
  typeof value.name === 'string' &&
  value.name !== '' &&
  (value.description === undefined || typeof value.description === 'string');

/** A citation may only have the sensitivity of its message. */
function checkUsage(root: Json): void {
  const own = isJson(root.usageInfo) ? root.usageInfo['@id'] : undefined;
  for (const { appearance } of list(root, 'citation')) {
    const usage = isJson(appearance) ? appearance.usageInfo : undefined;
    if (usage === undefined) continue;
    if (!isUsage(usage) || (usage as Json)['@id'] === undefined || (usage as Json)['@id'] !== own)
      badRequest("Citation level `usageInfo.@id` value doesn't match the message level `usageInfo.@id`.");
  }
}

export function checkCitations(root: Json): void {
  const citations = Array.isArray(root.citation) ? (root.citation as unknown[]) : [];
  if (citations.length > CITATIONS) badRequest(`Bot message with more than ${CITATIONS} citations.`);
  const seen = new Set<unknown>();
  for (const [nth, citation] of citations.entries()) {
    const position = isJson(citation) ? citation.position : undefined;
    const { appearance } = isJson(citation) ? citation : {};
    if (isJson(appearance) && Object.keys(appearance).length === 0)
      badRequest('The `appearance` object is empty.');
    const fault = isJson(citation) ? citationFault(citation) : 'it is no object';
    const again = seen.has(position) ? 'its position is taken' : undefined;
    seen.add(position);
    const what = fault ?? again;
    if (what !== undefined)
      badRequest(`Error while parsing citation entity with ID: ${String(position ?? nth)} (${what}).`);
  }
}

function citationFault({ '@type': type, position, appearance }: Json): string | undefined {
  if (type !== 'Claim') return '@type must be Claim';
  if (!Number.isInteger(position) || Number(position) < 1) return 'position must be a whole number from 1';
  if (!isJson(appearance)) return 'appearance is missing';
  if (appearance['@type'] !== 'DigitalDocument') return 'appearance.@type must be DigitalDocument';
  return Object.entries(appearance)
    .map(([name, value]) => {
      const check = appearanceChecks[name];
      return check === undefined ? `appearance.${name} is not known` : check(value, appearance);
    })
    .concat(text(appearance, 'name') ? [] : ['appearance.name is missing'])
    .find((fault) => fault !== undefined);
}

type AppearanceCheck = (value: unknown, appearance: Json) => string | undefined;

const upTo =
  (name: string, most: number): AppearanceCheck =>
  (value) =>
    typeof value === 'string' && value.length <= most ? undefined : `${name} is longer than ${most}`;

const appearanceChecks: Readonly<Record<string, AppearanceCheck>> = {
  '@type': () => undefined,
  name: upTo('name', NAME),
  abstract: upTo('abstract', ABSTRACT),
  url: (value) =>
    typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value)
      ? undefined
      : 'url is no address',
  keywords: (value) =>
    Array.isArray(value) &&
    value.length <= KEYWORDS &&
    value.every((each) => typeof each === 'string' && each.length <= KEYWORD)
      ? undefined
      : `keywords are more than ${KEYWORDS}, or longer than ${KEYWORD}`,
  encodingFormat: (value) => (value === CARD ? undefined : `encodingFormat must be ${CARD}`),
  text: (value, { encodingFormat }) =>
    encodingFormat === CARD ? cardFault(value) : 'text needs its encodingFormat',
  image: (value) =>
    isJson(value) && value['@type'] === 'ImageObject' && icons.has(String(value.name))
      ? undefined
      : 'image is none of the icons',
  usageInfo: (value) => (isUsage(value) ? undefined : 'usageInfo is none'),
};

/** Checks a card that is given as JSON text: it must not contain buttons or inputs. */
function cardFault(value: unknown): string | undefined {
  try {
    const card: unknown = JSON.parse(String(value));
    if (/"type":"(Action|Input)\./.test(JSON.stringify(card)))
      return 'text is a card with something to press';
    return faultsOfCard(card)[0];
  } catch {
    return 'text is no card';
  }
}
