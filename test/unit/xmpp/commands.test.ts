/** Forms of commands and results of archives belong to those who asked for them. */

import { expect, test } from 'vitest';
import { createArchive } from '../../../channels/xmpp/inbound/archive.ts';
import { Commands } from '../../../channels/xmpp/inbound/commands.ts';
import type { Sent } from '../../../channels/xmpp/inbound/sent.ts';
import { NS } from '../../../channels/xmpp/protocol.ts';
import type { Connection } from '../../../channels/xmpp/stream/connection.ts';
import { childOf, type Element, element, elementsOf } from '../../../channels/xmpp/stream/xml.ts';
import { type Intake, turnId } from '../../../src/kit.ts';
import { xmppHost } from '../../e2e/house/xmpp-host.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

const JID = 'parley@example.org';
const ROOM = 'field@rooms.example.org';
const [ANN, OTHER_ANN, BEN] = ['ann@example.org/phone', 'ann@example.org/desk', 'ben@example.org/phone'];
const TEN_MINUTES_MS = 10 * 60_000;

function running() {
  const clock = createVirtualClock();
  const taken: Intake[] = [];
  const intake = async (event: Intake) => {
    taken.push(event);
    return { kind: 'noted' } as const;
  };
  const reply = { turn: turnId('t1'), question: 'q', key: 'k', kind: 'direct' } as const;
  const sent = { lastBy: async () => reply } as Partial<Sent> as Sent;
  const commands = new Commands(
    { jid: () => JID },
    {
      ...{ rooms: { find: () => undefined }, members: ['example.org'], emails: false },
      ...{ host: xmppHost({ intake, clock }), sent, tenant: JID },
    },
  );
  const field = (name: string, value: string) =>
    element('field', NS.form, { var: name }, element('value', NS.form, {}, value));
  /** Resolves with the content of the response. */
  const send = async (from: string, id: string, sessionid?: string) => {
    const form = element('x', NS.form, { type: 'submit' }, field('verdict', 'up'));
    const command = element('command', NS.commands, { node: 'feedback', sessionid }, form);
    const response = await commands.answer(element('iq', NS.client, { id, from, type: 'set' }, command));
    const [content] = elementsOf(response);
    if (content === undefined) throw new Error('The command was not answered.');
    return content;
  };
  const open = async (from: string, id: string) => (await send(from, id)).attrs.sessionid ?? '';
  return { clock, taken, send, open };
}

const isRefused = ({ name }: Element): boolean => name === 'error';

test('a form is filled in once, by the client to which it was sent, within ten minutes', async () => {
  const { clock, taken, send, open } = running();
  const form = await open(ANN, 'i1');
  for (const other of [OTHER_ANN, BEN]) expect(isRefused(await send(other, 'i2', form))).toBe(true);
  expect(taken).toEqual([]);
  const done = await send(ANN, 'i2', form);
  expect(done.attrs.status).toBe('completed');
  // The server repeats a request after a cut connection.
  expect(await send(ANN, 'i2', form)).toBe(done);
  expect(isRefused(await send(ANN, 'i3', form))).toBe(true);
  expect(taken).toMatchObject([{ kind: 'feedback', verdict: 'up', by: { id: 'ann@example.org' } }]);
  const old = await open(ANN, 'i4');
  await clock.pass(TEN_MINUTES_MS + 1);
  expect(isRefused(await send(ANN, 'i5', old))).toBe(true);
  expect(taken).toHaveLength(1);
});

test('requests of two people with the same id are two requests', async () => {
  const { taken, send, open } = running();
  const [ann, ben] = [await open(ANN, 'i1'), await open(BEN, 'i1')];
  expect(ann).not.toBe(ben);
  await send(ANN, 'i2', ann);
  await send(BEN, 'i2', ben);
  expect(taken).toMatchObject([{ by: { id: 'ann@example.org' } }, { by: { id: 'ben@example.org' } }]);
});

/** Reads an archive. While the query runs, results arrive from these addresses. Returns those that count. */
async function readFrom(room: string | undefined, senders: readonly (string | undefined)[]) {
  let late: Element | undefined;
  const connection: Partial<Connection> = {
    jid: () => `${JID}/parley`,
    async request(_type, _to, content) {
      const { queryid } = content.attrs;
      const result = (from: string | undefined, id: string) => {
        const forwarded = element('forwarded', NS.forward, {}, element('message', NS.client));
        return element(
          'message',
          NS.client,
          { from },
          element('result', NS.archive, { queryid, id }, forwarded),
        );
      };
      for (const from of senders) expect(archive.take(result(from, `${from}`))).toBe(true);
      late = result(senders[0], 'late');
      return element('iq', NS.client, {}, element('fin', NS.archive, { complete: 'true' }));
    },
  };
  const archive = createArchive(connection as Connection);
  const found = await archive.read({ room, since: 0 }, new AbortController().signal);
  expect(late && childOf(late, 'result', NS.archive) && archive.take(late)).toBe(false);
  return found.map(({ id }) => id);
}

test('only the archive that was asked counts, and only while the query runs', async () => {
  expect(await readFrom(ROOM, [ROOM, JID, BEN, `${ROOM}/ben`, undefined])).toEqual([ROOM]);
  expect(await readFrom(undefined, [JID, undefined, ROOM, BEN, `${JID}/other`])).toEqual([JID, 'undefined']);
});
