/**
 * Tests the table of actions: who may press which button, the event that the bridge gets, and the sentence in reply.
 */

import { describe, expect, it, test } from 'vitest';
import type { Intake, IntakeResult } from '../../../../src/core/channel/events.ts';
import { agentName, turnId } from '../../../../src/core/ids.ts';
import type { Verdict } from '../../../../src/core/message.ts';
import { words as core } from '../../../../src/core/words.ts';
import { BridgeError } from '../../../../src/errors.ts';
import type {
  ActionName,
  Press,
  PressContext,
  PressQuestion,
  SeenReply,
} from '../../../../src/reply/actions/press.ts';
import { actions, openReply, press } from '../../../../src/reply/actions/table.ts';
import { words } from '../../../../src/reply/actions/words.ts';
import { correctionsOf } from '../../../fakes/corrections.ts';
import { permissionsOf } from '../../../fakes/permissions.ts';
import { person, thread } from '../../../fakes/samples.ts';

const TURN = turnId('t1');
const ASKER = person({ id: 'asker' });
const OTHER = person({ id: 'other' });
const GUEST = person({ id: 'guest', standing: 'guest' });
const FOREIGNER = person({ id: 'foreigner', standing: 'external' });
const BOT = person({ id: 'bot', standing: 'bot' });
const { send } = core.personalData;
const AGENTS = ['books', 'films'];

const details: Partial<Record<ActionName, string>> = {
  show: '2',
  suggestion: 'And at night?',
  agent: 'films',
  feedback: 'up',
};

const doneOf = (action: ActionName): string | undefined => {
  const row: { readonly who: string; readonly done?: string } = actions[action];
  return row.done;
};

const names = Object.keys(actions).filter((each): each is ActionName => each !== 'personalData');
const pressOf = (action: ActionName, over: Partial<Press> = {}): Press => ({
  ...{ action, turn: TURN, thread: thread(), detail: details[action] ?? '', key: 'k1' },
  ...over,
});

interface Scene {
  readonly told: Intake[];
  readonly asked: PressQuestion[];
  readonly context: PressContext;
}

const reply: SeenReply = {
  agent: agentName('books'),
  suggestions: ['And at night?', send],
  state: 'done',
  askedBy: ASKER.id,
};

function sceneOf(
  { allowed = {}, ...over }: Partial<PressContext> & { allowed?: Parameters<typeof permissionsOf>[0] } = {},
  kept: IntakeResult = { kind: 'noted' },
): Scene {
  const told: Intake[] = [];
  const asked: PressQuestion[] = [];
  const context: PressContext = {
    channel: 'Chat',
    host: {
      refusal: permissionsOf(allowed, AGENTS).refusal,
      pressRefusal: async () => undefined,
      corrections: correctionsOf(),
      noteAct: async () => undefined,
      log: { debug() {}, info() {}, warn() {}, error() {} },
      agents: () => AGENTS.map((name) => ({ name: agentName(name), description: '', seesImages: false })),
      intake: async (event) => {
        told.push(event);
        return kept;
      },
    },
    isHere: true,
    person: async () => ASKER,
    reply: async () => reply,
    ask: async (each) => {
      asked.push(each);
      return kept;
    },
    ...over,
  };
  return { told, asked, context };
}

const by = (who: typeof ASKER) => ({ person: async () => who });
const nothingTold = { told: [], asked: [] };

describe.each(names)('%s', (action) => {
  test.each([
    ['a guest', by(GUEST), words.guests],
    ['somebody of another organization', by(FOREIGNER), words.guests],
    ['a bot, even if bots may ask', { ...by(BOT), allowed: { bots: true } }, words.bots],
    ['anybody from another place', { isHere: false }, words.elsewhere],
    [
      'a person the channel does not list',
      { person: () => Promise.reject(new BridgeError('access-denied', 'x', { tellUser: 'Not listed.' })) },
      'Not listed.',
    ],
    [
      'a person that the channel cannot name just now',
      { person: () => Promise.reject(new Error('slow')) },
      words.whoAreYou('Chat'),
    ],
  ])('is refused to %s', async (_, over, sentence) => {
    const scene = sceneOf(over);
    expect(await openReply(pressOf(action), scene.context)).toEqual({ kind: 'refused', sentence });
    expect(await press(pressOf(action), scene.context)).toEqual({ kind: 'refused', sentence });
    expect(scene).toMatchObject(nothingTold);
  });

  test.each([
    ['whoever asked', ASKER],
    ['another person of the room', OTHER],
    ['a guest, if guests may ask', GUEST],
    ['somebody of another organization, if they may ask', FOREIGNER],
  ])('is admitted for %s', async (_, who) => {
    const { context } = sceneOf({
      ...by(who),
      allowed: { guests: true, external: true, correct: ['everyone'] },
    });
    expect(await openReply(pressOf(action), context)).toMatchObject({ kind: 'opened', by: who, reply });
  });
});

