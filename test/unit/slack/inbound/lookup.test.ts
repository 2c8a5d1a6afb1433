import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Workspace } from '../../../../adapters/slack/api/workspace.ts';
import { createLookup } from '../../../../adapters/slack/inbound/lookup.ts';
import { createPeople } from '../../../../adapters/slack/inbound/people.ts';
import { agentName } from '../../../../src/kit/ladder.ts';
import type { Message } from '../../../../src/kit.ts';
import { quiet } from '../../../fakes/quiet.ts';
import { message as sample } from '../../../fakes/samples.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';
import { freeCalls } from '../free-calls.ts';
import { openSmallSlack, type SmallSlack } from '../small-slack.ts';

const acme: Workspace = { tenant: 'T1', botUser: 'U0BOT', botId: 'B0BOT', token: 'xoxb-1' };
const signal = new AbortController().signal;
let slack: SmallSlack;
let clock: ReturnType<typeof createVirtualClock>;
let lookup: ReturnType<typeof createLookup>;
let workspace: Workspace | undefined;

beforeEach(async () => {
  slack = await openSmallSlack();
  clock = createVirtualClock();
  workspace = acme;
  const workspaces = {
    find: async () => workspace,
    ofTenant: async () => workspace,
    disable: () => undefined,
    remove: async () => [],
  };
  const calls = freeCalls(slack.apiUrl, clock, workspaces);
  lookup = createLookup({
    ...{ calls, workspaces, people: createPeople(calls, clock), clock, log: quiet },
    ruleOf: () => 'alone',
  });
});
afterEach(() => slack.close());

const thread = { channel: 'slack', tenant: 'T1', room: 'C1', key: '100.000001', kind: 'room' } as const;
const asking = (over: Partial<Message> = {}): Message =>
  sample({
    id: 'C1/100.000001',
    thread,
    sender: { id: 'U1', name: 'U1', standing: 'member' },
    text: 'How long?',
    ...over,
  });
const user = (over: object) => {
  slack.answers['users.info'] = ({ args }) => ({
    ok: true,
    user: { id: args.user, team_id: 'T1', name: 'ada', ...over },
  });
};

