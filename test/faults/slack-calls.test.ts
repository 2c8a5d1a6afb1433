/**
 * Tests failures of Slack: storms of 429, errors and silence, deleted messages, closed rooms, refused texts and blocks,
 * connections that break after the call took effect (F17 to F22, F28). All failures happen at the same time in one
 * bridge, each in its own workspace. The history of the whole run is checked.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { meanings } from '../../adapters/slack/api/errors.ts';
import { waitingWords } from '../../src/kit/words.ts';
import type { Breach } from '../fakes/history/breach.ts';
import { type House, openHouse } from '../fakes/history/house.ts';
import { type Asked, openScene, type Scene, until } from '../fakes/history/scene.ts';
import { settled } from '../fakes/history/settled.ts';
import { type Fault, visibleText } from '../fakes/slack/index.ts';
import { breachesOf } from './breaches.ts';

const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 2 ** 31);
/** Length of the storm in milliseconds. The contract's storm lasts 60 s and has the same shape. */
const STORM_MS = 6_000;
/** Pause between the starts of two plays, in milliseconds, because many concurrent questions would have to wait. */
const APART_MS = 150;
const RUN_MS = 300_000;

type Play = (scene: Scene) => Promise<readonly Asked[]>;

interface Played {
  readonly scene: Scene;
  readonly asked: readonly Asked[];
  readonly failed?: unknown;
}

/** The answer begins with its id, so that a message that shows only the beginning can be assigned to it. */
const GROWING = { ms: 3_000, everyMs: 100, chars: 1_200 };

/**
 * Asks one question with planted faults. The answer stays incomplete until each fault has hit, even on a busy
 * machine. A fault of `chat.stopStream` is not waited for, because a stream is stopped only when the answer
 * is complete.
 */
const one =
  (fault: Fault | readonly Fault[], saying: object = GROWING): Play =>
  async (scene) => {
    const room = scene.room();
    const faults = [fault].flat();
    for (const each of faults) scene.plant({ channel: room.id, ...each });
    const asked = scene.ask(room, { ...saying, held: true });
    const hit = () =>
      faults.every(({ method }, nth) => method === 'chat.stopStream' || scene.hits()[nth] !== 0);
    await until('the faults hit', hit).finally(() => house.platform.release(asked.id));
    return [asked];
  };

const NO_STREAMS: Fault = { kind: 'error', error: 'unknown_method', method: 'chat.startStream' };
const LONG = { chars: 16_000, ms: 3_000 };

/** Starts a reply, and runs `happens` once its first words are visible. */
const during =
  (happens: (scene: Scene, asked: Asked) => unknown, { edits = false, saying = {} } = {}): Play =>
  async (scene) => {
    if (edits) scene.plant(NO_STREAMS);
    const asked = scene.ask(scene.room(), { ms: 4_000, everyMs: 100, chars: 3_000, ...saying });
    await scene.begun(asked);
    await happens(scene, asked);
    return [asked];
  };

const takesAway = (scene: Scene, asked: Asked) => {
  for (const message of scene.replies(asked)) scene.person.deletes(message);
};

/**
 * Asks three questions in each room while calls fail with a probability of 0.3. The rooms are few, because
 * ending a stream may take several calls and Slack allows 20 a minute.
 */
const storm =
  (fault: Fault, rooms: number): Play =>
  async (scene) => {
    scene.plant({ method: 'chat.*', probability: 0.3, forMs: STORM_MS, ...fault });
    const all = Array.from({ length: rooms }, () => scene.room());
    return all.flatMap((room) => [1, 2, 3].map(() => scene.ask(room, { ms: 3_000, chars: 2_000 })));
  };

const each28 = ['chat.startStream', 'chat.appendStream', 'chat.stopStream'].map(
  (method): readonly [string, Play] => [`F28 reset after ${method}`, one({ kind: 'reset', method })],
);
const edited28 = ['chat.postMessage', 'chat.update'].map((method): readonly [string, Play] => [
  `F28 reset after ${method}`,
  one([NO_STREAMS, { kind: 'reset', method }]),
]);

