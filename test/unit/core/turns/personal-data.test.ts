import { afterEach, describe, expect, test } from 'vitest';
import type { AgentEvent, Question } from '../../../../src/core/agents/agent.ts';
import {
  choiceOf,
  isPersonalDataPrompt,
  withoutPersonalData,
} from '../../../../src/core/answer/personal-data.ts';
import type { TurnId } from '../../../../src/core/ids.ts';
import type { Media } from '../../../../src/core/reply.ts';
import { source, thread } from '../../../fakes/samples.ts';
import { type Act, createScriptedAgent, type SourceScript } from '../../../fakes/scripted-agent.ts';
import { ask, asking, createWorld, seen, type World } from '../../../fakes/world.ts';

const PROMPT = 'Your question seems to hold personal data. Please confirm that you want to send it.';
const QUESTION = 'Write to ada@example.org or call +41 44 123 45 67 today';
const SEND = 'Send it anyway';
const WITHOUT = 'Ask without it';

let world: World | undefined;
afterEach(() => {
  world?.close();
  world = undefined;
});

/**
 * Answers with the platform's prompt if the question contains an `@`, unless the request skips the prompt (`skipHint`).
 */
const script = ({ text, skipHint }: Question): readonly Act[] =>
  text.includes('@') && !skipHint ? [{ say: PROMPT }] : [{ say: `I read: ${text}` }];

async function open(memory: 'session' | 'history' = 'history', canSkipHint = true) {
  const agent = createScriptedAgent({ name: 'books', script, memory, canSkipHint });
  const other = createScriptedAgent({ name: 'other', script: () => [{ say: 'I am the other.' }] });
  const opened = createWorld({ agents: [other, agent] });
  world = opened;
  return {
    agent,
    process: await opened.boot(),
    pass: () => opened.clock.pass(5_000),
    documentOf: (turn: TurnId) => seen(opened.channel, turn).document,
  };
}
const named = { agent: 'books' as never };

describe('the prompt about personal data', () => {
  test('has two choices, and "Send it anyway" asks the question again without a prompt', async () => {
    const { agent, process, pass, documentOf } = await open();
    const first = await ask(process, QUESTION, named);
    await pass();
    expect(documentOf(first)).toMatchObject({ state: 'done', text: PROMPT, suggestions: [SEND, WITHOUT] });
    const second = await ask(process, SEND);
    await pass();
    expect(documentOf(second)).toMatchObject({
      agent: 'books',
      text: `I read: ${QUESTION}`,
      suggestions: [],
    });
    expect(agent.askings.map(({ question }) => question.skipHint ?? false)).toEqual([false, true]);
  });

  test('with "Ask without it" sends neither the data nor the earlier question that contains it', async () => {
    const { agent, process, pass, documentOf } = await open();
    await ask(process, 'Who is bob@example.org?', { ...named, lane: 'other' });
    await ask(process, QUESTION, named);
    await pass();
    const second = await ask(process, ` ${WITHOUT.toLowerCase()} `);
    await pass();
    expect(documentOf(second).text).toBe('I read: Write to [removed] or call [removed] today');
    expect(JSON.stringify(agent.askings.at(-1)?.question)).not.toMatch(/ada@|44 123/);
    expect(agent.askings.at(-1)?.question).toMatchObject({ history: [] });
    expect(agent.askings.at(-1)?.question.skipHint).toBeUndefined();
  });

  test('can be answered again: Regenerate of the choice asks the same question', async () => {
    const { agent, process, pass } = await open();
    await ask(process, QUESTION, named);
    await pass();
    const second = await ask(process, SEND);
    await pass();
    const { message } = asking(SEND);
    const origin = { kind: 'regenerate', of: second, by: 'ada', key: 'press' } as const;
    await process.intake({ kind: 'ask', origin, message: { ...message, text: '' } });
    await pass();
    expect(agent.askings.map(({ question }) => question.text)).toEqual([QUESTION, QUESTION, QUESTION]);
    expect(agent.askings.at(-1)?.question.skipHint).toBe(true);
  });

  test('keeps the data out of the history of later questions', async () => {
    const { agent, process, pass } = await open();
    await ask(process, QUESTION, named);
    await pass();
    await ask(process, SEND);
    await pass();
    await ask(process, 'And tomorrow?');
    await pass();
    const { history } = agent.askings.at(-1)?.question ?? {};
    expect(history).toMatchObject([{ question: 'Write to [removed] or call [removed] today' }]);
  });

  test.each(['direct', 'room'] as const)('of another person cannot be answered (%s)', async (kind) => {
    const { agent, process, pass, documentOf } = await open();
    const place = thread({ key: 'd', kind });
    await ask(process, QUESTION, { ...named, thread: place });
    await pass();
    const stranger = { id: 'eve', name: 'Eve', standing: 'member' } as const;
    const second = await ask(process, SEND, { thread: place, sender: stranger });
    await pass();
    expect(documentOf(second)).toMatchObject({ state: 'failed', error: 'personal-data-gone' });
    expect(agent.askings).toHaveLength(1);
  });

  test('is answered by its own agent, even if the thread has another one by now', async () => {
    const { agent, process, pass, documentOf } = await open();
    await ask(process, QUESTION, named);
    await pass();
    await ask(process, 'use other');
    await pass();
    const second = await ask(process, SEND);
    await pass();
    expect(documentOf(second)).toMatchObject({ agent: 'books', text: `I read: ${QUESTION}` });
    expect(agent.askings).toHaveLength(2);
  });

  test.each([
    [SEND, 'Mail eve@example.org'],
    [WITHOUT, 'Mail [removed]'],
  ])('%j counts for quotes of the question as well', async (choice, quote) => {
    const { agent, process, pass } = await open();
    const quoted = [{ author: 'Eve', text: 'Mail eve@example.org' }];
    await ask(process, QUESTION, { ...named, quoted });
    await pass();
    await ask(process, choice);
    await pass();
    expect(agent.askings.at(-1)?.question.quoted).toEqual([{ author: 'Eve', text: quote }]);
  });

  test('is shown once: after "Send it anyway", any text is an answer', async () => {
    const agent = createScriptedAgent({ name: 'books', script: () => [{ say: PROMPT }], canSkipHint: true });
    const opened = createWorld({ agents: [agent] });
    world = opened;
    const process = await opened.boot();
    await ask(process, QUESTION);
    await opened.clock.pass(5_000);
    const second = await ask(process, SEND);
    await opened.clock.pass(5_000);
    expect(seen(opened.channel, second).document).toMatchObject({ text: PROMPT, suggestions: [] });
  });

  test('is not answered by a message with a file, which is a question of its own', async () => {
    const { process, pass, documentOf } = await open();
    await ask(process, QUESTION, named);
    await pass();
    const files = [{ id: 'f', name: 'f.png', type: 'image/png', bytes: 3 }];
    const second = await ask(process, SEND, { files });
    await pass();
    expect(documentOf(second).text).toBe(`I read: ${SEND}`);
  });

  test('does not exist if it cannot be skipped, and a choice without one is refused kindly', async () => {
    const { process, pass, documentOf } = await open('session', false);
    const first = await ask(process, QUESTION, named);
    const second = await ask(process, SEND);
    await pass();
    expect(documentOf(first).suggestions).toEqual([]);
    expect(documentOf(second).notices[0]?.text).toContain('no longer kept here. Please ask it again');
  });
});