describe('the asker', () => {
  test('is looked up with name, e-mail address and language', async () => {
    user({
      real_name: 'Engineer E',
      locale: 'de-DE',
      profile: { display_name: 'Engineer', email: 'e@example.org' },
    });
    expect((await lookup.complete(asking(), signal)).sender).toEqual({
      id: 'U1',
      name: 'Engineer',
      email: 'e@example.org',
      locale: 'de-DE',
      home: 'T1',
      standing: 'member',
    });
    expect(slack.calls[0]).toMatchObject({
      method: 'users.info',
      token: 'xoxb-1',
      args: { user: 'U1', include_locale: 'true' },
    });
  });

  test.each([
    ['guest', { is_restricted: true }],
    ['guest', { is_restricted: true, is_ultra_restricted: true }],
    ['external', { team_id: 'T2' }],
    ['external', { is_stranger: true }],
    ['external', { team_id: 'T2', is_restricted: true }],
    ['bot', { is_bot: true }],
    ['external', { team_id: 'T2', enterprise_user: { enterprise_id: 'E2' } }],
  ])('has the standing %s: %j', async (standing, over) => {
    user(over);
    expect((await lookup.complete(asking(), signal)).sender.standing).toBe(standing);
  });

  test('from another workspace of the same organization is a member', async () => {
    workspace = { ...acme, enterprise: 'E1' };
    user({ team_id: 'T2', enterprise_user: { enterprise_id: 'E1' } });
    expect((await lookup.complete(asking(), signal)).sender.standing).toBe('member');
  });

  test('who writes through an app stays a bot', async () => {
    const asked = asking({ sender: { id: 'U1', name: 'U1', standing: 'bot' } });
    expect((await lookup.complete(asked, signal)).sender.standing).toBe('bot');
  });

  test('is looked up once an hour', async () => {
    await Promise.all([lookup.complete(asking(), signal), lookup.complete(asking(), signal)]);
    expect(slack.called('users.info')).toHaveLength(1);
    await clock.pass(3_600_000);
    await lookup.complete(asking(), signal);
    expect(slack.called('users.info')).toHaveLength(2);
  });

  test('is refused if Slack does not answer, and is looked up again the next time', async () => {
    slack.answers['users.info'] = () => ({ ok: false, error: 'user_not_found' });
    await expect(lookup.complete(asking(), signal)).rejects.toMatchObject({ code: 'access-denied' });
    user({});
    expect((await lookup.complete(asking(), signal)).sender.standing).toBe('member');
  });

  describe('among many at once', () => {
    const people = Array.from({ length: 500 }, (_, nth) => `U${nth}`);
    const lists = (ids: readonly string[], over: (id: string) => object = () => ({})) => {
      slack.answers['users.list'] = ({ args }) => {
        const from = Number(args.cursor ?? 0);
        const to = from + Number(args.limit);
        return {
          ok: true,
          members: ids
            .slice(from, to)
            .map((id) => ({ id, team_id: 'T1', name: `Listed ${id}`, ...over(id) })),
          response_metadata: { next_cursor: to < ids.length ? String(to) : '' },
        };
      };
    };
    const ask = (id: string) =>
      lookup.complete(asking({ sender: { id, name: id, standing: 'member' } }), signal);

    test('is found on the list of people, guests as guests, when Slack accepts no further single look-up', async () => {
      lists(people, (id) => (id === 'U499' ? { is_restricted: true } : {}));
      let taken = 0;
      slack.answers['users.info'] = ({ args }) => {
        taken += 1;
        if (taken > 100) return { ok: false, error: 'ratelimited' };
        return { ok: true, user: { id: args.user, team_id: 'T1', name: 'alone' } };
      };
      const told = await Promise.allSettled(people.map(ask));
      const standings = told.map((each) => each.status === 'fulfilled' && each.value.sender.standing);
      expect(standings).toEqual(people.map((id) => (id === 'U499' ? 'guest' : 'member')));
      expect(slack.called('users.list').map(({ args }) => args.limit)).toEqual(['200', '200', '200']);
    });

    test('is looked up alone if the list lacks them or cannot be read', async () => {
      for (const list of [() => ({ ok: false, error: 'missing_scope' }), undefined]) {
        if (list === undefined) lists(people.slice(100));
        else slack.answers['users.list'] = list;
        const told = await Promise.all(people.slice(0, 40).map(ask));
        expect(told.every(({ sender }) => sender.standing === 'member')).toBe(true);
        await clock.pass(3_600_000);
      }
      expect(slack.called('users.list').length).toBeGreaterThan(1);
    });

    test('is refused if neither look-up succeeds', async () => {
      lists([]);
      slack.answers['users.info'] = () => ({ ok: false, error: 'user_not_found' });
      const told = await Promise.allSettled(people.slice(0, 40).map(ask));
      expect(told.filter(({ status }) => status === 'fulfilled')).toEqual([]);
    });

    test('is looked up without the list if there are few', async () => {
      await Promise.all(people.slice(0, 10).map(ask));
      expect(slack.called('users.list')).toEqual([]);
    });
  });

  test('cannot be looked up if the app was removed', async () => {
    workspace = undefined;
    await expect(lookup.complete(asking(), signal)).rejects.toMatchObject({ code: 'channel-unavailable' });
  });
});

const said = (ts: string, who: string, text: string, over: object = {}) => ({
  type: 'message',
  ts,
  user: who,
  text,
  ...over,
});
const ours = (ts: string, text: string) => said(ts, 'U0BOT', text, { bot_id: 'B0BOT' });
const tells = (...messages: object[]) => {
  slack.answers['conversations.replies'] = () => ({ ok: true, messages });
};
const later = asking({ id: 'C1/105.000001' });

