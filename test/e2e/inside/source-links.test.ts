/**
 * Tests the whole bridge with a public address: in Slack and Teams, sources link to signed pages of the bridge, and
 * these pages link to the document.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts } from '../../bench/free-ports.ts';
import { demoApp, type FakeSlack, startFakeSlack } from '../../fakes/slack/index.ts';
import { type FakeTeams, startFakeTeams } from '../../fakes/teams/index.ts';
import { controlOf } from '../../unit/slack/controls.ts';
import { runInside } from '../house/parley-inside.ts';
import { makeDataFolder } from '../house/running-parley.ts';

const QUESTION = 'what is the data retention policy?';
const WITHIN_MS = 90_000;
/** The bridge's public address, as if it were behind a proxy. */
const PUBLIC = 'https://parley.example.org';

const eventually = (look: () => unknown) => expect.poll(look, { timeout: WITHIN_MS, interval: 100 });

const pagesIn = (shown: unknown): readonly string[] => [
  ...new Set(JSON.stringify(shown ?? '').match(/https:\/\/parley\.example\.org\/sources\/[\w-]+/g)),
];
/** Returns the links to passages in the sandbox's documents. */
const documentsIn = (shown: unknown): readonly string[] =>
  JSON.stringify(shown ?? '').match(/http:\/\/127\.0\.0\.1:\d+\/[^"\\)]*:~:text=/g) ?? [];

let slack: FakeSlack;
let teams: FakeTeams;
let local: string;
const opened = new AsyncDisposableStack();

beforeAll(async () => {
  slack = opened.adopt(await startFakeSlack(), (it) => it.close());
  teams = opened.adopt(await startFakeTeams(), (it) => it.close());
  const data = opened.adopt(await makeDataFolder(), (it) => it.remove());
  const config = join(data.path, 'parley.yaml');
  // The YAML parser also accepts JSON.
  writeFileSync(config, JSON.stringify({ teams: { services: teams.services } }));
  const [port] = await freePorts();
  local = `http://127.0.0.1:${port}`;
  const parley = await runInside(data, {
    PORT: String(port),
    PARLEY_PUBLIC_URL: PUBLIC,
    PARLEY_CONFIG: config,
    SLACK_API_URL: slack.apiUrl,
    SLACK_BOT_TOKEN: slack.workspace().token,
    SLACK_SIGNING_SECRET: demoApp.signingSecret,
    MICROSOFT_APP_ID: teams.app.id,
    MICROSOFT_APP_TENANT_ID: teams.tenant().id,
    MICROSOFT_APP_PASSWORD: [...teams.app.secrets][0] ?? '',
  });
  opened.defer(() => parley.stop().then(() => undefined));
  slack.deliverTo(`${local}/slack/events`);
  teams.deliverTo(`${local}/api/messages`);
});
afterAll(() => opened.disposeAsync());

/**
 * Expects that each page shows a passage and links to the document, at the same passage as the source's original
 * link.
 */
async function expectPages(pages: readonly string[]): Promise<void> {
  expect(pages.length).toBeGreaterThan(0);
  for (const page of pages) {
    const response = await fetch(`${local}${page.slice(PUBLIC.length)}`);
    expect(response.status).toBe(200);
    const shown = await response.text();
    expect(shown).toContain('that the answer used');
    expect(shown).toContain('<article');
    expect(shown).toMatch(/href="http:\/\/127\.0\.0\.1:\d+\/[^"]*:~:text=/);
  }
}

describe('in Slack', () => {
  test('the list, the form and a shared source lead to pages', async () => {
    const engineer = slack.workspace().person({ name: 'Engineer' });
    const { id: room } = slack.workspace().channel({ name: 'field' });
    const { ts } = engineer.mentions(room, QUESTION);
    const ours = () => slack.thread(room, ts).filter(({ app }) => app);
    await eventually(() => controlOf(ours()[0]?.blocks, 'reply:sources')).toBeDefined();
    const [reply] = ours();
    if (reply === undefined) throw new Error('there is no reply');
    await expectPages(pagesIn(reply.blocks));
    expect(documentsIn(reply.blocks)).toEqual([]);
    const control = controlOf(reply.blocks, 'reply:sources');
    if (control !== undefined) engineer.presses(reply, control);
    const view = () => engineer.views().at(-1);
    await eventually(() => JSON.stringify(view()?.view ?? '')).toContain('Passage 1 of');
    await expectPages(pagesIn(view()?.view));
    expect(documentsIn(view()?.view)).toEqual([]);
    const list = view();
    if (list !== undefined) engineer.presses(list, 'sources:share:1');
    await eventually(() => JSON.stringify(view()?.view)).toContain('"callback_id":"share"');
    const form = view();
    if (form === undefined) throw new Error('no form');
    await engineer.submits(form, {
      what: { what: { type: 'static_select', selected_option: { value: '1' } } },
    });
    await eventually(() => ours().at(-1)?.text).toContain('shares a source');
    await expectPages(pagesIn(ours().at(-1)?.blocks));
  });

  test('an answer for one person leads to the documents themselves', async () => {
    const engineer = slack.workspace().person({ name: 'Private Engineer' });
    const dm = engineer.dm();
    const { ts } = engineer.says(dm, QUESTION);
    const reply = () => slack.thread(dm.id, ts).find(({ app }) => app);
    await eventually(() => controlOf(reply()?.blocks, 'reply:sources')).toBeDefined();
    expect(pagesIn(reply()?.blocks)).toEqual([]);
    expect(documentsIn(reply()?.blocks).length).toBeGreaterThan(0);
  });

  test('every call is valid for Slack', () => {
    expect(slack.log.violations).toEqual([]);
  });
});

describe('in Teams', () => {
  const ours = (place: { id: string }) =>
    teams
      .messages(place as Parameters<FakeTeams['messages']>[0])
      .filter(({ person, deletedAt }) => person === undefined && deletedAt === undefined);

  test('citations, the sources and a shared source lead to pages', async () => {
    const engineer = teams.tenant().person({ name: 'Engineer' });
    const room = teams.tenant().team().channel();
    engineer.mentions(room, QUESTION);
    const sources = (titles: readonly string[]) => titles.find((title) => title.startsWith('Sources'));
    const finished = () => ours(room).find((each) => sources(engineer.offers(each)) !== undefined);
    await eventually(finished).toBeDefined();
    const reply = finished();
    if (reply === undefined) throw new Error('there is no reply');
    await eventually(() => pagesIn(ours(room).map(({ shown }) => shown.entities)).length).toBeGreaterThan(0);
    await expectPages(pagesIn(ours(room).map(({ shown }) => shown.entities)));
    // The card does not list a source a second time.
    expect(pagesIn(engineer.cards(reply))).toEqual([]);
    expect(documentsIn(ours(room))).toEqual([]);
    await engineer.presses(reply, sources(engineer.offers(reply)) ?? '').answer;
    expect(JSON.stringify(engineer.cards(reply))).toContain('Passage 1 of');
    await expectPages(pagesIn(engineer.cards(reply)));
    expect(documentsIn(engineer.cards(reply))).toEqual([]);
    await engineer.presses(reply, 'parley.shareSource').answer;
    const shared = () =>
      teams.screen(room).find(({ cards }) => JSON.stringify(cards).includes('shares a source'));
    await eventually(shared).toBeDefined();
    await expectPages(pagesIn(shared()?.cards));
  });

  test('an answer for one person leads to the documents themselves', async () => {
    const engineer = teams.tenant().person({ name: 'Private Engineer' });
    const chat = engineer.dm();
    engineer.says(chat, QUESTION);
    await eventually(() => documentsIn(ours(chat)).length).toBeGreaterThan(0);
    expect(pagesIn(ours(chat))).toEqual([]);
  });

  test('every call is valid for Teams', () => {
    expect(teams.log.violations).toEqual([]);
  });
});
