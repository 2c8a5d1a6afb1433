/** Tests the form for a correction, and the sentences that follow it, as all channels show them. */

import { beforeEach, describe, expect, test } from 'vitest';
import { agentName, turnId } from '../../../../src/core/ids.ts';
import type { Person } from '../../../../src/core/message.ts';
import type { Act } from '../../../../src/core/stores/audit.ts';
import { BridgeError } from '../../../../src/errors.ts';
import {
  type CorrectableReply,
  openCorrection,
  storeCorrection,
} from '../../../../src/reply/actions/correct.ts';
import type { PressContext } from '../../../../src/reply/actions/press.ts';
import { words } from '../../../../src/reply/actions/words.ts';
import { correctionsOf, type FakeCorrections } from '../../../fakes/corrections.ts';
import { permissionsOf } from '../../../fakes/permissions.ts';
import { person, thread } from '../../../fakes/samples.ts';

const LIMITS = { question: 100, answer: 200 };
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const pressed = { action: 'correct', turn: turnId('t1'), thread: thread(), detail: '' } as const;
const reply: CorrectableReply = {
  ...{ agent: agentName('knowledge'), suggestions: [], state: 'done' },
  question: 'Where is the key?',
  text: 'In the [drawer](https://a.example) [7], see `x[1]` [2].',
  sources: [
    { key: 'a', title: 'A', kind: 'document', mark: 7, fragments: [] },
    { key: 'b', title: 'B', kind: 'document', mark: 2, fragments: [] },
  ],
};

let corrections: FakeCorrections;
let acts: Act[];
beforeEach(() => {
  corrections = correctionsOf(permissionsOf({ correct: ['member'] }));
  acts = [];
});

function contextOf({
  by = person(),
  seen = reply,
  correct = ['member'],
  ...over
}: {
  by?: Person;
  seen?: CorrectableReply | undefined;
  correct?: readonly string[];
  isHere?: boolean;
} = {}): PressContext<CorrectableReply> {
  return {
    channel: 'Chat',
    host: {
      refusal: permissionsOf({ correct, guests: true }, ['knowledge']).refusal,
      pressRefusal: async () => undefined,
      corrections,
      noteAct: async (act) => void acts.push(act),
      log: quiet,
      agents: () => [],
      intake: async () => ({ kind: 'noted' }),
    },
    isHere: true,
    person: async () => by,
    reply: async () => seen,
    ask: async () => ({ kind: 'noted' }),
    ...over,
  };
}

describe('the form', () => {
  test('has the question, and the answer without the numbers of its sources', async () => {
    expect(await openCorrection(pressed, contextOf(), LIMITS)).toEqual({
      kind: 'form',
      question: 'Where is the key?',
      answer: 'In the [drawer](https://a.example), see `x[1]`.',
      told: [words.storedIn('handbook', undefined), words.useOfPairs],
    });
  });

  test('says that a text is too long for it, and leaves it empty', async () => {
    const seen = { ...reply, text: 'x'.repeat(201), question: 'q'.repeat(101) };
    const form = await openCorrection(pressed, contextOf({ seen }), LIMITS);
    expect(form).toMatchObject({ question: '', answer: '' });
    expect(form).toMatchObject({
      told: [
        expect.any(String),
        expect.any(String),
        expect.stringContaining('The question has 101 characters'),
        expect.stringContaining('The answer has 201 characters, too many to edit here'),
      ],
    });
  });
});

const wording = { question: ' Where is the key? ', answer: 'Under the mat.\n' };

test('the wording is stored without blanks around it, and the answer says what the platform does with it', async () => {
  const done = await storeCorrection(pressed, contextOf(), wording);
  expect(done).toEqual({ kind: 'done', sentence: words.corrected('handbook') });
  expect(done.sentence).toMatch(
    /stored in “handbook” as a question-answer pair.*does not say when agents use such pairs/,
  );
  const stored = { question: 'Where is the key?', answer: 'Under the mat.', account: undefined };
  expect(corrections.pairs).toEqual([{ ...stored, workspace: 'handbook' }]);
});

test('the same wording is stored once', async () => {
  await storeCorrection(pressed, contextOf(), wording);
  expect(await storeCorrection(pressed, contextOf(), wording)).toEqual({
    kind: 'idle',
    sentence: words.correctedBefore('handbook'),
  });
  expect(corrections.pairs).toHaveLength(1);
});

describe('refused, with the reason', () => {
  test.each<[string, Parameters<typeof contextOf>[0], string]>([
    [
      'a person who may not correct',
      { correct: [] },
      'You are not allowed to correct answers here. The operator of the bridge can allow it.',
    ],
    [
      'a guest who may only ask',
      { by: person({ standing: 'guest' }) },
      'You are not allowed to correct answers here. The operator of the bridge can allow it.',
    ],
    ['a press from another conversation', { isHere: false }, words.elsewhere],
    ['a reply that is being written', { seen: { ...reply, state: 'writing' } }, words.unfinished.correct],
    ['a reply without text', { seen: { ...reply, text: ' ' } }, words.notCorrectable],
    [
      'an agent without a workspace',
      { seen: { ...reply, agent: agentName('other') } },
      words.noWorkspace('other'),
    ],
  ])('%s', async (_, how, sentence) => {
    const context = contextOf(how);
    expect(await openCorrection(pressed, context, LIMITS)).toEqual({ kind: 'refused', sentence });
    expect(await storeCorrection(pressed, context, wording)).toEqual({ kind: 'refused', sentence });
    expect(corrections.pairs).toEqual([]);
  });

  test('a reply that is no longer kept', async () => {
    const context = { ...contextOf(), reply: async () => undefined };
    expect(await openCorrection(pressed, context, LIMITS)).toMatchObject({ sentence: words.stale });
  });

  test('a wording without an answer', async () => {
    const blank = { question: 'Where?', answer: ' \n' };
    expect((await storeCorrection(pressed, contextOf(), blank)).sentence).toBe(words.wordingMissing);
  });

  test.each([
    [
      new BridgeError('platform-permission', 'no', { said: 'You may not write.' }),
      'The platform refused the correction: “You may not write.”. Nothing was stored.',
    ],
    [new BridgeError('platform-busy', 'no'), words.correctionRefused(undefined)],
  ])('what the platform refuses', async (error, sentence) => {
    corrections.platform = error;
    expect(await storeCorrection(pressed, contextOf(), wording)).toEqual({ kind: 'refused', sentence });
  });

  test('an outcome that the platform did not confirm', async () => {
    corrections.platform = 'does not confirm';
    const { sentence } = await storeCorrection(pressed, contextOf(), wording);
    expect(sentence).toBe(words.correctionUnconfirmed('handbook'));
  });
});

test('a refused press is in the audit', async () => {
  await openCorrection(pressed, contextOf({ correct: [] }), LIMITS);
  expect(acts).toEqual([expect.objectContaining({ action: 'correct', outcome: 'refused', person: 'ada' })]);
});
