/**
 * Tests an outage of the platform under a load of questions, with the whole bridge: in Slack, with SQLite and with
 * PostgreSQL, and in Teams. People are told that their questions are kept, the questions survive a restart of the
 * bridge, and only a limited number of them is answered at a time.
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { words } from '../../src/core/words.ts';
import { engines, openEngine } from '../bench/engine.ts';
import type { Breach } from '../fakes/history/breach.ts';
import { type House, openHouse } from '../fakes/history/house.ts';
import type { Asking } from '../fakes/history/platform.ts';
import { questionOf } from '../fakes/history/saying.ts';
import { type Asked, nextId, openScene, type Scene, until } from '../fakes/history/scene.ts';
import { settled } from '../fakes/history/settled.ts';
import { openTeamsHouse, type TeamsHouse } from '../fakes/history/teams-house.ts';
import { openTeamsScene, type TeamsAsked, type TeamsScene } from '../fakes/history/teams-scene.ts';
import { waitFor } from '../fakes/wait-for.ts';
import { breachesOf } from './breaches.ts';

const RUN_MS = 240_000;
const AT_ONCE = 3;
const OUTAGE = `{ resumeAtOnce: ${AT_ONCE} }`;
const NOTICE = words.platformDown;
const SHORT = { ms: 400, chars: 300 };
/**
 * Maximum time until a notice says that the first failed question is kept, in milliseconds. Before that, the bridge
 * asks three times, and probes the platform twice, a second apart.
 */
const FIRST_MS = 10_000;

/** Returns the largest number of answers that the platform gave at the same time since `since`. */
function mostAtOnce(askings: readonly Asking[], since: number): number {
  const later = askings.filter(({ at }) => at >= since);
  return Math.max(
    ...later.map(
      ({ at }) =>
        later.filter((other) => other.at <= at && (other.endedAt ?? Number.POSITIVE_INFINITY) > at).length,
    ),
  );
}

const linesOf = (log: string, part: string) => log.split('\n').filter((line) => line.includes(part));

/** Reads a metric of the bridge by the beginning of its line. */
async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(name)) ?? '';
  return Number(line.split(' ').at(-1));
}

const isReady = async (url: string) => (await fetch(`${url}/readyz`)).status;

describe.concurrent.each(engines)('Slack, %s', (engine) => {
  const opened = new AsyncDisposableStack();
  let house: House;
  let scene: Scene;
  let quiet: ReturnType<Scene['room']>;
  let asked: readonly Asked[];
  let marked: { readonly stopped: Asked; readonly edited: Asked; readonly deleted: Asked };
  let breaches: readonly Breach[];
  let backAt: number;
  let log = '';
  let readiness: number;

  const editedId = nextId();
  const privateId = nextId();
  /**
   * False for a breach about the question of the slash command. The checker does not know slash commands, so it reports
   * that the agent was asked without a question.
   */
  const isBreach = ({ where }: Breach) => where !== privateId;
  const toldInPrivate = () =>
    house.slack
      .messages(quiet.id)
      .filter(({ onlyFor }) => onlyFor === scene.person.id)
      .map(({ text }) => text)
      .join('');
  const textsOf = (each: Asked) => scene.replies(each).map(({ text, markdown = '' }) => text + markdown);
  const isKept = (each: Asked) => textsOf(each).some((text) => text.includes(NOTICE));

  beforeAll(async () => {
    const environment = await openEngine(opened, engine);
    house = opened.adopt(await openHouse({ outage: OUTAGE, environment }), (it) => it.close());
    scene = openScene(house, 0);
    quiet = scene.room();
    house.platform.setUp(false);
    const first = scene.ask(scene.room(), SHORT);
    await until('the first question is kept', () => isKept(first), FIRST_MS);
    const thread = { thread: first.message.ts };
    const second = scene.ask(first.room, SHORT, thread);
    const direct = scene.ask(scene.person.dm(), SHORT);
    const others = Array.from({ length: 12 }, () => scene.ask(scene.room(), SHORT));
    const [stopped, edited, deleted] = [scene.room(), scene.room(), scene.room()].map((room) =>
      scene.ask(room, SHORT),
    );
    if (!stopped || !edited || !deleted) throw new Error('not asked');
    marked = { stopped, edited, deleted };
    const waiting = [direct, ...others, stopped, edited, deleted];
    await until('all questions are kept', () => waiting.every(isKept), 5_000);
    scene.person.types(quiet, `/ask ${questionOf({ id: privateId, everyMs: 50, ...SHORT })}`);
    await until('a private question is kept', () => toldInPrivate().includes(NOTICE), 5_000);
    // The bridge postpones a turn a moment after it shows the notice.
    await waitFor(async () => expect(await metric(house.url, 'parley_turns{state="postponed"}')).toBe(18));
    // The platforms are checked once a second, and only a check sets the gauge and logs the outage.
    await waitFor(async () => expect(await metric(house.url, 'parley_platform_up')).toBe(0));
    const before = house.life();
    await before.stop();
    log = before.log();
    await house.start();
    readiness = await isReady(house.url);
    scene.person.says(stopped.room, 'stop', { thread: stopped.message.ts });
    scene.person.deletes(deleted.message);
    scene.person.edits(
      edited.message,
      `<@${scene.workspace.botUser}> ${questionOf({ id: editedId, everyMs: 50, ...SHORT })}`,
    );
    await until('the stopped question has ended', () =>
      textsOf(stopped).some((text) => text.includes('Stopped')),
    );
    await until('the deleted question has no reply', () => scene.replies(deleted).length === 0);
    backAt = Date.now();
    house.platform.setUp(true);
    asked = [first, second, direct, ...others];
    await settled(house, 120_000, isBreach);
    log += house.life().log();
    breaches = await breachesOf(house, 0, isBreach);
  }, RUN_MS);
  afterAll(() => opened.disposeAsync(), RUN_MS);

  test('every question that waited is answered once', () => {
    for (const each of [...asked, { ...marked.edited, id: editedId }]) {
      expect(textsOf(each).join('')).toContain(`canary=${each.id}`);
      expect(textsOf(each).join('')).not.toContain(NOTICE);
      expect(house.platform.askings.filter(({ id }) => id === each.id)).toHaveLength(1);
    }
  });
  test('a private question says in a note that it is kept, and is answered', () => {
    expect(toldInPrivate()).toContain(`canary=${privateId}`);
  });
  test('a question that was stopped or deleted while it waited is not asked', () => {
    const ids = house.platform.askings.map(({ id }) => id);
    expect(ids).not.toContain(marked.stopped.id);
    expect(ids).not.toContain(marked.deleted.id);
    expect(ids).not.toContain(marked.edited.id);
  });
  test('after the outage, at most three answers run at once', () => {
    expect(mostAtOnce(house.platform.askings, backAt)).toBeLessThanOrEqual(AT_ONCE);
  });
  test('the history keeps the contract', () => {
    expect(breaches).toEqual([]);
  });
  test('the bridge stays ready, and metrics and log show the outage', () => {
    expect(readiness).toBe(200);
    // Each of the two processes logs once that the platform is down. The second process logs that it is back.
    expect(linesOf(log, 'the agent platform is down')).toHaveLength(2);
    expect(linesOf(log, 'the agent platform answers again')).toHaveLength(1);
    expect(linesOf(log, 'the agent platform answers again')[0]).toMatch(/"downMs":\d+.*"waiting":\d+/);
  });
});