describe('the thread before a question', () => {
  test('is passed on with its authors, from the first message on', async () => {
    tells(
      said('100.000001', 'U2', 'The <@U3> pump is *hot*'),
      said('101.000001', 'U3', '', { files: [{ id: 'F1', name: 'log.txt' }] }),
      said('105.000001', 'U1', 'How long?'),
      said('106.000001', 'U2', 'Late'),
    );
    expect((await lookup.complete(later, signal)).quoted).toEqual([
      { author: 'Name of U2', text: 'The @Name of U3 pump is **hot**', kind: 'earlier' },
      { author: 'Name of U3', text: '(shared the file log.txt)', kind: 'earlier' },
    ]);
  });

  test('is passed on with its last five files', async () => {
    const shared = (index: number, over: object = {}) =>
      said(`10${index}.000001`, 'U3', '', { files: [{ id: `F${index}`, name: `${index}.png`, ...over }] });
    tells(shared(0), shared(1), said('102.000001', 'U1', '<@U0BOT> and this?'), ours('103.000001', 'Hot.'));
    expect((await lookup.complete(later, signal)).files).toEqual([]);
    await clock.pass(120_000);
    tells(
      said('99.000001', 'U2', '', { files: [{ id: 'F7', name: 'too old.png' }] }),
      ...[0, 1, 2, 3, 4].map((index) => shared(index)),
      said('104.000002', 'U2', '', { files: [{ id: 'F9', name: 'hidden.png', mode: 'hidden_by_limit' }] }),
    );
    const own = { id: 'T1 F8', name: 'own.png', type: '', bytes: 0 };
    const { files } = await lookup.complete({ ...later, id: 'C1/105.000002', files: [own] }, signal);
    expect(files.map(({ id, earlier }) => [id, earlier])).toEqual([
      ['T1 F8', undefined],
      ...[0, 1, 2, 3, 4].map((index) => [`T1 F${index}`, true]),
    ]);
  });

  test('is passed on once: without the messages before the agent’s last answer or question', async () => {
    tells(
      said('100.000001', 'U2', 'The pump is hot'),
      said('101.000001', 'U2', '<@U0BOT> why?'),
      ours('102.000001', 'Because.'),
      said('103.000001', 'U3', '<@U2> shall I?'),
      said('105.000001', 'U1', 'How long?'),
    );
    expect((await lookup.complete(later, signal)).quoted).toEqual([
      { author: 'Name of U3', text: '@Name of U2 shall I?', kind: 'earlier' },
    ]);
  });

  test('is read page by page, up to 1,000 messages', async () => {
    slack.answers['conversations.replies'] = ({ args }) => ({
      ok: true,
      messages: [said(`10${Number(args.cursor ?? 0)}.500000`, 'U2', `page ${String(args.cursor ?? 0)}`)],
      response_metadata: { next_cursor: String(Number(args.cursor ?? 0) + 1) },
    });
    const { quoted } = await lookup.complete(later, signal);
    expect(quoted.map(({ text }) => text)).toEqual(['page 0', 'page 1', 'page 2', 'page 3', 'page 4']);
  });

  test('is passed on up to a maximum number and length', async () => {
    tells(
      ...Array.from({ length: 60 }, (_, index) =>
        said(`101.0000${String(index + 10)}`, 'U2', 'x'.repeat(9_000)),
      ),
    );
    const { quoted } = await lookup.complete(later, signal);
    expect(quoted).toHaveLength(20);
    // More than a question contains, so that the question says that words are missing.
    expect(quoted.every(({ text }) => text.length === 8_000)).toBe(true);
  });

  test('is missing if Slack does not return it, but the question is still asked', async () => {
    slack.answers['conversations.replies'] = () => ({
      ok: false,
      error: 'missing_scope',
      needed: 'channels:history',
    });
    expect((await lookup.complete(later, signal)).quoted).toEqual([]);
  });

  test('is not read for a question that begins its thread, nor in direct messages', async () => {
    await lookup.complete(asking(), signal);
    await lookup.complete(
      asking({ id: 'D1/105.000001', thread: { ...thread, room: 'D1', kind: 'direct' } }),
      signal,
    );
    expect(slack.called('conversations.replies')).toEqual([]);
  });
});