test.each([
  ['guests', GUEST, { guests: false, external: true }],
  ['people of other organizations', FOREIGNER, { guests: true, external: false }],
])('the setting for %s concerns only them', async (_, who, allowed) => {
  const { context } = sceneOf({ ...by(who), allowed });
  expect(await press(pressOf('stop'), context)).toEqual({ kind: 'refused', sentence: words.guests });
});

describe('a press has its effect', () => {
  const at = { thread: thread(), turn: TURN };
  test.each<[ActionName, object]>([
    ['stop', { kind: 'stop', ...at, by: ASKER }],
    ['show', { kind: 'show', ...at, edition: 2, by: ASKER, key: 'k1' }],
    ['feedback', { kind: 'feedback', ...at, by: ASKER, verdict: 'up' }],
  ])('%s: sends its event to the bridge', async (action, event) => {
    const scene = sceneOf();
    expect(await press(pressOf(action), scene.context)).toEqual({
      kind: 'done',
      sentence: doneOf(action),
    });
    expect(scene.told).toEqual([event]);
  });

  test.each<[ActionName, object]>([
    ['retry', { kind: 'again', origin: { kind: 'retry', of: TURN, by: 'asker', key: 'k1' }, text: '' }],
    [
      'regenerate',
      { kind: 'again', origin: { kind: 'regenerate', of: TURN, by: 'asker', key: 'k1' }, text: '' },
    ],
    [
      'suggestion',
      { kind: 'suggestion', origin: { kind: 'act', key: 'k1' }, text: 'And at night?', agent: 'books' },
    ],
    ['agent', { kind: 'same', origin: { kind: 'act', key: 'k1', of: TURN }, text: '', agent: 'films' }],
    [
      'mine',
      {
        kind: 'mine',
        origin: { kind: 'act', key: 'k1', of: TURN, from: thread() },
        text: '',
        agent: 'books',
      },
    ],
  ])('%s: asks as the person who pressed', async (action, asked) => {
    const scene = sceneOf({}, { kind: 'kept', turn: turnId('next'), ahead: 0 });
    expect(await press(pressOf(action), scene.context)).toEqual({
      kind: 'done',
      sentence: doneOf(action),
    });
    expect(scene.asked).toEqual([{ by: ASKER, ...asked }]);
  });

  const verdicts: Readonly<Record<Verdict, true>> = { up: true, down: true, none: true };
  test.each(Object.keys(verdicts))('feedback: the verdict %s', async (verdict) => {
    const scene = sceneOf();
    await press(pressOf('feedback', { detail: verdict }), scene.context);
    expect(scene.told).toMatchObject([{ kind: 'feedback', verdict }]);
  });

  it('feedback includes its note', async () => {
    const scene = sceneOf();
    await press(pressOf('feedback', { detail: 'down', note: 'Wrong' }), scene.context);
    expect(scene.told).toMatchObject([{ verdict: 'down', note: 'Wrong' }]);
  });
});

test('only the asker may choose about personal data', async () => {
  const choice = pressOf('suggestion', { detail: send });
  for (const id of [OTHER.id, 'aske', 'asker2', 'Asker', '']) {
    const others = sceneOf(by(person({ id })));
    expect(await press(choice, others.context)).toEqual({ kind: 'refused', sentence: words.onlyAsker });
    expect(others).toMatchObject(nothingTold);
  }
  const own = sceneOf();
  expect(await press(choice, own.context)).toMatchObject({ kind: 'done' });
  expect(own.asked).toMatchObject([{ kind: 'suggestion', text: send }]);
});

