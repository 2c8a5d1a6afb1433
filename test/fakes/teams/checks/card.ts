/**
 * Checks an Adaptive Card of a bot: version 1.5, and only known elements with known properties.
 * https://adaptivecards.io/explorer; limits of Teams: https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-reference
 */

import { isJson, type Json } from '../read.ts';
import { actions, card as cardShape, elements, type Held, parts, type Shape } from './card-shapes.ts';
import { objects, strings } from './card-values.ts';

/** Maximum buttons of a card: the "supported number of primary actions" on Microsoft's page "Cards reference". */
const MOST_BUTTONS = 6;
/** Maximum entries of `refresh.userIds` in Teams. */
const MOST_REFRESHED = 60;
const NEWEST = 1.5;
/**
 * Minimum version of a card with universal actions in Teams: "If you set the card version to less than 1.4 … your card
 * stops working".
 */
const UNIVERSAL = 1.4;

/** Returns the faults of a card; each is one line that begins with the path of the faulty element. */
export function faultsOfCard(card: unknown): readonly string[] {
  if (!isJson(card)) return ['card: must be an object'];
  if (card.type !== 'AdaptiveCard') return ['card: must be of type AdaptiveCard'];
  return [
    ...versionFaults(card),
    ...refreshFaults(card),
    ...shapeFaults(cardShape, card, 'card'),
    ...doubledIds(card),
  ];
}

function versionFaults(card: Json): readonly string[] {
  const { version } = card;
  const known = typeof version === 'string' && /^1\.\d$/.test(version) && Number(version) <= NEWEST;
  const universal = card.refresh !== undefined || JSON.stringify(card).includes('"Action.Execute"');
  if (known && universal && Number(version) < UNIVERSAL)
    return [`card.version: refresh and Action.Execute need ${UNIVERSAL}`];
  return known ? [] : [`card.version: ${String(version)} is none that Teams shows; the newest is ${NEWEST}`];
}

function refreshFaults({ refresh }: Json): readonly string[] {
  if (!isJson(refresh)) return [];
  const { action, userIds = [] } = refresh;
  const execute = isJson(action) && action.type === 'Action.Execute';
  const few = strings(userIds) === undefined && (userIds as string[]).length <= MOST_REFRESHED;
  return [
    ...(execute
      ? shapeFaults(actions['Action.Execute'], action, 'card.refresh.action')
      : ['card.refresh.action: must be Action.Execute']),
    ...(few ? [] : [`card.refresh.userIds: must be at most ${MOST_REFRESHED} ids`]),
  ];
}

function shapeFaults(shape: Shape | undefined, value: Json, at: string): readonly string[] {
  if (shape === undefined) return [`${at}: ${String(value.type)} is not known here`];
  const { needs, may, holds } = shape;
  const missing = needs
    .filter((name) => value[name] === undefined)
    .map((name) => `${at}.${name}: is missing`);
  const own = Object.entries(value).flatMap(([name, each]) => {
    if (name === 'type' || each === undefined) return [];
    const held = holds[name];
    if (held !== undefined) return heldFaults(held, each, `${at}.${name}`);
    const check = may[name];
    const fault = check === undefined ? 'is not known' : check(each);
    return fault === undefined ? [] : [`${at}.${name}: ${fault}`];
  });
  return [...missing, ...own, ...more(value, at)];
}

/**
 * Checks what the table of properties cannot express: equal numbers of cells in tables, and pairs in choices and facts.
 */
function more(value: Json, at: string): readonly string[] {
  if (value.type === 'Table') return tableFaults(value, at);
  if (value.type === 'Input.ChoiceSet') return pairFaults(value.choices, `${at}.choices`);
  return value.type === 'FactSet' ? pairFaults(value.facts, `${at}.facts`) : [];
}

function tableFaults({ columns, rows }: Json, at: string): readonly string[] {
  const count = objects(columns).length;
  if (count === 0) return [`${at}.columns: must be a list with something in it`];
  return objects(rows).flatMap((row, nth) =>
    objects(row.cells).length === count
      ? []
      : [`${at}.rows[${nth}].cells: must be ${count} as there are columns`],
  );
}

function pairFaults(value: unknown, at: string): readonly string[] {
  if (!Array.isArray(value)) return [`${at}: must be a list`];
  return value.flatMap((each: unknown, nth) =>
    isJson(each) && typeof each.title === 'string' && typeof each.value === 'string'
      ? []
      : [`${at}[${nth}]: needs a title and a value`],
  );
}

function heldFaults(held: Held, value: unknown, at: string): readonly string[] {
  if (held === 'one action') return one(value, at, (each) => actionFaults(each, at));
  if (held === 'card') return one(value, at, (each) => shapeFaults({ ...cardShape, needs: [] }, each, at));
  if (!Array.isArray(value)) return [`${at}: must be a list`];
  const tooMany =
    held === 'actions' && objects(value).filter(({ mode }) => mode !== 'secondary').length > MOST_BUTTONS
      ? [`${at}: more than ${MOST_BUTTONS} buttons`]
      : [];
  return [...tooMany, ...value.flatMap((each: unknown, nth) => itemFaults(held, each, `${at}[${nth}]`))];
}

const one = (value: unknown, at: string, check: (each: Json) => readonly string[]): readonly string[] =>
  isJson(value) ? check(value) : [`${at}: must be an object`];

/** Default type of a list item that does not name its own type. */
const usual: Partial<Record<Held, string>> = {
  columns: 'Column',
  rows: 'TableRow',
  cells: 'TableCell',
  inlines: 'TextRun',
};

function itemFaults(held: Held, value: unknown, at: string): readonly string[] {
  if (held === 'inlines' && typeof value === 'string') return [];
  if (!isJson(value)) return [`${at}: must be an object`];
  if (held === 'actions') return actionFaults(value, at);
  const only = usual[held] ?? (held === 'images' ? 'Image' : undefined);
  if (only === undefined) return shapeFaults(elements[String(value.type)], value, at);
  if ((value.type ?? usual[held]) !== only) return [`${at}: must be of type ${only}`];
  return shapeFaults(parts[only] ?? elements[only], value, at);
}

function actionFaults(value: Json, at: string): readonly string[] {
  const own = shapeFaults(actions[String(value.type)], value, at);
  const named = value.title === undefined && value.iconUrl === undefined && /actions\[\d+\]$/.test(at);
  return named ? [...own, `${at}.title: is missing`] : own;
}

/** Returns repeated ids; ids must be unique in a card, including the cards that open inside it. */
function doubledIds(card: Json): readonly string[] {
  const ids = idsIn(card);
  return ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `card: two things have the id ${id}`);
}

/** Returns the ids in a card. Skips `data`, which belongs to the app, so that an `id` in it does not count. */
function idsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(idsIn);
  if (!isJson(value)) return [];
  const inside = Object.entries(value).flatMap(([name, each]) =>
    name === 'data' || name === 'msteams' ? [] : idsIn(each),
  );
  return typeof value.id === 'string' && typeof value.type === 'string' ? [value.id, ...inside] : inside;
}