describe.concurrent('Teams', () => {
  let house: TeamsHouse;
  let scene: TeamsScene;
  let asked: readonly TeamsAsked[];
  let stopped: TeamsAsked;
  let deleted: TeamsAsked;
  let breaches: readonly Breach[];
  let backAt: number;

  const textsOf = (each: TeamsAsked) => scene.replies(each).map(({ shown }) => shown.text);
  const isKept = (each: TeamsAsked) => textsOf(each).some((text) => text.includes(NOTICE));

  beforeAll(async () => {
    house = await openTeamsHouse({ outage: OUTAGE });
    scene = openTeamsScene(house);
    const channel = () => scene.team.channel();
    house.platform.setUp(false);
    const first = scene.ask(scene.person.dm(), SHORT);
    await until('the first question is kept', () => isKept(first), FIRST_MS);
    const others = Array.from({ length: 8 }, () => scene.ask(channel(), SHORT));
    stopped = scene.ask(channel(), SHORT);
    deleted = scene.ask(channel(), SHORT);
    await until('all questions are kept', () => [...others, stopped, deleted].every(isKept), 5_000);
    await house.life().stop();
    await house.start();
    await scene.person.mentions(stopped.room, 'stop', { thread: stopped.message.id }).delivery?.done;
    await scene.person.deletes(deleted.message)?.done;
    await until('the stopped question has ended', () =>
      textsOf(stopped).some((text) => text.includes('Stopped')),
    );
    await until('the deleted question has no reply', () => scene.replies(deleted).length === 0);
    backAt = Date.now();
    house.platform.setUp(true);
    asked = [first, ...others];
    await settled(house, 120_000);
    breaches = await breachesOf(house);
  }, RUN_MS);
  afterAll(() => house?.close(), RUN_MS);

  test('every question that waited is answered once, in the message that said that it waits', () => {
    for (const each of asked) {
      expect(textsOf(each).join('')).toContain(`canary=${each.id}`);
      expect(textsOf(each).join('')).not.toContain(NOTICE);
      expect(house.platform.askings.filter(({ id }) => id === each.id)).toHaveLength(1);
    }
  });
  test('a question that was stopped or deleted while it waited is not asked', () => {
    const ids = house.platform.askings.map(({ id }) => id);
    expect(ids).not.toContain(stopped.id);
    expect(ids).not.toContain(deleted.id);
  });
  test('after the outage, at most three answers run at once', () => {
    expect(mostAtOnce(house.platform.askings, backAt)).toBeLessThanOrEqual(AT_ONCE);
  });
  test('the history keeps the contract', () => expect(breaches).toEqual([]));
});
