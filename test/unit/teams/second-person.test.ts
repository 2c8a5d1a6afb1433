/** What the channel stores about people, rooms and messages, compared with a naive model over random steps. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TeamsPlace } from '../../../adapters/teams/activity.ts';
import { createReplies } from '../../../adapters/teams/interactions/replies.ts';
import { createSharedRooms } from '../../../adapters/teams/interactions/shared-rooms.ts';
import { isFor, privateThread } from '../../../adapters/teams/private.ts';
import { createRequests, type Request } from '../../../adapters/teams/single-sign-on/requests.ts';
import { createBackground } from '../../../src/kit/background.ts';
import { turnId } from '../../../src/kit.ts';
import { quiet } from '../../fakes/quiet.ts';
import { turn as turnWith } from '../../fakes/samples.ts';
import { memoryKeyed } from '../slack/keyed.ts';

/** Ids of which some begin with others. */
const PEOPLE = ['29:a', '29:ab', '29:b'];
const ROOMS = ['19:r@thread.v2', '19:r@thread.v22', '19:q@thread.v2'];
const TENANTS = ['t1', 't12'];
const placeOf = (tenant: string, room: string): TeamsPlace => ({
  ...{ tenant, conversation: room, kind: 'group', serviceUrl: 'https://x', bot: '28:b' },
});

const STEP = fc.record({
  kind: fc.constantFrom('note', 'note', 'left', 'shown'),
  tenant: fc.constantFrom(...TENANTS),
  person: fc.constantFrom(...PEOPLE),
  room: fc.constantFrom(...ROOMS),
});

test('the rooms that are offered to a person, and the replies of messages', () =>
  fc.assert(
    fc.asyncProperty(fc.array(STEP, { maxLength: 14 }), async (steps) => {
      const state = memoryKeyed();
      const background = createBackground(quiet);
      const replies = createReplies(state, background);
      const shared = createSharedRooms(state, { room: async (tenant, room) => placeOf(tenant, room) });
      const model = new Map<string, readonly string[]>();
      const shown = new Map<string, string>();
      for (const [nth, { kind, tenant, person, room }] of steps.entries()) {
        const own = JSON.stringify([tenant, person]);
        const without = (key: string) => (model.get(key) ?? []).filter((each) => each !== room);
        if (kind === 'note') {
          await shared.note(placeOf(tenant, room), { id: person, isBot: false });
          model.set(own, [room, ...without(own)]);
        }
        if (kind === 'left') {
          await shared.left(tenant, room);
          for (const each of PEOPLE)
            model.set(JSON.stringify([tenant, each]), without(JSON.stringify([tenant, each])));
        }
        if (kind === 'shown') {
          const thread = { channel: 'teams', tenant, room, key: room, kind: 'group' } as const;
          const { message } = turnWith();
          const turn = turnWith({
            message: { ...message, thread, sender: { ...message.sender, id: person } },
          });
          const document = { turn: turnId(`turn ${nth}`) } as never;
          replies.messageShown(turn, { id: 'm1', begin: { at: 0, fresh: true }, document });
          shown.set(JSON.stringify([tenant, room]), `turn ${nth}`);
        }
        await background.settle();
      }
      for (const tenant of TENANTS) {
        for (const id of PEOPLE) {
          const offered = await shared.rooms(placeOf(tenant, 'elsewhere'), { id });
          const expected = model.get(JSON.stringify([tenant, id])) ?? [];
          expect(offered.map(({ conversation }) => conversation)).toEqual(expected);
        }
        for (const room of ROOMS) {
          const found = await replies.find(placeOf(tenant, room), 'm1');
          expect(found?.reply.turn).toBe(shown.get(JSON.stringify([tenant, room])));
          expect(await replies.find(placeOf(tenant, room), 'm12')).toBeUndefined();
        }
      }
    }),
    { numRuns: 60 },
  ));

const SIGN_IN = fc.record({
  kind: fc.constantFrom('open', 'close', 'card', 'drop'),
  tenant: fc.constantFrom(...TENANTS),
  person: fc.constantFrom(...PEOPLE),
  room: fc.constantFrom('a:1', 'a:12'),
  turn: fc.constantFrom('turn-1', 'turn-12'),
});

test('the sign-ins that are under way', () =>
  fc.assert(
    fc.asyncProperty(fc.array(SIGN_IN, { maxLength: 14 }), async (steps) => {
      const requests = createRequests(memoryKeyed());
      const waits = new Map<string, string | undefined>();
      const cards = new Map<string, readonly { turn: string; id: string }[]>();
      const issued: { signer: string; exchange: string; state: string }[] = [];
      for (const [nth, { kind, tenant, person, room, turn }] of steps.entries()) {
        const request: Request = { person, turn, thread: { tenant, room, key: room, kind: 'direct' } };
        const signer = { tenant, room, person };
        const key = JSON.stringify(signer);
        if (kind === 'open') {
          await requests.open(request);
          waits.set(key, turn);
          issued.push({ signer: key, ...(await requests.issue(request)) });
        }
        if (kind === 'close') await requests.close(request);
        if (kind === 'close' && waits.get(key) === turn) waits.delete(key);
        if (kind === 'card') await requests.addCard(request, `${nth}`);
        if (kind === 'card') cards.set(key, [...(cards.get(key) ?? []), { turn, id: `${nth}` }]);
        const [first] = cards.get(key) ?? [];
        if (kind === 'drop' && first !== undefined) await requests.dropCard(signer, first);
        if (kind === 'drop') cards.set(key, (cards.get(key) ?? []).slice(1));
      }
      const signers = TENANTS.flatMap((tenant) =>
        PEOPLE.flatMap((person) => ['a:1', 'a:12'].map((room) => ({ tenant, room, person }))),
      );
      for (const signer of signers) {
        const key = JSON.stringify(signer);
        expect(await requests.waiting(signer)).toBe(waits.get(key));
        expect(await requests.cards(signer)).toEqual(cards.get(key) ?? []);
        for (const { signer: own, exchange, state } of issued) {
          expect(await requests.exchange(signer, exchange)).toBe(own === key ? 'open' : undefined);
          if (own !== key) expect(await requests.takeState(signer, state)).toBeUndefined();
        }
      }
      for (const { signer, exchange, state } of issued) {
        const own = JSON.parse(signer);
        for (const [take, id] of [
          [requests.takeExchange, exchange],
          [requests.takeState, state],
        ] as const) {
          expect(await take(own, id)).toMatchObject({ person: own.person });
          expect(await take(own, id)).toBeUndefined();
        }
        expect(await requests.exchange(own, exchange)).toBe('taken');
      }
    }),
    { numRuns: 40 },
  ));

test('only its person may see a private thread', () => {
  const thread = { channel: 'teams', tenant: 't1', room: 'r', key: 'k', kind: 'room' } as const;
  for (const person of PEOPLE)
    expect(PEOPLE.filter((each) => isFor(each, privateThread(thread, person, 'act')))).toEqual([person]);
});
