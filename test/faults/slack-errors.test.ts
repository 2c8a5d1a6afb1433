/**
 * Tests every error that Slack documents for the calls of a reply, through the whole bridge: the answer is shown
 * completely, or the bridge makes no more calls in a room where nothing can be shown.
 */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { meaningOf } from '../../adapters/slack/api/errors.ts';
import { type Breach, check } from '../fakes/history/check.ts';
import { recordOf } from '../fakes/history/history.ts';
import { type House, openHouse } from '../fakes/history/house.ts';
import { type Asked, openScene, type Scene } from '../fakes/history/scene.ts';
import { settled } from '../fakes/history/settled.ts';
import { documentedErrors } from '../unit/slack/api/documented-errors.ts';

const METHODS = [
  'chat.startStream',
  'chat.appendStream',
  'chat.stopStream',
  'chat.postMessage',
  'chat.update',
] as const;
type Method = (typeof METHODS)[number];

/** Maximum number of replies in one workspace. Its rate limits allow this many replies to start at once. */
const TOGETHER = 10;
const RUN_MS = 180_000;

interface Case {
  readonly method: Method;
  readonly error: string;
  scene?: Scene;
  asked?: Asked;
}

const isOff = ({ method, error }: Case): boolean => meaningOf(method, error) === 'off';
/**
 * True for an error that affects the whole workspace: the app is no longer installed there, the workspace does not have
 * the method, or there were too many calls.
 */
const ofAll = ({ method, error }: Case): boolean =>
  ['off', 'unsupported', 'rate'].includes(meaningOf(method, error));
const byStream = ({ method }: Case): boolean => method.endsWith('Stream');

const cases: readonly Case[] = METHODS.flatMap((method) =>
  [...new Set(documentedErrors[method] ?? [])].map((error): Case => ({ method, error })),
);

/** Groups the cases by workspace. Each error that affects the whole workspace gets its own workspace. */
function groups(): readonly (readonly Case[])[] {
  const alone = cases.filter(ofAll).map((each) => [each]);
  const together = [true, false].flatMap((streams) => {
    const all = cases.filter((each) => !ofAll(each) && byStream(each) === streams);
    return Array.from({ length: Math.ceil(all.length / TOGETHER) }, (_, nth) =>
      all.slice(nth * TOGETHER, (nth + 1) * TOGETHER),
    );
  });
  return [...together, ...alone];
}

let house: House;
let breaches: readonly Breach[];

function play(group: readonly Case[], which: number): void {
  const scene = openScene(house, which);
  for (const each of group) {
    const { method, error } = each;
    const room = scene.room();
    if (!byStream(each))
      scene.plant({ kind: 'error', error: 'unknown_method', method: 'chat.startStream', channel: room.id });
    scene.plant({ kind: 'error', error, method, channel: room.id });
    each.scene = scene;
    each.asked = scene.ask(room, { ms: 1_500, chars: 1_500 });
  }
}

const SHOWS = new Set<string>(METHODS);
const callsOf = ({ asked }: Case) =>
  house.slack.log.calls.filter(({ channel, method }) => channel === asked?.room.id && SHOWS.has(method));
const breachesOf = ({ asked }: Case) =>
  breaches
    .filter(({ where }) => where.includes(`${asked?.room.id}/`))
    .map(({ rule, what }) => `${rule}: ${what}`);

/**
 * True if the error closes the room or the workspace to the app. No further call is made there. In all other cases, the
 * answer must become complete.
 */
const isClosed = (each: Case): boolean =>
  ['closed', 'threadless', 'off'].includes(meaningOf(each.method, each.error));

beforeAll(async () => {
  const all = groups();
  house = await openHouse({ tenants: all.length });
  all.forEach(play);
  const open = new Set(cases.filter((each) => !isClosed(each)).map(({ asked }) => asked?.room.id));
  await settled(house, 120_000, ({ where }) => open.has(where.split(/[ /]/)[1]));
  breaches = check(recordOf(house));
}, RUN_MS);
afterAll(() => house?.close(), RUN_MS);

test.each(cases.filter((each) => !isClosed(each)))('$method $error: the answer is complete', (each) => {
  expect(callsOf(each).filter(({ answer }) => answer?.error === each.error)).toHaveLength(1);
  expect(breachesOf(each)).toEqual([]);
});

test.each(cases.filter(isClosed))('$method $error: no more calls follow the refusal', (each) => {
  const calls = callsOf(each);
  const refused = calls.findIndex(({ answer }) => answer?.error === each.error);
  expect(refused).toBeGreaterThanOrEqual(0);
  expect(calls.slice(refused + 1)).toEqual([]);
  expect(breachesOf(each).filter((breach) => !/^(?:terminal|text|thinking)/.test(breach))).toEqual([]);
  const log = house.life().log();
  if (isOff(each))
    expect(log).toMatch(new RegExp(`"level":"error".*${each.scene?.workspace.id}.*refuses the token`));
});

test('the rest of the history keeps the contract', () => {
  const rooms = new Set(cases.map(({ asked }) => asked?.room.id));
  expect(breaches.filter(({ where }) => !rooms.has(where.split(/[ /]/)[1]))).toEqual([]);
});