describe('is not seen in a real answer that mentions privacy', () => {
  const manual = source();
  const image: Media = { id: 'm', kind: 'image', name: 'plan', ref: { kind: 'file-id', id: '1' } };
  const tells = (...acts: readonly Act[]) => opens(() => [...acts, { say: PROMPT }]);
  async function opens(says: () => readonly Act[], sources?: SourceScript) {
    const agent = createScriptedAgent({
      name: 'books',
      script: says,
      memory: 'history',
      canSkipHint: true,
      ...(sources && { sources }),
    });
    const opened = createWorld({ agents: [agent] });
    world = opened;
    const process = await opened.boot();
    const pass = (ms = 5_000) => opened.clock.pass(ms);
    const documentOf = (turn: TurnId) => seen(opened.channel, turn).document;
    const turn = await ask(process, QUESTION, named);
    return { agent, process, pass, shown: () => documentOf(turn), documentOf };
  }

  /**
   * Expects that the answer counts as ordinary text and not as the platform's prompt about personal data: the next
   * question sends the answer as history, and the choice to send the data fails.
   */
  async function expectAnswer({ agent, process, pass, documentOf }: Awaited<ReturnType<typeof opens>>) {
    await ask(process, 'And tomorrow?');
    await pass();
    expect(agent.askings.at(-1)?.question.history).toMatchObject([{ question: QUESTION, answer: PROMPT }]);
    const choice = await ask(process, SEND);
    await pass();
    expect(documentOf(choice)).toMatchObject({ state: 'failed', error: 'personal-data-gone' });
  }

  test.each<[string, AgentEvent]>([
    ['sources', { type: 'sources', sources: [manual] }],
    ['an image', { type: 'media', media: image }],
    ['suggestions', { type: 'suggestions', suggestions: ['What else?'] }],
  ])('if it has %s', async (_what, tell) => {
    const opened = await tells({ tell });
    await opened.pass();
    const { state, suggestions } = opened.shown();
    expect(state).toBe('done');
    expect(suggestions).not.toContain(SEND);
    expect(suggestions).not.toContain(WITHOUT);
    await expectAnswer(opened);
  });

  test.each([10, 2_000])('loses its choices if its sources arrive %i ms after its end', async (afterMs) => {
    const opened = await opens(
      () => [{ say: PROMPT }],
      () => ({ afterMs, sources: [manual] }),
    );
    await opened.pass(afterMs + 1_000);
    await opened.pass();
    expect(opened.shown()).toMatchObject({ state: 'done', sources: [manual], suggestions: [] });
    await expectAnswer(opened);
  });
});

describe('text that resembles a prompt', () => {
  test.each([
    [QUESTION, PROMPT, true],
    ['Call 044 123 45 67', '您的问题包含个人信息，请确认是否继续。', true],
    ['Mail an eva@example.de', 'Ihre Frage enthält personenbezogene Daten.', true],
    ['What is personal data?', PROMPT, false],
    ['What changed on 2024-10-01 in the privacy policy?', PROMPT, false],
    // A word of 100,000 letters must not take quadratic time.
    ['x'.repeat(100_000), PROMPT, false],
    [QUESTION, 'I wrote to her.', false],
    [QUESTION, `${PROMPT}${' More.'.repeat(200)}`, false],
  ])('%j answered with %j: %s', (question, answer, is) => {
    const bare = { sources: [], media: [], suggestions: [] };
    expect(isPersonalDataPrompt(question, { ...bare, text: answer })).toBe(is);
  });

  test('the removal from a question takes linear time', () => {
    expect(withoutPersonalData('Mail a.b+c@x-y.example.org, not 12 or 2026')).toBe(
      'Mail [removed], not 12 or 2026',
    );
    expect([choiceOf(' send it ANYWAY '), choiceOf('Ask without it'), choiceOf('send it')]).toEqual([
      'send',
      'without',
      undefined,
    ]);
  });
});
