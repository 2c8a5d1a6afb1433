import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Screen, TellingWriter } from '../../../../src/kit/ladder.ts';
import { type ReplyDocument, type ReplyWriter, type Turn, turnId, withEvents } from '../../../../src/kit.ts';
import { message as messageWith, turn as turnWith } from '../../../fakes/samples.ts';
import { card, documentOf, openRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

const open = async (tab?: 'home' | 'messages') => {
  rig.asker.opensHome(tab);
  await rig.settled();
};

const home = () => JSON.stringify(rig.asker.home()?.view ?? {});

const press = async (actionId: string, option?: { value: string }) => {
  const view = rig.asker.home();
  if (view === undefined) throw new Error('no home');
  rig.asker.presses(view, { actionId, ...(option && { option }) });
  await rig.settled();
};

const clock = { now: () => 0, wait: () => new Promise<void>(() => undefined) };
const blank: Screen = { rung: 'edits', parts: [], finished: false };
const writer: ReplyWriter = {
  blank: () => blank,
  next: () => [],
  after: () => blank,
  perform: async () => ({ kind: 'done' }),
  resume: (screen) => screen,
};

function turnOf(over: Partial<Turn['message']['thread']> = {}, id = 'turn-1'): Turn {
  const thread = {
    channel: 'slack',
    tenant: rig.workspace.id,
    room: rig.room.id,
    key: '1793491200.000100',
    kind: 'room' as const,
    ...over,
  };
  const sender = { id: rig.asker.id, name: 'mara', standing: 'member' as const };
  const question = messageWith({ id: `${thread.room}/${thread.key}`, thread, sender, text: '' });
  return turnWith({ id: turnId(id), message: question });
}

/** Returns a turn's writer that sends the events by which the Home tab is updated, as the adapter's writer does. */
const watch = (turn: Turn, its: TellingWriter = writer): ReplyWriter =>
  withEvents(turn, its, [rig.interactions.events], clock);

const show = (watched: ReplyWriter, document: Partial<ReplyDocument>) =>
  watched.next(blank, documentOf(document), 0);

it('shows the agents, the running questions, the settings and help', async () => {
  const sender = { id: 'U0OTHER', name: 'x', standing: 'member' } as const;
  rig.running.push(turnOf(), {
    ...turnOf(),
    id: turnId('theirs'),
    message: { ...turnOf().message, sender },
  });
  await open();
  for (const said of [
    'guide: Knows about guide.',
    'ledger',
    'Stop',
    `<#${rig.room.id}>`,
    'Deutsch',
    '/ask agent question',
  ]) {
    expect(home()).toContain(said);
  }
  expect(home().match(/home:stop/g)).toHaveLength(1);
});

it('stops the person’s own running answer, and no other', async () => {
  rig.running.push(turnOf());
  await open();
  rig.keeps = () => ({ kind: 'stopped' });
  await press('home:stop:turn-1');
  expect(rig.intakes).toMatchObject([{ kind: 'stop', turn: 'turn-1', thread: { room: rig.room.id } }]);
  rig.intakes.length = 0;
  const view = rig.asker.home();
  if (view !== undefined) rig.workspace.person({ name: 'jo' }).presses(view, 'home:stop:turn-1');
  await rig.settled();
  expect(rig.intakes).toEqual([]);
});

it('says that no answer is running', async () => {
  await open();
  expect(home()).toContain('No answer is running.');
});

it('stores a person’s choices, and shows them again', async () => {
  await open();
  await press('home:agent', { value: 'ledger' });
  await press('home:language', { value: 'de' });
  const direct = turnOf({ kind: 'direct' }).message;
  expect(await rig.completed(direct)).toMatchObject({ roomAgent: 'ledger', sender: { language: 'de' } });
  const inRoom = await rig.completed(turnOf().message);
  expect(inRoom).toMatchObject({ sender: { language: 'de' } });
  expect(inRoom).not.toHaveProperty('roomAgent');
  expect(home()).toContain('"initial_option":{"text":{"type":"plain_text","text":"ledger"');
  await press('home:agent', { value: 'nobody' });
  await press('home:language', { value: 'tlh' });
  expect(await rig.completed(direct)).toMatchObject({ roomAgent: 'ledger', sender: { language: 'de' } });
  await press('home:agent', { value: '-' });
  expect(await rig.completed(direct)).not.toHaveProperty('roomAgent');
  const other = { ...direct, sender: { id: 'U0OTHER', name: 'jo', standing: 'member' as const } };
  expect(await rig.completed(other)).toEqual(other);
});

it('opens the form from the home with the agent preselected', async () => {
  await open();
  await press('home:ask:1');
  const [form] = rig.asker.views();
  expect(JSON.stringify(form?.view)).toContain(
    '"initial_option":{"text":{"type":"plain_text","text":"ledger"',
  );
});

it('shows a guest only the refusal', async () => {
  const guest = rig.workspace.person({ name: 'guest', guest: 'single-channel' });
  guest.opensHome();
  await rig.settled();
  const shown = JSON.stringify(guest.home()?.view);
  expect(shown).toContain('Guests and people from other organizations');
  expect(shown).not.toContain('guide');
});

it('fits any number of agents', async () => {
  rig.agents.push(...Array.from({ length: 300 }, (_, at) => card(`agent-${at}`, 'x'.repeat(5_000))));
  await open();
  expect(home()).toContain('And 272 more');
});

it('offers prompts in the thread that an older assistant opens', async () => {
  const assistant_thread = {
    user_id: rig.asker.id,
    channel_id: rig.asker.dm().id,
    thread_ts: '1793491200.000100',
    context: {},
  };
  // Manifests of earlier versions subscribed to this event.
  rig.slack.world.subscriptions = new Set(['assistant_thread_started']);
  rig.workspace.emit({ type: 'assistant_thread_started', assistant_thread });
  await rig.settled();
  const call = rig.slack.log.calls.find(({ method }) => method === 'assistant.threads.setSuggestedPrompts');
  expect(call?.args).toMatchObject({ channel_id: rig.asker.dm().id, thread_ts: '1793491200.000100' });
  expect(call?.args.prompts).toMatchObject([{ title: 'Ask guide' }, { title: 'Ask ledger' }]);
});

it('offers at most four prompts in the agent view', async () => {
  rig.agents.push(...[1, 2, 3, 4].map((at) => card(`agent-${at}`)));
  await open('messages');
  const [offered] = rig.workspace.state.prompts.values();
  expect(offered?.prompts).toHaveLength(4);
  expect(offered?.prompts[0]).toEqual({ title: 'Ask guide', message: 'guide: What can you help me with?' });
});

it('names a thread after its first question, once, and never one that a person named', async () => {
  const dm = rig.asker.dm();
  const first = rig.asker.says(dm, 'Which <!here> colour is it?');
  const turn = turnOf({ room: dm.id, key: first.ts, kind: 'direct' });
  const title = async (question: string) => {
    const watched = watch({ ...turn });
    for (let shown = 0; shown < 300; shown++) show(watched, { state: 'writing', question, version: shown });
    await rig.settled();
  };
  await title(`Which <!here> colour ${'is it '.repeat(50)}`);
  const named = rig.workspace.state.threadTitles.get(`${dm.id} ${first.ts}`) ?? '';
  expect(named.length).toBeLessThanOrEqual(80);
  expect(named).not.toContain('<!here>');
  await title('Another?');
  expect(rig.workspace.state.threadTitles.get(`${dm.id} ${first.ts}`)).toBe(named);
  const second = rig.asker.says(dm, 'Another?');
  await rig.interactions.event(
    { kind: 'titled', user: rig.asker.id, conversation: dm.id, threadTs: second.ts },
    rig.installed,
  );
  show(watch(turnOf({ room: dm.id, key: second.ts, kind: 'direct' })), {
    state: 'writing',
    question: 'Another?',
  });
  await rig.settled();
  expect(rig.workspace.state.threadTitles.has(`${dm.id} ${second.ts}`)).toBe(false);
});

it('stops the turn of the stream that Slack ended, and leaves other stops to the thread', async () => {
  const part = { id: '1793491200.000900', from: 0, live: true, openedAt: 0, sure: true };
  rig.running.push({ ...turnOf(), screen: { rung: 'native', parts: [part], finished: false } });
  const stopped = {
    kind: 'stopped',
    user: rig.asker.id,
    conversation: rig.room.id,
    threadTs: '1793491200.000100',
  } as const;
  expect(await rig.interactions.event({ ...stopped, streams: ['1793491200.000900'] }, rig.installed)).toBe(
    true,
  );
  expect(await rig.interactions.event({ ...stopped, streams: ['1793491200.000901'] }, rig.installed)).toBe(
    false,
  );
  expect(rig.intakes).toMatchObject([{ kind: 'stop', turn: 'turn-1' }]);
});

// The bridge does not stop a Retry by the streams of the turn before it (test/unit/core/turns/stop.test.ts).
it('names the stopped streams when Slack repeats the Stop of a stream whose message a Retry continues', async () => {
  const ended = { id: '1793491200.000900', from: 0, live: false, openedAt: 0, sure: true };
  rig.running.push({ ...turnOf(), screen: { rung: 'edits', parts: [ended], finished: false } });
  const stopped = {
    kind: 'stopped',
    user: rig.asker.id,
    conversation: rig.room.id,
    threadTs: '1793491200.000100',
    streams: [ended.id],
  } as const;
  expect(await rig.interactions.event(stopped, rig.installed)).toBe(true);
  expect(rig.intakes).toMatchObject([{ kind: 'stop', turn: 'turn-1', streams: [ended.id] }]);
});

it('stops a turn that has begun its next stream when Slack ended the one before', async () => {
  const part = { id: '1793491200.000900', from: 0, live: false, openedAt: 0, sure: true };
  const parts = [part, { ...part, id: '1793491200.000901', from: 100, live: true }];
  rig.running.push({ ...turnOf(), screen: { rung: 'native', parts, finished: false } });
  const stopped = {
    kind: 'stopped',
    user: rig.asker.id,
    conversation: rig.room.id,
    threadTs: '1793491200.000100',
    streams: [part.id],
  } as const;
  expect(await rig.interactions.event(stopped, rig.installed)).toBe(true);
  expect(rig.intakes).toMatchObject([{ kind: 'stop', turn: 'turn-1' }]);
});

it.each([
  'Your question is waiting because many questions are being answered right now.',
  'Your question is waiting: 2 other questions are ahead of it.',
])('tells only the asker, and only once, that a question waits: %s', async (text) => {
  const said = rig.asker.says(rig.room, 'First');
  await rig.interactions.sayWaiting({ ...turnOf({ key: said.ts }), id: turnId('t') }, text, false);
  const [, note] = rig.slack.messages(rig.room.id);
  expect(note).toMatchObject({ onlyFor: rig.asker.id, text });
  expect(note?.threadTs).toBeUndefined();
});
