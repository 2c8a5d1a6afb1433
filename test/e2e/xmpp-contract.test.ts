/**
 * Tests the writer of the XMPP channel on real servers with the suite that every channel's writer must pass. In rooms with
 * corrections, `test/conform/xmpp.test.ts` tests the same laws.
 */

import { xml } from '@xmpp/client';
import { afterAll, beforeAll } from 'vitest';
import { startXmpp } from '../../channels/xmpp/adapter.ts';
import { markdown } from '../../channels/xmpp/render/message.ts';
import { styled } from '../../channels/xmpp/render/styled.ts';
import { xmppSettings } from '../../channels/xmpp/settings.ts';
import { createEmitter, laneKey, mend } from '../../src/kit/ladder.ts';
import { isFinal, type ReplyDocument, type Turn, turnId } from '../../src/kit.ts';
import { channelContract } from '../contract/channel-contract.ts';
import { onServers } from '../fakes/xmpp/on-servers.ts';
import { connectPerson, roomOf } from '../fakes/xmpp/person.ts';
import { DOMAIN, PASSWORD, startServer, type XmppServer } from '../fakes/xmpp/servers.ts';
import { xmppHost } from './house/xmpp-host.ts';

/** Random stories per test. More would take minutes, because each look-up reads the archive of all stories. */
const STORIES = 6;
const ROOM = roomOf('contract');
const DISCO = 'http://jabber.org/protocol/disco#info';
const BRIDGE = `parley@${DOMAIN}`;

const emitter = createEmitter(markdown);

/** Removes white space, which may differ between and around messages. */
const bare = (text: string): string => text.replace(/\s+/g, '');

function expected(document: ReplyDocument, corrections: boolean, messages: number): string {
  const { text, sources } = document;
  const said = bare(styled(emitter.markdown(isFinal(document) ? text : mend(text))));
  const listed = sources.map(({ title }, at) => `${at + 1}.${bare(title)}`);
  const heading = listed.length > 0 ? 'Sources' : '';
  if (isFinal(document)) return [said, heading, ...listed].join('') || 'Theagentreturnednotext.';
  if (messages === 0 || !corrections) return '';
  return said || 'Thinking…';
}

const places = [
  ['in a room, without corrections', 'room', false],
  ['in a direct chat', 'direct', true],
] as const;

onServers((name) => {
  let server: XmppServer;
  beforeAll(async () => {
    server = await startServer(name, ['parley', 'ann'], { isUnlimited: true });
  });
  afterAll(() => server?.stop());
  for (const [where, kind, corrections] of places)
    channelContract(
      `XMPP ${where},`,
      async () => {
        const ann = await connectPerson(server.port, 'ann');
        await ann.join(ROOM);
        const settings = {
          jid: BRIDGE,
          password: PASSWORD,
          server: `127.0.0.1:${server.port}`,
          tls: 'none',
          rooms: [ROOM],
          corrections,
        };
        const host = xmppHost();
        const running = await startXmpp(xmppSettings({}).parse(settings), host);
        await ann.sees((each) => each.name === 'presence' && each.attrs.from === `${ROOM}/Parley`);
        const entered = ann.stanzas.findLast(({ attrs }) => attrs.from === `${ROOM}/Parley`);
        const bridge = entered?.getChild('x', 'http://jabber.org/protocol/muc#user')?.getChild('item')
          ?.attrs.jid;
        // Once the bridge answers this request, it knows that it is in the room.
        await ann.request(ROOM, 'get', xml('query', { xmlns: DISCO }));
        await ann.request(bridge, 'get', xml('query', { xmlns: DISCO }));
        let asked = 0;
        const room = kind === 'room' ? ROOM : ann.jid;
        return {
          async ask(): Promise<Turn> {
            asked += 1;
            const thread = { channel: 'xmpp', tenant: BRIDGE, room, key: `thread-${asked}`, kind };
            const sender = { id: ann.jid, name: 'ann', standing: 'member' } as const;
            const message = {
              id: `${asked}`,
              thread,
              sender,
              text: 'What?',
              quoted: [],
              files: [],
              sentAt: 0,
              revision: 0,
            };
            return {
              ...{ id: turnId(`turn-${asked}`), lane: laneKey(`${asked}`), message, keptAt: 0, attempt: 1 },
              ...{
                origin: { kind: 'message', key: `${asked}`, revision: 0 },
                phase: 'new',
                state: 'running',
              },
            };
          },
          writer: running.writer,
          async shown({ message: { thread } }) {
            const place = kind === 'room' ? ROOM : BRIDGE;
            // The response to a request comes after everything that its sender has sent before.
            await ann.request(kind === 'room' ? ROOM : bridge, 'get', xml('query', { xmlns: DISCO }));
            return ann
              .seen(place)
              .filter((each) => each.thread === thread.key && !each.isRetracted)
              .map(({ text }) => bare(text));
          },
          expected: (document, messages) => expected(document, corrections, messages),
          async close() {
            await running.stop();
            await ann.close();
          },
        };
      },
      STORIES,
    );
});
