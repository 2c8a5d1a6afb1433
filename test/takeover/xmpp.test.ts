import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { xml } from '@xmpp/client';
import { afterAll, expect, test } from 'vitest';
import { xmppLine } from '../fakes/xmpp/entry.ts';
import { unless } from '../fakes/xmpp/on-servers.ts';
import { connectPerson, roomOf, type XmppPerson } from '../fakes/xmpp/person.ts';
import { DOMAIN, missing, PASSWORD, startServer, type XmppServer } from '../fakes/xmpp/servers.ts';
import { bothVersions, eventually, QUESTION, SLOW } from './versions.ts';

const ROOM = roomOf('field');
const FEEDBACK = { xmlns: 'urn:xmpp:reactions:0' };

unless(missing('prosody'), () => {
  let server: XmppServer;
  let ann: XmppPerson;
  let file = '';
  const settings = () => ({
    ...{ jid: `parley@${DOMAIN}`, password: PASSWORD, server: `127.0.0.1:${server.port}`, tls: 'none' },
    rooms: [ROOM],
  });
  const versions = bothVersions(
    async (data) => {
      server = await startServer('prosody', ['parley', 'ann'], { isUnlimited: true });
      ann = await connectPerson(server.port, 'ann');
      await ann.join(ROOM);
      file = join(data.path, 'parley.yaml');
      // Earlier versions contained XMPP.
      const module = join(process.env.PARLEY_BEFORE ?? '', 'channels/xmpp');
      const isPackage = existsSync(join(module, 'package.json'));
      const before = isPackage ? { channels: [{ module, settings: settings() }] } : { xmpp: settings() };
      await writeFile(file, JSON.stringify(before));
      return { PARLEY_CONFIG: file };
    },
    () => undefined,
  );
  afterAll(async () => {
    await ann?.close();
    await server?.stop();
  });
  /** Returns the messages of the bridge, without images. */
  const seen = () =>
    ann.seen(ROOM).filter(({ from, text }) => from === `${ROOM}/Parley` && !text.startsWith('http'));

  test('a killed reply ends in its message, and a finished one is known, after the change of the configuration', async () => {
    await eventually(() => ann.stanzas.some(({ attrs }) => attrs.from === `${ROOM}/Parley`)).toBe(true);
    await ann.says(ROOM, `Parley: knowledge: ${QUESTION}`);
    await eventually(() => seen()[0]?.text ?? '').toMatch(/^(?:\[1\]|1\.) /m);
    // In a thread of its own, so that it does not wait for the end of the first answer.
    await ann.says(ROOM, `Parley: ${SLOW}`, { thread: 'slow' });
    await eventually(() => seen()[1]?.text ?? '').toMatch(/tell me/);
    await writeFile(file, xmppLine(settings()));
    await versions.takeOver();
    await eventually(() => seen()[1]?.text ?? '').toMatch(/interrupted/);
    expect(seen()).toHaveLength(2);
    // The record of the earlier version says which reply a message shows, and what was the last one.
    const [finished] = seen();
    const reaction = xml('reactions', { ...FEEDBACK, id: finished?.stanzaId }, xml('reaction', {}, '👍'));
    await ann.send(xml('message', { to: ROOM, type: 'groupchat', id: 'rated' }, reaction));
    const reply = xml('reply', { xmlns: 'urn:xmpp:reply:0', id: finished?.stanzaId, to: `${ROOM}/Parley` });
    await ann.says(ROOM, 'regenerate', { extra: [reply] });
    await eventually(() => seen()[0]?.text ?? '').toMatch(/Version 2 of 2/);
    expect(seen()).toHaveLength(2);
  });
});
