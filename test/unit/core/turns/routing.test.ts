import { afterEach, describe, expect, test } from 'vitest';
import { agentName, type TurnId, turnId } from '../../../../src/core/ids.ts';
import type { Message } from '../../../../src/core/message.ts';
import { words } from '../../../../src/core/words.ts';
import { BridgeError } from '../../../../src/errors.ts';
import { message, person, source, thread } from '../../../fakes/samples.ts';
import { type Act, createScriptedAgent, type ScriptedAgent } from '../../../fakes/scripted-agent.ts';
import { ask, createWorld, type Process, seen, type World, type WorldOptions } from '../../../fakes/world.ts';

const PNG = Uint8Array.from('\x89PNG\r\n\x1a\n', (mark) => mark.charCodeAt(0));
let world: World;
afterEach(() => world.close());

const player = (name: string, say = `I am ${name}.`) =>
  createScriptedAgent({
    name,
    seesImages: name === 'painter',
    script: () => [{ tell: { type: 'session', session: `session of ${name}` } }, { say }],
    sources: () => ({ afterMs: 0, sources: [source({ key: name })] }),
  });

function open(options: Partial<WorldOptions> = {}): Record<'books' | 'painter' | 'tax', ScriptedAgent> {
  const agents = { books: player('books'), painter: player('painter'), tax: player('tax') };
  world = createWorld({ agents: Object.values(agents), ...options });
  return agents;
}
const documentOf = (turn: TurnId) => seen(world.channel, turn).document;
async function say(process: Process, text: string, over: Partial<Message> & { lane?: string } = {}) {
  const turn = await ask(process, text, { id: `m${world.clock.now()}`, ...over });
  await world.clock.pass(2_000);
  return documentOf(turn);
}