/** True for each state of a reply in which the whole answer is known. */
const ended: Readonly<Record<SeenReply['state'], boolean>> = {
  ...{ thinking: false, writing: false },
  ...{ done: true, partial: true, failed: true, stopped: true, withdrawn: true },
};
test.each(
  Object.keys(ended) as SeenReply['state'][],
)('a reply that is %s is shared once it has ended', async (state) => {
  const { context } = sceneOf({
    reply: async () => ({ ...reply, state }),
    allowed: { correct: ['everyone'] },
  });
  for (const action of ['share', 'correct'] as const)
    expect(await openReply(pressOf(action), context)).toMatchObject(
      ended[state] ? { kind: 'opened' } : { kind: 'refused', sentence: words.unfinished[action] },
    );
});

describe('a press is refused', () => {
  const gone = { reply: async () => undefined };
  test.each<[string, Press, Partial<PressContext>, string]>([
    ['to share an expired reply', pressOf('share'), gone, words.stale],
    ['to show the sources of an expired reply', pressOf('sources'), gone, words.stale],
    ['to ask a suggestion of an expired reply', pressOf('suggestion'), gone, words.stale],
    [
      'to ask a question that the reply never suggested',
      pressOf('suggestion', { detail: 'Delete it.' }),
      {},
      words.stale,
    ],
    ['to ask a blank question', pressOf('suggestion', { detail: ' ' }), {}, words.stale],
    [
      'to share an answer that is being written',
      pressOf('share'),
      { reply: async () => ({ ...reply, state: 'writing' }) },
      words.unfinished.share,
    ],
    ['to show version 0', pressOf('show', { detail: '0' }), {}, words.stale],
    ['to show version 1.5', pressOf('show', { detail: '1.5' }), {}, words.stale],
    ['to ask no agent', pressOf('agent', { detail: '' }), {}, words.chooseAgent],
    ['to ask an agent that is gone', pressOf('agent', { detail: 'treasury' }), {}, words.agentGone],
    ['to give no verdict', pressOf('feedback', { detail: 'great' }), {}, words.stale],
    [
      'to ask privately in a direct thread',
      pressOf('mine', { thread: thread({ kind: 'direct' }) }),
      {},
      words.aloneAlready,
    ],
  ])('%s', async (_, pressed, over, sentence) => {
    const scene = sceneOf(over);
    expect(await press(pressed, scene.context)).toEqual({ kind: 'refused', sentence });
    expect(scene).toMatchObject(nothingTold);
  });
});

test.each<[string, IntakeResult, object]>([
  ['an ended reply', { kind: 'nothing-to-stop' }, { kind: 'idle', sentence: words.ended }],
  [
    'a refusal of the bridge',
    { kind: 'refused', tellUser: 'Too many.' },
    { kind: 'refused', sentence: 'Too many.' },
  ],
  ['an unknown reply', { kind: 'nothing' }, { kind: 'refused', sentence: words.stale }],
  ['a repeated press', { kind: 'duplicate', turn: TURN }, { kind: 'done', sentence: words.stopping }],
])('a press answers for %s', async (_, kept, answer) => {
  expect(await press(pressOf('stop'), sceneOf({}, kept).context)).toEqual(answer);
});

test('a press of Ask this instead on a question that no longer waits is idle, so that a repeated press tells nothing', async () => {
  const { context } = sceneOf({}, { kind: 'nothing-to-stop' });
  const told = { kind: 'idle', sentence: words.noLongerWaits };
  expect(await press(pressOf('instead'), context)).toEqual(told);
});

test.each([
  [new BridgeError('store-unavailable', 'x', { tellUser: 'Not now.' }), 'Not now.'],
  [new Error('x'), words.trouble],
])('a press that throws %s is refused', async (thrown, sentence) => {
  const { context } = sceneOf();
  const host = { ...context.host, intake: () => Promise.reject(thrown) };
  expect(await press(pressOf('stop'), { ...context, host })).toEqual({ kind: 'refused', sentence });
});
