/**
 * Tests the whole bridge: a channel goes down while answers are written. The answers are kept, and each is shown
 * exactly once when the channel is back. Other workspaces are not affected.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EngineName, engines, openEngine } from '../bench/engine.ts';
import type { Breach } from '../fakes/history/breach.ts';
import { openHouse } from '../fakes/history/house.ts';
import type { Asking } from '../fakes/history/platform.ts';
import { type Asked, openScene, type Scene, until } from '../fakes/history/scene.ts';
import { settled } from '../fakes/history/settled.ts';
import { openTeamsHouse } from '../fakes/history/teams-house.ts';
import { openTeamsScene, type TeamsAsked, type TeamsScene } from '../fakes/history/teams-scene.ts';
import { breachesOf } from './breaches.ts';

const RUN_MS = 240_000;
/**
 * Length of the outage, in milliseconds: longer than eight failed calls take. Without the watch for outages, a reply
 * would be given up after eight failures.
 */
const DOWN_MS = 36_000;
const LONG = { ms: 6_000, chars: 900 };
const SHORT = { ms: 500, chars: 900 };

/** What people and the operator saw of one outage. */
interface Played {
  /** The words that each question's thread shows in the end, by the id of its answer. */
  readonly words: ReadonlyMap<string, string>;
  readonly askings: readonly Asking[];
  /** What another workspace showed during the outage. */
  readonly elsewhere?: string;
  readonly breaches: readonly Breach[];
  readonly log: string;
}

const slackWords = (scene: Scene, asked: Asked) =>
  scene
    .replies(asked)
    .map(({ text, markdown = '' }) => (markdown === '' ? text : markdown))
    .join('');

const teamsWords = (scene: TeamsScene, asked: TeamsAsked) =>
  scene
    .replies(asked)
    .map(({ shown }) => shown.text)
    .join('');

type SlackFault = { readonly kind: 'refuse' } | { readonly kind: 'status'; readonly status: number };

/** Two workspaces of Slack, of which one has the fault. */
async function playSlack(
  fault: SlackFault,
  opened: AsyncDisposableStack,
  engine: EngineName = 'sqlite',
): Promise<Played> {
  const environment = await openEngine(opened, engine);
  const house = opened.adopt(await openHouse({ tenants: 2, environment }), (it) => it.close());
  const [hit, other] = [openScene(house, 0), openScene(house, 1)];
  const begun = [hit.ask(hit.room(), LONG), hit.ask(hit.person.dm(), LONG)];
  for (const asked of begun) await hit.begun(asked);
  const downAt = Date.now();
  const planted = house.slack.plant({ ...fault, team: hit.workspace.id, count: Number.POSITIVE_INFINITY });
  const all = [...begun, hit.ask(hit.room(), SHORT), hit.ask(hit.person.dm(), SHORT)];
  await pause(DOWN_MS);
  const apart = other.ask(other.room(), SHORT);
  await until('the other workspace is answered', () => slackWords(other, apart).includes('The end'), 20_000);
  const elsewhere = slackWords(other, apart);
  planted.remove();
  // Nothing can be shown during the outage, so its time is left out of every bound.
  const run = { ...house, excused: [{ at: downAt, until: Date.now() }] };
  await settled(run, 90_000);
  const words = new Map(all.map((asked) => [asked.id, slackWords(hit, asked)]));
  const { askings } = house.platform;
  return { words, askings, elsewhere, breaches: await breachesOf(run), log: house.life().log() };
}

async function playTeams(opened: AsyncDisposableStack): Promise<Played> {
  const house = opened.adopt(await openTeamsHouse(), (it) => it.close());
  const scene = openTeamsScene(house);
  const begun = scene.ask(scene.team.channel(), LONG);
  await scene.begun(begun);
  const fault = { kind: 'status', status: 500, count: Number.POSITIVE_INFINITY } as const;
  const downAt = Date.now();
  const planted = house.teams.plant({ ...fault, tenant: scene.tenant.id });
  const all = [begun, scene.ask(scene.team.channel(), SHORT)];
  await pause(DOWN_MS);
  planted.remove();
  const run = { ...house, excused: [{ at: downAt, until: Date.now() }] };
  await settled(run, 90_000);
  const words = new Map(all.map((asked) => [asked.id, teamsWords(scene, asked)]));
  const { askings } = house.platform;
  return { words, askings, breaches: await breachesOf(run), log: house.life().log() };
}

const ON_POSTGRES = 'Slack answers HTTP 503, with PostgreSQL';
const hasPostgres = engines.includes('postgres');

const opened = new AsyncDisposableStack();
const played = new Map<string, Played>();

beforeAll(async () => {
  const plays = {
    'Slack resets connections': playSlack({ kind: 'refuse' }, opened),
    'Slack answers HTTP 503': playSlack({ kind: 'status', status: 503 }, opened),
    'Teams answers HTTP 500': playTeams(opened),
    ...(hasPostgres && {
      [ON_POSTGRES]: playSlack({ kind: 'status', status: 503 }, opened, 'postgres'),
    }),
  };
  for (const [name, play] of Object.entries(plays)) played.set(name, await play);
}, RUN_MS);
afterAll(() => opened.disposeAsync(), RUN_MS);

const linesOf = (log: string, part: string) => log.split('\n').filter((line) => line.includes(part));

describe.each([
  'Slack resets connections',
  'Slack answers HTTP 503',
  'Teams answers HTTP 500',
  ...(hasPostgres ? [ON_POSTGRES] : []),
])('%s', (name) => {
  const outage = (): Played => {
    const found = played.get(name);
    if (found === undefined) throw new Error(`${name} was not played.`);
    return found;
  };

  test('every answer is asked once, and shown whole when the channel is back', () => {
    const { words, askings } = outage();
    for (const [id, shown] of words) {
      expect(shown).toContain(`The end of canary=${id}`);
      expect(askings.filter((asking) => asking.id === id)).toHaveLength(1);
    }
  });
  test('another workspace is answered during the outage', () =>
    expect(outage().elsewhere ?? 'The end').toContain('The end'));
  test('the history keeps the contract', () => expect(outage().breaches).toEqual([]));
  test('the log names the beginning and the end of the outage once', () => {
    const { log } = outage();
    expect(linesOf(log, 'the channel does not answer')).toHaveLength(1);
    expect(linesOf(log, 'the channel answers again')).toHaveLength(1);
  });
});