describe('the agent that answers', () => {
  test('is the default; a thread that names one keeps it, other threads do not', async () => {
    open();
    const process = await world.boot();
    expect((await say(process, 'Who?')).agent).toBe('books');
    expect((await say(process, 'Who?', { agent: agentName('tax'), lane: 'a' })).agent).toBe('tax');
    expect((await say(process, 'And now?', { lane: 'a' })).agent).toBe('tax');
    expect((await say(process, 'Who?')).agent).toBe('books');
  });

  test('is the second named one only once; the thread keeps the first', async () => {
    open();
    const process = await world.boot();
    await say(process, 'Who?', { agent: agentName('tax') });
    expect((await say(process, 'Who?', { agent: agentName('painter') })).agent).toBe('painter');
    expect((await say(process, 'Who?')).agent).toBe('tax');
  });

  test('in a direct chat is the named one for that question only; then use, or the default, counts again', async () => {
    open();
    const process = await world.boot();
    const chat = { thread: thread({ kind: 'direct', room: 'ada', key: 'd' }) };
    expect((await say(process, 'a', { ...chat, agent: agentName('tax') })).agent).toBe('tax');
    expect((await say(process, 'b', { ...chat, agent: agentName('painter') })).agent).toBe('painter');
    expect((await say(process, 'Who?', chat)).agent).toBe('books');
    await say(process, 'use tax', chat);
    expect((await say(process, 'c', { ...chat, agent: agentName('painter') })).agent).toBe('painter');
    expect((await say(process, 'Who?', chat)).agent).toBe('tax');
  });

  test('changes with use, for every process', async () => {
    open();
    const first = await world.boot();
    await say(first, 'Who?', { agent: agentName('tax') });
    expect((await say(first, 'use painter')).text).toContain('**painter** answers ');
    await first.stop(0);
    expect((await say(await world.boot(), 'Who?')).agent).toBe('painter');
  });

  test('is the room’s agent before the default; the message’s own room comes before both', async () => {
    open({ roomAgent: agentName('tax') });
    const process = await world.boot();
    expect((await say(process, 'Who?')).agent).toBe('tax');
    expect((await say(process, 'Who?', { roomAgent: agentName('painter') })).agent).toBe('painter');
  });

  test('must exist: an unknown name fails with a list, and the thread is not stuck with it', async () => {
    open();
    const process = await world.boot();
    const failed = await say(process, 'Who?', { agent: agentName('nobody') });
    expect(failed).toMatchObject({ state: 'failed', retry: false });
    expect(failed.notices[0]?.text).toContain('You can ask: books, painter, tax.');
    expect((await say(process, 'Who?')).agent).toBe('books');
  });

  test('is the default if the thread’s chosen agent is no longer configured', async () => {
    const { books, painter } = open();
    const first = await world.boot();
    await say(first, 'use tax');
    await first.stop(0);
    const second = await world.boot({ agents: [books, painter] });
    expect((await say(second, 'Who?')).agent).toBe('books');
    expect((await say(second, 'use painter')).text).toContain('**painter** answers ');
    expect((await say(second, 'Who?')).agent).toBe('painter');
  });

  test('does not answer a person who may not ask, who cannot choose the thread’s agent either', async () => {
    const agents = open();
    const process = await world.boot();
    const guest = person({ standing: 'guest', id: 'eve' });
    const refused = await say(process, 'Who?', { sender: guest, agent: agentName('tax') });
    expect(refused).toMatchObject({ state: 'failed', retry: false });
    expect(refused.notices[0]?.text).toMatch(
      /^Guests and people from other organizations cannot use this here\./,
    );
    // The refusal offers the person neither another agent nor "Ask as me".
    expect(refused).not.toHaveProperty('agent');
    expect((await say(process, 'Who?')).agent).toBe('books');
    expect(agents.tax.askings).toEqual([]);
  });

  test('requires an account of the platform if the policy does, and says so', async () => {
    open({ policy: { unmapped: 'refuse' } });
    const refused = await say(await world.boot(), 'Who?');
    expect(refused.notices[0]?.text).toMatch(/your account on the agent platform/);
    expect(refused).not.toHaveProperty('agent');
  });

  test.each([
    'direct',
    'room',
  ] as const)('is not asked in a %s thread for a person whose account the platform refuses', async (kind) => {
    let refused: BridgeError | undefined;
    const books = createScriptedAgent({
      name: 'books',
      script: () => [{ say: 'Two years.' }],
      refuses: (account) => (account === 'ada@p' ? refused : undefined),
    });
    open({ agents: [books], policy: { identity: [{ person: 'ada', account: 'ada@p' }] } });
    const process = await world.boot();
    const at = { thread: thread({ kind }) };
    expect((await say(process, 'How long?', at)).text).toBe('Two years.');
    refused = new BridgeError('platform-refused', 'The account is disabled.');
    const document = await say(process, 'And now?', at);
    expect(document.notices[0]?.text).toContain(words.accountRefused);
    expect(document.text).toBe('');
    refused = new BridgeError('platform-unreachable', 'No connection.');
    expect((await say(process, 'And now?', at)).notices[0]?.text).toMatch(/^The agent could not be reached/);
    expect(books.askings).toHaveLength(1);
    const bob = { ...at, sender: person({ id: 'bob' }) };
    expect((await say(process, 'And for me?', bob)).text).toBe('Two years.');
  });

  test('has a session per thread, agent and account', async () => {
    const { books } = open({ policy: { identity: [{ person: 'bob', account: 'bob@p' }], rooms: 'asker' } });
    const process = await world.boot();
    const bob = person({ id: 'bob' });
    for (const sender of [person(), bob, bob, person()]) await say(process, 'Who?', { sender });
    expect(books.askings.map(({ question }) => [question.account, question.session])).toEqual([
      [undefined, undefined],
      ['bob@p', undefined],
      ['bob@p', 'session of books'],
      [undefined, 'session of books'],
    ]);
  });

  test('uses the room’s account in a room and the asker’s in private, in separate sessions', async () => {
    const identity = [{ person: 'ada', account: 'ada@p' }];
    const { books } = open({ policy: { identity }, room: { account: 'room@p' } });
    const process = await world.boot();
    const direct = thread({ kind: 'direct', room: 'ada and books', key: 'd' });
    await say(process, 'Who?');
    await say(process, 'Who?', { thread: direct });
    await say(process, 'And now?', { thread: direct });
    expect(books.askings.map(({ question }) => [question.account, question.session])).toEqual([
      ['room@p', undefined],
      ['ada@p', undefined],
      ['ada@p', 'session of books'],
    ]);
  });

  test('chosen in a direct room holds for the person’s other threads there', async () => {
    open();
    const process = await world.boot();
    const direct = (key: string) => thread({ kind: 'direct', room: 'ada', key });
    await say(process, 'use tax', { thread: direct('one') });
    expect((await say(process, 'Who?', { thread: direct('two') })).agent).toBe('tax');
    await say(process, 'use painter', { thread: thread({ key: 'a' }) });
    expect((await say(process, 'Who?', { thread: thread({ key: 'b' }) })).agent).toBe('books');
  });
});

