/** Tests what `parley doctor` finds on real servers. */

import { xml } from '@xmpp/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onServers } from '../fakes/xmpp/on-servers.ts';
import { connectPerson, roomOf, type XmppPerson } from '../fakes/xmpp/person.ts';
import { DOMAIN, startServer, type XmppServer } from '../fakes/xmpp/servers.ts';
import { answerTo, NICK, questionIn, startAdapter, turnFor, untilJoined } from './house/xmpp-adapter.ts';
import { examine } from './house/xmpp-doctor.ts';

const ROOM = roomOf('field');
const OWNER = 'http://jabber.org/protocol/muc#owner';

onServers((name) => {
  describe('with everything', () => {
    let server: XmppServer;
    let ann: XmppPerson;
    beforeAll(async () => {
      server = await startServer(name, ['parley', 'ann'], { isUnlimited: true, uploadBytes: 5_000_000 });
      ann = await connectPerson(server.port, 'ann');
      await ann.join(ROOM);
    });
    afterAll(async () => {
      await ann?.close();
      await server?.stop();
    });
    const at = (over: Readonly<Record<string, unknown>> = {}) =>
      examine({ server: `127.0.0.1:${server.port}`, rooms: [ROOM], ...over });

    test('everything is found, and a running bridge is not disturbed', async () => {
      const stage = await startAdapter({ port: server.port, rooms: [ROOM] });
      await untilJoined(ann, ROOM);
      expect(await at()).toEqual({
        'XMPP server': `good: 127.0.0.1:${server.port}`,
        'XMPP certificate': 'good: not checked, because the connection to this machine is not encrypted',
        'XMPP sign-in': expect.stringMatching(`good: as parley@${DOMAIN}, with SCRAM-SHA-`),
        'XMPP stream management': 'good: a session continues after its connection was cut',
        'XMPP archive': 'good: the server keeps direct messages',
        'XMPP uploads': `good: upload.${DOMAIN}, for files of up to 5,000,000 bytes`,
        [`XMPP room ${ROOM}`]: expect.stringContaining('good: joined; people are known by'),
      });
      expect(stage.running.isOnline()).toBe(true);
      const turn = turnFor(questionIn(ROOM, 'after'));
      expect(await stage.write(answerTo(turn, 'Still here.'), turn)).toBe('done');
      await ann.says(ROOM, `${NICK}: Are you still in this room with me?`);
      await expect.poll(() => stage.questions().length, { timeout: 5_000 }).toBe(1);
      await stage.running.stop();
    });

    test('a wrong password, a dead server and another domain are named with their cures', async () => {
      expect((await at({ password: 'wrong' }))['XMPP sign-in']).toMatch(/^FAULT: .*XMPP_PASSWORD/);
      expect((await at({ server: '127.0.0.1:1' }))['XMPP server']).toMatch(
        /^FAULT: 127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)\. .*xmpp\.server/,
      );
      expect(await at({ jid: 'parley@other.example' })).toMatchObject({
        'XMPP server': expect.stringMatching(/^FAULT: .*other\.example.*xmpp\.jid/),
      });
      expect((await at({ tls: 'starttls' }))['XMPP certificate']).toMatch(/^FAULT: .*no STARTTLS.*xmpp\.tls/);
    });

    test('a room that does not exist, or does not let the account in or speak, is named', async () => {
      const closed = roomOf('closed');
      await ann.join(closed);
      const set = (room: string, fields: Readonly<Record<string, string>>) => {
        const type = 'http://jabber.org/protocol/muc#roomconfig';
        const given = Object.entries({ FORM_TYPE: type, ...fields });
        const form = given.map(([field, value]) => xml('field', { var: field }, xml('value', {}, value)));
        const submit = xml('x', { xmlns: 'jabber:x:data', type: 'submit' }, ...form);
        return ann.request(room, 'set', xml('query', { xmlns: OWNER }, submit));
      };
      await set(closed, { 'muc#roomconfig_membersonly': '1' });
      const silent = roomOf('silent');
      await ann.join(silent);
      await set(silent, {
        'muc#roomconfig_moderatedroom': '1',
        members_by_default: '0',
      });
      const none = roomOf('none');
      const found = await at({ rooms: [closed, silent, none, 'room@elsewhere.invalid'] });
      expect(found[`XMPP room ${closed}`]).toMatch(/^FAULT: only members may enter/);
      expect(found[`XMPP room ${silent}`]).toMatch(/^FAULT: the account may read but not write/);
      expect(found[`XMPP room ${none}`]).toMatch(/^FAULT: the room does not exist/);
      expect(found['XMPP room room@elsewhere.invalid']).toMatch(/^FAULT: the room's server does not answer/);
      // Looking for a room must not create it.
      const info = xml('query', { xmlns: 'http://jabber.org/protocol/disco#info' });
      await expect(ann.request(none, 'get', info)).rejects.toMatchObject({ condition: 'item-not-found' });
    });
  });

  test('a server without uploads, archives and resumed sessions is reported with what is lost', async () => {
    const options = { isUnlimited: true, uploads: false, archives: false, resumes: false } as const;
    const server = await startServer(name, ['parley', 'ann'], options);
    const ann = await connectPerson(server.port, 'ann');
    await ann.join(ROOM);
    const found = await examine({ server: `127.0.0.1:${server.port}`, rooms: [ROOM] });
    expect(found).toMatchObject({
      'XMPP stream management': expect.stringMatching(/^FAULT: .*mod_smacks.*mod_stream_mgmt/),
      'XMPP archive': expect.stringMatching(/^FAULT: .*mod_mam/),
      'XMPP uploads': expect.stringMatching(/^FAULT: .*http_file_share.*mod_http_upload/),
      [`XMPP room ${ROOM}`]: expect.stringMatching(/^FAULT: .*no archive/),
    });
    await ann.close();
    await server.stop();
  });
});