test('names replace ids in the question and its quotes', async () => {
  const asked = asking({
    text: 'Ask <@U2> in <#C7|field>',
    quoted: [{ author: 'Designer', text: '<@U2|two>?' }],
  });
  expect(await lookup.complete(asked, signal)).toMatchObject({
    text: 'Ask @Name of U2 in #field',
    quoted: [{ author: 'Designer', text: '@Name of U2?' }],
  });
});

describe('a second question', () => {
  test('of the same thread gets the messages before itself', async () => {
    tells(said('101.000001', 'U2', 'The pump is hot'));
    expect((await lookup.complete(later, signal)).quoted).toMatchObject([{ text: 'The pump is hot' }]);
    tells(said('101.000001', 'U2', 'The pump is hot'), said('106.000001', 'U3', 'And loud'));
    const next = { ...later, id: 'C1/107.000001' };
    expect((await lookup.complete(next, signal)).quoted).toMatchObject([
      { text: 'The pump is hot' },
      { text: 'And loud' },
    ]);
  });

  test('of another workspace gets the names and messages of that workspace', async () => {
    for (const tenant of ['T1', 'T2']) {
      workspace = { ...acme, tenant };
      slack.answers['conversations.info'] = () => ({ ok: true, channel: { name: `room-of-${tenant}` } });
      slack.answers['usergroups.list'] = () => ({
        ok: true,
        usergroups: [{ id: 'S1', handle: `group-of-${tenant}` }],
      });
      tells(said('101.000001', 'U2', `Said in ${tenant}`));
      const asked = asking({
        ...{ id: later.id, thread: { ...thread, tenant } },
        text: 'Is <#C7> for <!subteam^S1>?',
      });
      expect(await lookup.complete(asked, signal)).toMatchObject({
        text: `Is #room-of-${tenant} for @group-of-${tenant}?`,
        quoted: [{ text: `Said in ${tenant}` }],
      });
    }
  });
});

test.each<[string, Partial<Message>]>([
  ['a person', {}],
  ['the messages before a question', { id: later.id, sender: { id: 'B1', name: 'B1', standing: 'bot' } }],
])('a stop during the look-up of %s is no refusal', async (_, over) => {
  const stop = new AbortController();
  const reason = new Error('stopped');
  for (const method of ['users.info', 'conversations.replies'])
    slack.answers[method] = () => {
      stop.abort(reason);
      return { ok: false, error: 'missing_scope' };
    };
  await expect(lookup.complete(asking(over), stop.signal)).rejects.toBe(reason);
});

describe('the history of an agent without sessions', () => {
  test('consists of the thread’s questions with the answers that follow them', async () => {
    tells(
      said('100.000001', 'U2', 'The pump is hot'),
      said('100.000002', 'U3', '<@U2> shall I?'),
      said('101.000001', 'U1', '<@U0BOT> why?'),
      ours('102.000001', 'Because'),
      ours('102.000002', 'of *oil*.'),
      said('104.000001', 'U1', 'Since when?'),
      said('104.000002', 'U1', 'And why now?'),
      ours('104.500001', 'Since May.'),
      said('105.000001', 'U1', 'How long?'),
    );
    expect(await lookup.history(later, agentName('books'), signal)).toEqual([
      { question: 'why?', answer: 'Because\n\nof **oil**.' },
      { question: 'Since when?\n\nAnd why now?', answer: 'Since May.' },
    ]);
  });

  test('rejects if the thread cannot be read, and is not taken as empty', async () => {
    slack.answers['conversations.replies'] = () => ({ ok: false, error: 'thread_not_found' });
    await expect(lookup.history(later, agentName('books'), signal)).rejects.toMatchObject({
      code: 'channel-unavailable',
      facts: { error: 'thread_not_found' },
    });
  });
});
