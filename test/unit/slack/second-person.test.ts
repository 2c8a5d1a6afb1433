/** What Slack's channel stores about a person is that person's own, compared with a naive model over random steps. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOpenHomes } from '../../../adapters/slack/interactions/home.ts';
import { createPreferences } from '../../../adapters/slack/interactions/preferences.ts';
import { createPrivatePlaces, isFor, privateThread } from '../../../adapters/slack/private-places.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { memoryKeyed } from './keyed.ts';

/** Ids of which some begin with others. */
const TENANTS = ['T1', 'T12'];
const USERS = ['U1', 'U12', 'U2'];
const ROOMS = ['C1', 'C12'];
const STEP = fc.record({
  kind: fc.constantFrom('prefer', 'open', 'keep', 'wait'),
  tenant: fc.constantFrom(...TENANTS),
  user: fc.constantFrom(...USERS),
  room: fc.constantFrom(...ROOMS),
  value: fc.constantFrom('de', 'fr', 'en'),
});
/** Times for which a home is updated, and for which Slack accepts messages at a response URL. */
const OPEN_MS = 10 * 60_000;
const RESPONSE_MS = 30 * 60_000;

function channel() {
  const clock = createVirtualClock();
  const [state, secrets] = [memoryKeyed(new Map(), clock), memoryKeyed(new Map(), clock)];
  const asked: string[] = [];
  const workspaces = { ofTenant: async (tenant: string) => void asked.push(tenant) };
  const homes = createOpenHomes(workspaces, state, clock);
  const running: Promise<unknown>[] = [];
  const background = { run: (_: string, work: () => Promise<unknown>) => void running.push(work()) };
  const deps = { background, signal: AbortSignal.abort() } as never;
  /** True if the home of the person is updated after a turn. */
  const isShown = async (tenant: string, user: string): Promise<boolean> => {
    asked.length = 0;
    homes.changed(tenant, user, deps);
    await Promise.all(running.splice(0));
    return asked.length > 0;
  };
  return {
    clock,
    preferences: createPreferences(state),
    places: createPrivatePlaces(secrets),
    homes,
    isShown,
  };
}

test('preferences, open homes and private places belong to one person in one workspace', () =>
  fc.assert(
    fc.asyncProperty(fc.array(STEP, { maxLength: 12 }), async (steps) => {
      const { clock, preferences, places, homes, isShown } = channel();
      const model = new Map<string, string>();
      const opened = new Map<string, number>();
      const kept = new Map<string, { readonly url: string; readonly at: number }>();
      for (const { kind, tenant, user, room, value } of steps) {
        const key = JSON.stringify([tenant, user]);
        if (kind === 'wait') await clock.pass(OPEN_MS / 2);
        if (kind === 'open') await homes.opened({ tenant } as never, user);
        if (kind === 'open') opened.set(key, clock.now());
        if (kind === 'prefer') await preferences.set(tenant, user, { language: value });
        if (kind === 'prefer') model.set(key, value);
        const responseUrl = `https://slack.example/${value}`;
        if (kind === 'keep')
          await places.keep(privateThread(tenant, room, user, 'act'), { user, responseUrl });
        if (kind === 'keep')
          kept.set(JSON.stringify([tenant, user, room]), { url: responseUrl, at: clock.now() });
      }
      for (const tenant of TENANTS)
        for (const user of USERS) {
          const key = JSON.stringify([tenant, user]);
          expect((await preferences.of(tenant, user)).language).toBe(model.get(key));
          const since = clock.now() - (opened.get(key) ?? Number.NEGATIVE_INFINITY);
          expect(await isShown(tenant, user)).toBe(since < OPEN_MS);
          // Another turn of the person updates the home again.
          expect(await isShown(tenant, user)).toBe(since < OPEN_MS);
          for (const room of ROOMS) {
            const thread = privateThread(tenant, room, user, 'act');
            const { url, at = Number.NEGATIVE_INFINITY } =
              kept.get(JSON.stringify([tenant, user, room])) ?? {};
            const isKept = clock.now() - at < RESPONSE_MS;
            expect(await places.find(thread)).toEqual(isKept ? { user, responseUrl: url } : undefined);
            expect(USERS.filter((each) => isFor(each, thread))).toEqual([user]);
          }
        }
    }),
    { numRuns: 60 },
  ));