const plays = new Map<string, Play>([
  ['F17 a storm of 429', storm({ kind: 'rate', retryAfter: 1 }, 2)],
  ['F18 a storm of 500', storm({ kind: 'status', status: 500 }, 2)],
  ['F18 a storm of resets', storm({ kind: 'reset' }, 2)],
  ['F18 no answer to a start', one({ kind: 'timeout', method: 'chat.startStream' })],
  ['F18 no answer to an append', one({ kind: 'timeout', method: 'chat.appendStream' })],
  ['F18 no answer to a stop', one({ kind: 'timeout', method: 'chat.stopStream' })],
  ['F18 no answer to a post', one([NO_STREAMS, { kind: 'timeout', method: 'chat.postMessage' }])],
  ['F18 no answer to an edit', one([NO_STREAMS, { kind: 'timeout', method: 'chat.update' }])],
  [
    'F18 no edit succeeds, the last included',
    one([
      { kind: 'status', status: 500, method: 'chat.appendStream', after: 1 },
      { kind: 'status', status: 500, method: 'chat.update', count: 1_000 },
    ]),
  ],
  ['F19 a stream is taken away', during(takesAway)],
  ['F19 an edited message is taken away', during(takesAway, { edits: true })],
  [
    'F20 the room is archived',
    during((_, { room }) => {
      room.archived = true;
    }),
  ],
  ['F20 the app is removed', during((scene, { room }) => room.members.delete(scene.workspace.botUser))],
  [
    'F20 the room is restricted',
    during(
      (_, { room }) => {
        room.restricted = 'restricted_action_read_only_channel';
      },
      { edits: true, saying: { ms: 6_000, chars: 14_000 } },
    ),
  ],
  [
    'F20 posting was never allowed',
    async (scene) => {
      const room = scene.room();
      room.restricted = 'restricted_action';
      return [scene.ask(room)];
    },
  ],
  ['F21 the token is revoked', during((scene) => scene.workspace.revoke(true))],
  [
    'F22 a post is too long',
    one([NO_STREAMS, { kind: 'error', error: 'msg_too_long', method: 'chat.postMessage' }]),
  ],
  [
    'F22 an edit is too long',
    one([NO_STREAMS, { kind: 'error', error: 'msg_too_long', method: 'chat.update' }]),
  ],
  ['F22 an append is too long', one({ kind: 'error', error: 'msg_too_long', method: 'chat.appendStream' })],
  [
    'F22 blocks are never taken',
    one([NO_STREAMS, { kind: 'error', error: 'invalid_blocks', method: 'chat.postMessage', count: 2 }], LONG),
  ],
  [
    'F22 blocks are never taken in edits',
    one([NO_STREAMS, { kind: 'error', error: 'invalid_blocks', method: 'chat.update', count: 2 }], LONG),
  ],
  [
    'F22 a message is too old for an edit',
    async (scene) => {
      scene.plant(NO_STREAMS);
      scene.workspace.state.editWindowMinutes = 0.02;
      return [scene.ask(scene.room(), { ms: 3_000, chars: 2_000 })];
    },
  ],
  ['F22 a long answer', one([], LONG)],
  ...each28,
  ...edited28,
]);

let house: House;
let breaches: readonly Breach[];
const played = new Map<string, Played>();

beforeAll(async () => {
  house = await openHouse({ tenants: plays.size, seed });
  await Promise.all(
    [...plays].map(async ([name, play], which) => {
      await pause(which * APART_MS);
      const scene = openScene(house, which);
      played.set(name, { scene, asked: [] });
      const asked = await play(scene).catch((failed: unknown) => failed);
      played.set(name, Array.isArray(asked) ? { scene, asked } : { scene, asked: [], failed: asked });
    }),
  );
  await settled(house, 120_000);
  breaches = await breachesOf(house, seed);
}, RUN_MS);
afterAll(() => house?.close(), RUN_MS);

