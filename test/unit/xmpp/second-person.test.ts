/** What the channel remembers of questions and answers, compared with a naive model over random steps. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSent } from '../../../channels/xmpp/inbound/sent.ts';
import { createBackground } from '../../../src/kit/background.ts';
import { type ThreadRef, turnId } from '../../../src/kit.ts';
import { quiet } from '../../fakes/quiet.ts';
import { turn as turnWith } from '../../fakes/samples.ts';
import { memoryKeyed } from '../slack/keyed.ts';

/** Addresses of which some begin with others. */
const PEOPLE = ['ann@example.org', 'ann@example.org.test', 'joann@example.org'];
const ROOMS = ['one@rooms.example.org', 'one@rooms.example.org.test'];
const IDS = ['m1', 'm12'];
const STEP = fc.record({
  kind: fc.constantFrom('asked', 'shown', 'confirmed', 'forgotten'),
  by: fc.constantFrom(...PEOPLE),
  place: fc.constantFrom('direct', ...ROOMS),
  id: fc.constantFrom(...IDS),
});
const tenant = 'parley@example.org';

function threadAt(place: string, by: string): ThreadRef {
  const isDirect = place === 'direct';
  return {
    channel: 'xmpp',
    tenant,
    room: isDirect ? by : place,
    key: `of ${by}`,
    kind: isDirect ? 'direct' : 'room',
  };
}

test('a person, a room and a message have their own question and their own last answer', () =>
  fc.assert(
    fc.asyncProperty(fc.array(STEP, { maxLength: 12 }), async (steps) => {
      const state = memoryKeyed();
      const background = createBackground(quiet);
      const sentOf = () => createSent(state, background, tenant);
      const first = sentOf();
      const model = new Map<string, string>();
      const note = (what: readonly string[], value: string) => model.set(JSON.stringify(what), value);
      for (const [nth, { kind, by, place, id }] of steps.entries()) {
        const thread = threadAt(place, by);
        const { room } = thread;
        const message = {
          ...turnWith().message,
          id: `${by}/${id}`,
          thread,
          sender: { ...turnWith().message.sender, id: by },
        };
        const value = `turn ${nth}`;
        if (kind === 'forgotten') first.forget(by);
        if (kind === 'asked') {
          await first.asked(message, { from: value, id: `stanza ${id}` }, undefined);
          note(['from', room, by, id], value);
          if (thread.kind === 'room') note(['by', room, `stanza ${id}`], value);
        }
        if (kind === 'confirmed') {
          first.confirmed(thread, id, value);
          note(['stanza', room, id], value);
        }
        if (kind === 'shown') {
          const shown = { ...turnWith({ message }), id: turnId(value) };
          first.messageShown(shown, {
            id,
            begin: { at: 0, fresh: true },
            document: { turn: value } as never,
          });
          for (const key of [
            ['last', room, thread.key],
            ['own', room, by],
            ['reply', room, id],
          ])
            note(key, value);
        }
        await background.settle();
      }
      // The process itself, and one that takes over.
      for (const sent of [first, sentOf()])
        for (const by of PEOPLE)
          for (const place of ['direct', ...ROOMS]) {
            const { room, key } = threadAt(place, by);
            const known = (...what: readonly string[]) =>
              model.get(JSON.stringify([what[0], room, ...what.slice(1)]));
            expect((await sent.lastBy(room, by))?.turn).toBe(known('own', by));
            expect((await sent.lastIn({ room, key }))?.turn).toBe(known('last', key));
            for (const id of IDS) {
              expect((await sent.questionFrom(room, by, id))?.from).toBe(known('from', by, id));
              expect((await sent.questionBy(room, `stanza ${id}`))?.from).toBe(known('by', `stanza ${id}`));
              expect(await sent.stanzaIdOf({ room } as ThreadRef, id)).toBe(known('stanza', id));
              const stanza = known('stanza', id);
              if (stanza === undefined) expect((await sent.replyBy(room, id))?.turn).toBe(known('reply', id));
            }
          }
    }),
    { numRuns: 60 },
  ));
