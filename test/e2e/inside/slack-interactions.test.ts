/** Tests button presses, commands and menus in a strict fake Slack, with the whole bridge and the embedded sandbox. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  demoApp,
  type FakePerson,
  type FakeSlack,
  type Message,
  startFakeSlack,
  visibleText,
} from '../../fakes/slack/index.ts';
import { controlOf } from '../../unit/slack/controls.ts';
import { type ParleyInside, runInside } from '../house/parley-inside.ts';
import { type DataFolder, makeDataFolder } from '../house/running-parley.ts';

const QUESTION = 'what is the data retention policy?';
const ANSWER = 'how it is deleted';
const WITHIN_MS = 90_000;

const eventually = (look: () => unknown) => expect.poll(look, { timeout: WITHIN_MS, interval: 100 });

describe('around an answer', () => {
  let fake: FakeSlack;
  let parley: ParleyInside;
  let data: DataFolder;
  let room: string;
  let engineer: FakePerson;
  let colleague: FakePerson;

  beforeAll(async () => {
    fake = await startFakeSlack({ triggerMs: 60_000 });
    const workspace = fake.workspace();
    data = await makeDataFolder();
    parley = await runInside(data, {
      SLACK_API_URL: fake.apiUrl,
      SLACK_BOT_TOKEN: workspace.token,
      SLACK_SIGNING_SECRET: demoApp.signingSecret,
    });
    fake.deliverTo(`${parley.url}/slack/events`);
    room = workspace.channel({ name: 'field' }).id;
    engineer = workspace.person({ name: 'Engineer' });
    colleague = workspace.person({ name: 'Colleague' });
    colleague.says(room, 'Good morning.');
  });
  afterAll(async () => {
    await parley?.stop();
    await fake?.close();
    await data?.remove();
  });

  const replies = (ts: string): readonly Message[] =>
    fake.thread(room, ts).filter(({ app, onlyFor }) => app && onlyFor === undefined);
  const idsIn = (message: Message | undefined): readonly string[] =>
    [...JSON.stringify(message?.blocks ?? []).matchAll(/"action_id":"([^"]+)"/g)].map(([, id = '']) => id);
  const button = (message: Message | undefined, kind: string) => controlOf(message?.blocks, kind);

  /** Asks a question and returns the finished reply. */
  async function answered(question: string): Promise<{ ts: string; reply: Message }> {
    const { ts } = engineer.mentions(room, question);
    await eventually(
      () => button(replies(ts).at(-1), 'reply:feedback') ?? button(replies(ts).at(-1), 'reply:retry'),
    ).toBeDefined();
    const reply = replies(ts).at(-1);
    if (reply === undefined) throw new Error('there is no reply');
    return { ts, reply };
  }

  const press = (who: FakePerson, message: Message, kind: string, more: object = {}) => {
    const control = button(message, kind);
    if (control === undefined) throw new Error(`No ${kind} among ${idsIn(message).join()}`);
    return who.presses(message, { ...control, ...more });
  };

  const viewOf = (who: FakePerson) => JSON.stringify(who.views().at(-1)?.view ?? {});

  test('sources open in a form, and one is shared into the thread', async () => {
    const { ts } = await answered(QUESTION);
    // The sources of an answer may arrive after its end.
    await eventually(() => button(replies(ts).at(-1), 'reply:sources')).toBeDefined();
    const reply = replies(ts).at(-1);
    if (reply === undefined) throw new Error('there is no reply');
    press(engineer, reply, 'reply:sources');
    await eventually(() => viewOf(engineer)).toContain('Passage 1 of');
    const list = engineer.views().at(-1);
    if (list === undefined) throw new Error('no form');
    engineer.presses(list, 'sources:share:1');
    await eventually(() => viewOf(engineer)).toContain('"callback_id":"share"');
    const form = engineer.views().at(-1);
    if (form === undefined) throw new Error('no form');
    await engineer.submits(form, {
      what: { what: { type: 'static_select', selected_option: { value: '1' } } },
    });
    await eventually(() => replies(ts).at(-1)?.text).toContain(`<@${engineer.id}> shares a source:`);
    await eventually(() => viewOf(engineer)).toContain('Shared in the thread.');
  });

  test('Regenerate by a colleague adds a second version to the same message, and arrows lead back', async () => {
    const { ts, reply } = await answered(QUESTION);
    press(colleague, reply, 'reply:regenerate');
    await eventually(() => JSON.stringify(replies(ts).at(-1)?.blocks)).toContain('Version 2 of 2');
    const second = replies(ts).at(-1);
    expect(second?.ts).toBe(reply.ts);
    if (second !== undefined) press(engineer, second, 'reply:show');
    await eventually(() => JSON.stringify(replies(ts).at(-1)?.blocks)).toContain('Version 1 of 2');
    expect(replies(ts)).toHaveLength(1);
  });

  test('both buttons of the personal-data prompt ask again, with the data and without, for the asker alone', async () => {
    const { ts, reply } = await answered('privacy-demo: write to ada@example.org');
    expect(visibleText(reply)).toContain('seems to hold personal data');
    const choice = (title: string) => {
      const buttons = JSON.stringify(reply.blocks).match(/"action_id":"reply:suggestion[^"]*"/g) ?? [];
      const [, actionId = ''] = /:"(.*)"/.exec(buttons[title === 'Send it anyway' ? 0 : 1] ?? '') ?? [];
      expect(JSON.stringify(reply.blocks)).toContain(title);
      return { actionId };
    };
    const told = () => replies(ts).map(visibleText).join('\n');
    engineer.presses(reply, choice('Send it anyway'));
    await eventually(told).toContain('24 characters with the personal data that you chose to send');
    engineer.presses(reply, choice('Ask without it'));
    await eventually(told).toContain('18 characters and found no personal data');
    colleague.presses(reply, choice('Send it anyway'));
    const noted = () => fake.thread(room, ts).filter(({ onlyFor }) => onlyFor === colleague.id);
    await eventually(() => noted().at(-1)?.text).toMatch(/^Only the person who asked can choose here/);
    expect(told().match(/that you chose to send/g)).toHaveLength(1);
  });

  test('another agent answers the same question below, on behalf of the person who chose it', async () => {
    const { ts, reply } = await answered(QUESTION);
    const option = { text: { type: 'plain_text', text: 'echo-demo' }, value: 'slow-demo' };
    const menu = JSON.stringify(reply.blocks);
    const [, other = ''] = /"value":"([a-z-]*(?:demo|knowledge)[a-z-]*)"/.exec(menu) ?? [];
    press(colleague, reply, 'reply:agent', { option: { ...option, value: other } });
    await eventually(() =>
      replies(ts)
        .map(({ text }) => text)
        .join('\n'),
    ).toContain(`<@${colleague.id}> asks ${other} the same question.`);
    await eventually(
      () => button(replies(ts).at(-1), 'reply:regenerate') ?? button(replies(ts).at(-1), 'reply:retry'),
    ).toBeDefined();
    const [, act, answer] = replies(ts);
    expect(act?.text).toContain('asks');
    expect(button(answer, 'reply:feedback') ?? button(answer, 'reply:retry')).toBeDefined();
  });

  test('thumbs count immediately, and the form after a thumbs-down is accepted', async () => {
    const { reply } = await answered(QUESTION);
    const down = /"value":"([^"]* down)"/.exec(JSON.stringify(reply.blocks))?.[1];
    press(colleague, reply, 'reply:feedback', { value: down });
    await eventually(() => viewOf(colleague)).toContain('What was wrong?');
    const form = colleague.views().at(-1);
    if (form === undefined) throw new Error('no form');
    const sent = await colleague.submits(form, {
      note: { note: { type: 'plain_text_input', value: 'Too long.' } },
    });
    expect(sent.attempts.at(-1)).toMatchObject({ status: 200 });
    await eventually(
      () =>
        fake
          .messages(room)
          .filter(({ onlyFor }) => onlyFor === colleague.id)
          .at(-1)?.text,
    ).toMatch(/^Thank you/);
  });

  test('the command answers in private, and Share publishes the answer on behalf of the asker', async () => {
    const before = fake.messages(room).length;
    const typed = engineer.types(room, `/ask ${QUESTION}`);
    await typed.done;
    expect(typed.attempts[0]?.body).toContain('Only you will see the answer');
    const mine = () =>
      fake
        .messages(room)
        .filter(({ onlyFor }) => onlyFor === engineer.id)
        .at(-1);
    await eventually(() => (mine() === undefined ? '' : visibleText(mine() as Message))).toContain(ANSWER);
    const answer = mine();
    if (answer === undefined) throw new Error('no answer');
    expect(
      fake
        .messages(room)
        .slice(before)
        .filter(({ onlyFor }) => onlyFor === undefined),
    ).toEqual([]);
    press(engineer, answer, 'reply:share');
    await eventually(() => viewOf(engineer)).toContain('The answer');
    const form = engineer.views().at(-1);
    if (form === undefined) throw new Error('no form');
    await engineer.submits(form, {
      what: { what: { type: 'static_select', selected_option: { value: 'answer' } } },
    });
    await eventually(() => viewOf(engineer)).toContain('Shared in the channel.');
    const shared = fake
      .messages(room)
      .filter(({ onlyFor }) => onlyFor === undefined)
      .at(-1);
    expect(shared?.text).toContain(`<@${engineer.id}> asks`);
    expect(shared === undefined ? '' : visibleText(shared)).toContain(ANSWER);
  });

  test('"Ask as me" answers only the person who pressed it', async () => {
    const { ts, reply } = await answered(QUESTION);
    press(colleague, reply, 'reply:mine');
    const theirs = () =>
      fake
        .messages(room)
        .filter(({ onlyFor }) => onlyFor === colleague.id)
        .map(visibleText)
        .join('\n');
    await eventually(theirs).toContain(ANSWER);
    expect(replies(ts)).toHaveLength(1);
  });

  test('the shortcut on a message is answered in its thread', async () => {
    const about = colleague.says(room, 'We should look at the data retention policy.');
    engineer.uses('ask_about', about);
    await eventually(() => viewOf(engineer)).toContain('Please explain this message.');
    const form = engineer.views().at(-1);
    if (form === undefined) throw new Error('no form');
    await engineer.submits(form, { question: { question: { type: 'plain_text_input', value: QUESTION } } });
    await eventually(() => button(replies(about.ts).at(-1), 'reply:regenerate')).toBeDefined();
    expect(replies(about.ts)[0]?.text).toContain(`<@${engineer.id}> asks about this message`);
  });

  test('a failed answer offers Retry, which continues in the same message', async () => {
    const { ts, reply } = await answered('fail-demo: fail in the middle');
    press(engineer, reply, 'reply:retry');
    await eventually(
      () =>
        fake.log.calls.filter(({ method, args }) => method === 'chat.update' && args.ts === reply.ts).length,
    ).toBeGreaterThan(0);
    expect(replies(ts).map((each) => each.ts)).toContain(reply.ts);
  });

  test('the home shows agents, the agent view offers prompts, and the first question names the thread', async () => {
    engineer.opensHome();
    await eventually(() => JSON.stringify(engineer.home()?.view ?? {})).toContain('Agents you can ask');
    engineer.opensHome('messages');
    await eventually(() => fake.workspace().state.prompts.size).toBe(1);
    const dm = engineer.dm();
    const { ts } = engineer.says(dm, QUESTION);
    await eventually(() => fake.workspace().state.sessions.get(`${dm.id} ${ts}`)?.title).toBe(QUESTION);
  });

  test('every press is acknowledged, and every call is valid for Slack', () => {
    const attempts = fake.deliveries.filter(({ kind }) => kind !== 'event').flatMap((each) => each.attempts);
    expect(attempts.length).toBeGreaterThan(10);
    expect(attempts.filter(({ status }) => status !== 200)).toEqual([]);
    expect(fake.log.violations).toEqual([]);
  });
});
