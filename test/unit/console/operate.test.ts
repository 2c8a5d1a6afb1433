/** Tests who may use the operator's page, and what it sends. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TurnsView, TurnView } from '../../../adapters/console/operate-wire.ts';
import type { ConsoleState } from '../../../adapters/console/wire.ts';
import { freePort } from '../../bench/free-ports.ts';
import { Browser } from '../../fakes/oidc/browser.ts';
import { openProvider, type RealProvider } from '../../fakes/oidc/provider.ts';
import { openFilledStore, operating } from './operate-rig.ts';
import { base, openSignInRig, signIn, signInConfig } from './provider-rig.ts';
import { openRig, type Rig } from './rig.ts';

const PATHS = ['now', 'turns', 'failures', 'feedback', 'people', 'turns/1', 'export'];
const TURNS = 300;

describe("the operator's page", () => {
  let provider: RealProvider;
  let filled: Awaited<ReturnType<typeof openFilledStore>>;
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    provider = await openProvider(`http://127.0.0.1:${port}`);
    filled = await openFilledStore(TURNS);
  });
  afterAll(async () => {
    await provider.close();
    await filled.close();
  });

  const withRule = async (who: readonly string[], work: (rig: Rig, browser: Browser) => Promise<void>) => {
    const host = operating(filled.store, ...who);
    const rig = await openSignInRig(signInConfig(provider.issuer, port), { host });
    try {
      await work(rig, await signIn(rig, new Browser()));
    } finally {
      await rig.close();
    }
  };
  const statuses = (get: (path: string) => Promise<{ readonly status: number }>) =>
    Promise.all(PATHS.map(async (path) => (await get(`/console/operate/${path}`)).status));
  const refused = (status: number) => PATHS.map(() => status);

  it('is closed without a rule, and the console does not offer it', () =>
    withRule([], async (rig, browser) => {
      expect(await statuses((path) => browser.visit(base(rig) + path))).toEqual(refused(403));
      const state = JSON.parse((await browser.visit(`${base(rig)}/console/state`)).text) as ConsoleState;
      expect(state).not.toHaveProperty('operates');
      expect(rig.host.acts.filter(({ action }) => action === 'operate')).toEqual([]);
    }));

  it('is closed without a sign-in of the person, whatever the rules say', async () => {
    await withRule(['everyone'], async (rig) => {
      expect(await statuses((path) => fetch(base(rig) + path))).toEqual(refused(401));
    });
    const rig = await openRig({ host: operating(filled.store, 'everyone') });
    expect(await statuses(rig.call)).toEqual(refused(403));
    expect(await rig.get<ConsoleState>('/console/state')).not.toHaveProperty('operates');
    await rig.close();
  });

  it('answers with bounds, filters and pages, and records who looked', () =>
    withRule(['member'], async (rig, browser) => {
      const get = async <T>(path: string): Promise<T> =>
        JSON.parse((await browser.visit(`${base(rig)}/console/operate/${path}`)).text) as T;
      const all = await get<TurnsView>('turns?limit=1000000');
      expect([all.lines.length, all.limit]).toEqual([200, 200]);
      const rest = await get<TurnsView>(`turns?limit=1000000&after=${all.next}`);
      expect([rest.lines.length, rest.next]).toEqual([TURNS - 200, undefined]);
      const failed = await get<TurnsView>('turns?code=platform-down&limit=200');
      expect(new Set(failed.lines.map(({ code }) => code))).toEqual(new Set(['platform-down']));
      const one = await get<TurnView>(`turns/${encodeURIComponent('turn 60')}`);
      expect(one.line).toMatchObject({ turn: 'turn 60', state: 'failed', code: 'platform-down' });
      expect(one.entries).toMatchObject([{ name: 'kept' }]);
      const text = (await Promise.all(PATHS.map((path) => get<unknown>(path).catch(String)))).map((each) =>
        JSON.stringify(each),
      );
      expect(text.join()).not.toContain('secret');
      expect((await browser.visit(`${base(rig)}/console/operate/turns?limit=none`)).status).toBe(400);
      const acts = rig.host.acts.filter(({ action }) => action === 'operate').map(({ detail }) => detail);
      expect(acts.toSorted()).toEqual(['export jsonl', 'page']);
    }));

  it('exports the turns of the filters as CSV and as JSON lines', () =>
    withRule(['member'], async (rig, browser) => {
      const path = `${base(rig)}/console/operate/export?state=failed`;
      const csv = await browser.visit(`${path}&format=csv`);
      const [head, ...rows] = csv.text.trimEnd().split('\n');
      expect(head).toContain('"at","turn","action","state","code"');
      expect(rows).toHaveLength(TURNS / 20);
      const lines = (await browser.visit(path)).text.trimEnd().split('\n');
      expect(lines.map((line) => (JSON.parse(line) as { state: string }).state)).toEqual(
        rows.map(() => 'failed'),
      );
    }));
});
