/**
 * Takes pictures of an answer in Converse, a client of other authors, on a real prosody:
 * `npm install --prefix test/pictures/converse --no-save && node test/pictures/xmpp.ts growing.png done.png commands.png`. The
 * answer grows in one message, and names a source; its image follows as a message of its own. The last picture shows the
 * bridge's commands (XEP-0050) in the settings of Converse, with the form for a rating.
 */

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { startXmpp } from '../../channels/xmpp/adapter.ts';
import { xmppSettings } from '../../channels/xmpp/settings.ts';
import { agentName, laneKey } from '../../src/kit/ladder.ts';
import { type AdapterHost, type Message, type ReplyDocument, type Turn, turnId } from '../../src/kit.ts';
import { xmppHost } from '../e2e/house/xmpp-host.ts';
import { roomOf } from '../fakes/xmpp/person.ts';
import { DOMAIN, PASSWORD, startServer } from '../fakes/xmpp/servers.ts';

const [growing = 'growing.png', done = 'done.png', commands = 'commands.png'] = process.argv.slice(2);
const folder = new URL('converse/node_modules/converse.js/dist', import.meta.url).pathname;
const ROOM = roomOf('field');
const BRIDGE = `parley@${DOMAIN}`;
const TEXT =
  '## Visitor passes\n\nA pass is valid for **one day** [1]. For several days, ask the *reception*:\n\n- name of the visitor\n- name of the host\n\n| days | colour |\n|---|---|\n| 1 | green |\n| 2 to 5 | blue |\n\n![the pass](https://platform.example/pass.png)\n';

const server = await startServer('prosody', ['parley', 'ann'], { isUnlimited: true });
const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};
const page = `<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="/converse.min.css"><body class="converse-fullscreen"><converse-root></converse-root>
<script type="module">import "/converse.min.js";
window.converse.initialize(${JSON.stringify({
  authentication: 'login',
  auto_login: true,
  jid: `ann@${DOMAIN}`,
  password: PASSWORD,
  websocket_url: `ws://127.0.0.1:${server.httpPort}/xmpp-websocket`,
  auto_join_rooms: [{ jid: ROOM, nick: 'ann' }],
  view_mode: 'fullscreen',
  discover_connection_methods: false,
  assets_path: '/',
  theme: 'default',
  loglevel: 'error',
})});</script>`;
const web = createServer((request, response) => {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  if (path === '/') return void response.setHeader('content-type', 'text/html').end(page);
  readFile(join(folder, path)).then(
    (bytes) =>
      response.setHeader('content-type', types[extname(path)] ?? 'application/octet-stream').end(bytes),
    () => response.writeHead(404).end(),
  );
});
await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));

const asked = Promise.withResolvers<Message>();
const picture = await readFile(new URL('../e2e/house/red-dot.png', import.meta.url));
const intake: AdapterHost['intake'] = async (event) => {
  if (event.kind === 'ask') asked.resolve(event.message);
  return { kind: 'kept', turn: turnId('t1'), ahead: 0 };
};
const host = xmppHost({
  intake,
  openMedia: async () => ({ type: 'image/png', bytes: picture }),
  sourceLink: ({ link }) => link,
  reply: async (of) => (of === turnId('t1') ? whole : undefined),
});
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const view = await browser.newPage({ viewport: { width: 1_000, height: 900 } });
await view.goto(`http://127.0.0.1:${(web.address() as AddressInfo).port}/`);
const input = view.locator('converse-muc-message-form textarea, converse-muc textarea').first();
await input.waitFor();
const settings = {
  jid: BRIDGE,
  password: PASSWORD,
  server: `127.0.0.1:${server.port}`,
  tls: 'none',
  rooms: [ROOM],
};
const running = await startXmpp(xmppSettings({}).parse(settings), host);
await pause(1_500);
await input.fill('Parley: how long is a visitor pass valid?');
await input.press('Enter');
const message = await asked.promise;

const turn: Turn = {
  ...{ id: turnId('t1'), lane: laneKey('l1'), message, keptAt: Date.now(), attempt: 1 },
  ...{ origin: { kind: 'message', key: 'q1', revision: 0 }, phase: 'new', state: 'running' },
};
const blank: ReplyDocument = {
  ...{
    turn: turn.id,
    agent: agentName('knowledge'),
    version: 0,
    state: 'writing',
    text: '',
    rewrites: 0,
    retry: false,
  },
  ...{ steps: [], media: [], sources: [], suggestions: [], notices: [] },
};
const whole: ReplyDocument = {
  ...blank,
  ...{
    version: 9,
    state: 'done',
    text: TEXT,
    suggestions: ['Who prints the pass?', 'What does a lost pass cost?'],
  },
  sources: [
    {
      key: 'k1',
      title: 'Handbook, visitors',
      kind: 'document',
      mark: 1,
      link: 'https://docs.example/visitors',
      fragments: [],
    },
  ],
  media: [
    {
      id: 'm1',
      kind: 'image',
      name: 'the pass',
      ref: { kind: 'file-id', id: 'm1' },
      inline: 'https://platform.example/pass.png',
    },
  ],
};
const writer = running.writer(turn);
let screen = writer.blank();
const show = async (document: ReplyDocument): Promise<void> => {
  for (
    let move = writer.next(screen, document, Date.now())[0];
    move;
    move = writer.next(screen, document, Date.now())[0]
  )
    screen = writer.after(screen, move, await writer.perform(move, new AbortController().signal), Date.now());
};
for (const [version, to] of [40, 90, 150].entries()) {
  await show({ ...blank, version: version + 1, text: TEXT.slice(0, to) });
  await pause(500);
}
await view.screenshot({ path: growing });
await show(whole);
await pause(2_500);
await view.screenshot({ path: done });
const shown = await view.locator('converse-chat-message').count();
process.stdout.write(
  `${shown} messages, of which Converse shows ${await view.locator('converse-chat-message img.chat-image').count()} images\n`,
);
await view.locator('converse-user-profile converse-icon.fa-cog').first().click();
await view.getByRole('tab', { name: 'Commands' }).click();
const panel = view.locator('converse-adhoc-commands');
await panel.locator('input[name=jid]').fill(`${ROOM}/Parley`);
await panel.locator('input[type=submit]').click();
await panel.getByText('Show the sources of the last answer').click();
await panel.getByText('https://docs.example/visitors').waitFor();
await panel.getByText('Rate the last answer').click();
await panel.locator('select').waitFor();
// Without a theme of its own, the form would be transparent.
await view.addStyleTag({ content: '.modal-content { background: white !important }' });
await view.screenshot({ path: commands });
await browser.close();
await running.stop();
web.close();
await server.stop();
process.exit(0);