describe('the language', () => {
  test('is the one chosen in the thread, or else by the asker; the locale is not a choice', async () => {
    const { books } = open();
    const process = await world.boot();
    const sender = person({ locale: 'fr' });
    await say(process, 'Who?', { sender });
    await say(process, 'language de');
    await say(process, 'Who?', { sender });
    await say(process, 'language auto');
    await say(process, 'Who?', { sender });
    await say(process, 'Who?', { sender: { ...sender, language: 'ja' } });
    expect(books.askings.map(({ question }) => [question.language, question.locale])).toEqual([
      [undefined, 'fr'],
      ['de', 'fr'],
      [undefined, 'fr'],
      ['ja', 'fr'],
    ]);
  });
});

describe('why', () => {
  test('describes the last answer and ignores later commands', async () => {
    open({ room: { account: 'room@p' } });
    const process = await world.boot();
    expect((await say(process, 'why')).text).toContain('no answer here yet');
    await say(process, 'Who?');
    await say(process, 'help');
    const { text } = await say(process, 'why');
    expect(text).toContain('**books** answered, using the platform account **room@p**');
    expect(text).toContain('1 source');
  });
});

describe('another person’s private answer', () => {
  test('cannot be asked again by a press of someone else', async () => {
    const { books } = open();
    const process = await world.boot();
    const direct = thread({ kind: 'direct', room: 'ada', key: 'd' });
    const turn = await ask(process, 'My secret?', { thread: direct });
    await world.clock.pass(3_000);
    for (const over of [{ sender: person({ id: 'eve' }) }, { thread: thread({ tenant: 'umbrella' }) }]) {
      const nameless = message({ text: '', ...over });
      const origin = { kind: 'act', key: `press ${over.sender?.id}`, of: turn } as const;
      expect((await process.intake({ kind: 'ask', origin, message: nameless })).kind).toBe('refused');
    }
    const eve = person({ id: 'eve' });
    expect(
      (await process.intake({ kind: 'show', thread: direct, turn, edition: 1, by: eve, key: 'k' })).kind,
    ).toBe('refused');
    expect(books.askings).toHaveLength(1);
  });
});

describe('commands', () => {
  test('new starts a new conversation with the thread’s agent', async () => {
    const { books } = open();
    const process = await world.boot();
    await say(process, 'one');
    expect((await say(process, 'new')).text).toContain('A new conversation with **books**');
    await say(process, 'two');
    expect(books.askings.map(({ question }) => question.session)).toEqual([undefined, undefined]);
  });

  test('sources shows the last answer’s sources again, even after a restart', async () => {
    open();
    const first = await world.boot();
    expect((await say(first, 'sources')).text).toContain('has no sources');
    await say(first, 'one');
    await first.stop(0);
    const shown = await say(await world.boot(), 'sources');
    expect(shown.text).toContain('1 source.');
    expect(shown.sources.map(({ key }) => key)).toEqual(['books']);
  });

  test('whoami, agents and help are answered without asking an agent', async () => {
    const agents = open({ policy: { identity: [{ person: 'ada', account: 'ada@p' }], rooms: 'asker' } });
    const process = await world.boot();
    expect((await say(process, 'whoami')).text).toContain('platform account **ada@p**');
    expect((await say(process, 'agents')).text).toContain('**painter**: Plays painter. Accepts images.');
    const help = await say(process, '/help');
    expect(help).toMatchObject({ state: 'done', retry: false });
    expect(help.text).toContain('`use` *AGENT* to choose who answers from now on');
    // The bridge itself answered, so the reply has none of the buttons of an agent's answer.
    expect(help.agent).toBeUndefined();
    expect(Object.values(agents).flatMap(({ askings }) => askings)).toEqual([]);
  });

  test('a command word with a file is a question', async () => {
    const { books } = open();
    const file = { id: 'f', name: 'a.png', type: 'image/png', bytes: 10 };
    await say(await world.boot(), 'help', { files: [file] });
    expect(books.askings.map(({ question }) => question.text)).toEqual(['help']);
  });
});