const of = (name: string): Played => {
  const found = played.get(name);
  if (found === undefined) throw new Error(`${name} was not played`);
  return found;
};
const reply = (name: string): readonly string[] => {
  const { scene, asked } = of(name);
  return asked.flatMap((each) => scene.replies(each).map(visibleText));
};

test.each([...plays.keys()])('%s', (name) => {
  const { scene, asked, failed } = of(name);
  expect(failed).toBeUndefined();
  const rooms = asked.map(({ room }) => room.id);
  const team = scene.workspace.id;
  expect(
    breaches.filter(({ where }) => where.includes(team) || rooms.some((room) => where.includes(room))),
    `PARLEY_SEED=${seed}`,
  ).toEqual([]);
});

test.each(
  [...plays.keys()].filter((name) => /F17|F18|F22|F28/.test(name)),
)('%s: the planted faults take effect', (name) => {
  for (const hits of of(name).scene.hits()) expect(hits).toBeGreaterThan(0);
});

test('F17 a storm of refusals reduces edits but never ends a reply', () => {
  const { scene, asked } = of('F17 a storm of 429');
  const ended = asked.filter((each) =>
    scene.replies(each).some((message) => visibleText(message).includes(`The end of canary=${each.id}`)),
  );
  expect(ended).toHaveLength(6);
});

test('F18 a message that cannot be edited is posted again, once, and deleted', () => {
  expect(reply('F18 no edit succeeds, the last included')).toHaveLength(1);
});

/** Returns the calls that wrote in the room after it was closed, and the log lines about the room. */
const afterwards = (name: string) => {
  const { scene, asked } = of(name);
  const room = asked[0]?.room.id ?? '';
  const its = house.slack.log.calls.filter(
    ({ team, channel, method }) =>
      team === scene.workspace.id && channel === room && method.startsWith('chat.'),
  );
  const refused = its.findIndex(({ answer }) => meanings.get(String(answer?.error)) === 'closed');
  const wrote = its.slice(refused).filter(({ answer }) => answer?.ok === true);
  const lines = house.life().log().split('\n');
  return { refused, wrote, log: lines.filter((line) => line.includes(room)), scene, room };
};

test.each(
  [...plays.keys()].filter((name) => name.startsWith('F20')),
)('%s: no further message in the closed room, one direct message, one log line', (name) => {
  const { refused, wrote, log, scene, room } = afterwards(name);
  expect(refused).toBeGreaterThanOrEqual(0);
  expect(wrote).toEqual([]);
  expect(log.join()).toMatch(/Slack accepts no answers in this room/);
  const direct = house.slack
    .messages(scene.person.dm().id)
    .filter(({ app, text }) => app && text !== waitingWords(0));
  expect(direct.map(({ text }) => text)).toEqual([expect.stringContaining(`<#${room}>`)]);
});

test('F19 a deleted message causes no direct message', () => {
  for (const name of ['F19 a stream is taken away', 'F19 an edited message is taken away'])
    expect(house.slack.messages(of(name).scene.person.dm().id)).toEqual([]);
});

test('F21 a workspace whose token is revoked causes one log line and no more calls', () => {
  const { scene, asked } = of('F21 the token is revoked');
  const log = house
    .life()
    .log()
    .split('\n')
    .filter((line) => line.includes('"level":"error"'));
  expect(log.filter((line) => line.includes(scene.workspace.id))).toHaveLength(1);
  // Before the bridge gives the workspace up, it checks the token with auth.test.
  const refused = house.slack.log.calls.filter(
    ({ method, answer }) => method !== 'auth.test' && answer?.error === 'token_revoked',
  );
  expect(refused.length).toBeLessThanOrEqual(2);
  expect(asked).toHaveLength(1);
});

test(`the rest of the history keeps the contract, seed ${seed}`, () => {
  expect(breaches).toEqual([]);
});
