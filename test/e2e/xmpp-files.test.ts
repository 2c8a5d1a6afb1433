/** Tests uploads and downloads of the XMPP channel on real servers. */

import { xml } from '@xmpp/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Running, startXmpp } from '../../channels/xmpp/adapter.ts';
import { xmppSettings } from '../../channels/xmpp/settings.ts';
import { agentName, laneKey } from '../../src/kit/ladder.ts';
import { type ReplyDocument, type Turn, turnId } from '../../src/kit.ts';
import { PNG } from '../fakes/pixel.ts';
import { unless } from '../fakes/xmpp/on-servers.ts';
import { connectPerson, roomOf, type XmppPerson } from '../fakes/xmpp/person.ts';
import {
  DOMAIN,
  missing,
  PASSWORD,
  type ServerName,
  startServer,
  type XmppServer,
} from '../fakes/xmpp/servers.ts';
import { xmppHost } from './house/xmpp-host.ts';

const ROOM = roomOf('files');
const BRIDGE = `parley@${DOMAIN}`;
const { signal } = new AbortController();

describe.each([
  ['prosody', true],
  ['prosody', false],
  ['ejabberd', true],
] satisfies readonly [ServerName, boolean][])('on %s, where uploads are allowed: %s', (name, uploads) =>
  unless(missing(name), () => {
    let server: XmppServer;
    let ann: XmppPerson;
    let running: Running;
    beforeAll(async () => {
      server = await startServer(name, ['parley', 'ann'], uploads ? {} : { uploads: false });
      ann = await connectPerson(server.port, 'ann');
      await ann.join(ROOM);
      const settings = {
        jid: BRIDGE,
        password: PASSWORD,
        server: `127.0.0.1:${server.port}`,
        tls: 'none',
        rooms: [ROOM],
      };
      const host = xmppHost({ openMedia: async () => ({ type: 'image/png', bytes: PNG }) });
      running = await startXmpp(xmppSettings({}).parse(settings), host);
      await ann.sees(({ name: kind, attrs }) => kind === 'presence' && attrs.from === `${ROOM}/Parley`);
    });
    afterAll(async () => {
      await running?.stop();
      await ann?.close();
      await server?.stop();
    });

    /** Writes the document as the bridge does, and returns the ids of the reply's messages. */
    async function write(document: ReplyDocument, turn: Turn) {
      const writer = running.writer(turn);
      let screen = writer.blank();
      for (let now = 1; ; now += 1) {
        const [move] = writer.next(screen, document, now);
        if (move === undefined) return screen;
        const outcome = await writer.perform(move, signal);
        if (outcome.kind === 'refused' && outcome.why === 'busy')
          await new Promise((resolve) => setTimeout(resolve, 100));
        screen = writer.after(screen, move, outcome, now);
        if (now > 50) throw new Error('The reply did not end.');
      }
    }

    const ask = (key: string): Turn => {
      const thread = { channel: 'xmpp', tenant: BRIDGE, room: ROOM, key, kind: 'room' } as const;
      const sender = { id: ann.jid, name: 'ann', standing: 'member' } as const;
      const message = {
        id: key,
        thread,
        sender,
        text: 'Draw!',
        quoted: [],
        files: [],
        sentAt: 0,
        revision: 0,
      };
      return {
        ...{ id: turnId(key), lane: laneKey(key), message, keptAt: 0, attempt: 1 },
        ...{ origin: { kind: 'message', key, revision: 0 }, phase: 'new', state: 'running' },
      };
    };

    const painted = (turn: Turn): ReplyDocument => ({
      ...{ turn: turn.id, agent: agentName('painter'), version: 1, state: 'done', rewrites: 0, retry: false },
      text: 'Here it is: ![a dot](https://foreign.example/dot.png)',
      ...{ steps: [], sources: [], suggestions: [], notices: [] },
      media: [
        {
          id: 'm1',
          kind: 'image',
          name: 'a dot',
          ref: { kind: 'url', url: 'https://foreign.example/dot.png' },
        },
      ],
    });

    const seen = (key: string) =>
      ann.seen(ROOM).filter(({ thread, isRetracted }) => thread === key && !isRetracted);

    test(
      uploads
        ? 'an image is uploaded and shown once, without its foreign address'
        : 'an answer ends without its image',
      async () => {
        const turn = ask('painting');
        const screen = await write(painted(turn), turn);
        expect(screen.finished).toBe(true);
        await expect.poll(() => seen('painting').length, { timeout: 5_000 }).toBe(uploads ? 2 : 1);
        const [answer, image] = seen('painting');
        expect(answer?.text).toContain('▣ a dot');
        expect(JSON.stringify(seen('painting'))).not.toContain('foreign.example');
        if (!uploads) return;
        expect(image?.url).toBe(image?.text);
        const loaded = await fetch(image?.url ?? '');
        expect(Buffer.from(await loaded.arrayBuffer())).toEqual(Buffer.from(PNG));
        const file = { id: image?.url ?? '', name: 'dot.png', type: '', bytes: 0 };
        expect(Buffer.from(await running.openFile(file, 1_000, signal))).toEqual(Buffer.from(PNG));
        await expect(running.openFile(file, 10, signal)).rejects.toMatchObject({
          code: 'image-refused',
          message: expect.stringContaining('larger than 10 bytes'),
        });
      },
    );

    test('a file elsewhere is not loaded (attack S06)', async () => {
      for (const id of [
        `http://127.0.0.1:${server.port}/`,
        'http://169.254.169.254/x',
        'file:///etc/passwd',
        'https://evil.example/x',
      ])
        await expect(running.openFile({ id, name: 'x', type: '', bytes: 0 }, 1_000, signal)).rejects.toThrow(
          /nowhere else|invalid/,
        );
    });

    test.runIf(uploads)('a withdrawn answer takes its image back too', async () => {
      const turn = ask('withdrawn');
      const writer = running.writer(turn);
      let screen = writer.resume(await write(painted(turn), turn));
      await expect.poll(() => seen('withdrawn').length).toBe(2);
      const withdrawn = { ...painted(turn), state: 'withdrawn', version: 2 } as const;
      for (let move = writer.next(screen, withdrawn, 9)[0]; move; move = writer.next(screen, withdrawn, 9)[0])
        screen = writer.after(screen, move, await writer.perform(move, signal), 9);
      await ann.request(ROOM, 'get', xml('query', { xmlns: 'http://jabber.org/protocol/disco#info' }));
      await expect.poll(() => seen('withdrawn')).toEqual([]);
    });
  }));