describe('images', () => {
  const file = { id: 'f', name: 'plan.png', type: 'image/png', bytes: 10 };

  test('reach an agent that accepts them', async () => {
    const { painter } = open();
    world.channel.files.set('f', PNG);
    const shown = await say(await world.boot(), 'What is it?', {
      agent: agentName('painter'),
      files: [file],
    });
    expect(shown).toMatchObject({ state: 'done', notices: [] });
    expect(painter.askings[0]?.question.images).toEqual(['image-1-1']);
    expect(painter.uploads[0]?.[0]).toMatchObject({ name: 'plan.png', type: 'image/png', bytes: PNG });
  });

  test('that cannot be passed on are named under the answer, which is given nevertheless', async () => {
    open();
    const shown = await say(await world.boot(), 'What is it?', {
      agent: agentName('painter'),
      files: [file],
    });
    expect(shown).toMatchObject({ state: 'done', text: 'I am painter.' });
    expect(shown.notices).toEqual([
      { tone: 'warning', text: expect.stringContaining('"plan.png" could not be opened') },
    ]);
  });

  test('for an agent without image support are left out, with a notice', async () => {
    const { books } = open();
    const shown = await say(await world.boot(), 'What is it?', { files: [file] });
    expect(shown.notices.map(({ text }) => text)).toEqual([expect.stringContaining('accepts no images')]);
    expect(books.askings[0]?.question.images).toEqual([]);
  });
});

describe('Retry', () => {
  test('continues in the same message, once however often it is pressed', async () => {
    const scripts: readonly (readonly Act[])[] = [
      [{ say: 'Two' }, { fail: new BridgeError('platform-interrupted', 'reset') }],
      [{ pause: 1_000 }, { say: 'Two years.' }],
    ];
    const agent = createScriptedAgent({ name: 'books', script: (_, nth) => scripts[nth - 1] ?? [] });
    world = createWorld({ agents: [agent] });
    const process = await world.boot();
    const failed = await ask(process, 'How long?');
    await world.clock.pass(2_000);
    const shown = seen(world.channel, failed);
    expect(shown.document.state).toBe('partial');
    const again = {
      kind: 'ask',
      origin: { kind: 'retry', of: failed, by: 'ada' },
      message: message(),
    } as const;
    const kept = await Promise.all([process.intake(again), process.intake(again)]);
    expect(kept.map(({ kind }) => kind)).toEqual(['kept', 'duplicate']);
    await world.clock.pass(500);
    expect(world.channel.messages().map(({ document }) => document.state)).toEqual(['thinking']);
    await world.clock.pass(5_000);
    const [answered, ...others] = world.channel.messages();
    expect(others).toEqual([]);
    expect(answered?.id).toBe(shown.id);
    expect(answered?.document).toMatchObject({ state: 'done', text: 'Two years.', notices: [] });
  });

  test('of a running or unknown turn is refused with a sentence', async () => {
    open();
    const process = await world.boot();
    const turn = await ask(process, 'one');
    const retry = (of: TurnId) =>
      process.intake({ kind: 'ask', origin: { kind: 'retry', of, by: 'ada' }, message: message() });
    expect(await retry(turn)).toEqual({ kind: 'refused', tellUser: words.notRepeatableYet });
    expect(await retry(turnId('t-99'))).toEqual({
      kind: 'refused',
      tellUser: expect.stringContaining('ask the question again'),
    });
  });
});
