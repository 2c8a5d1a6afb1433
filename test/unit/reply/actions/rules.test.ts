/** Tests that the rules decide about presses: sharing, sources, and the agent that a press asks. */

import { describe, expect, test } from 'vitest';
import { compileRules } from '../../../../src/core/access/compile.ts';
import { createPermissions } from '../../../../src/core/access/permissions.ts';
import type { Rule } from '../../../../src/core/access/rules.ts';
import { agentName, turnId } from '../../../../src/core/ids.ts';
import type { Act } from '../../../../src/core/stores/audit.ts';
import { words } from '../../../../src/core/words.ts';
import type { ActionName, PressContext, SeenReply } from '../../../../src/reply/actions/press.ts';
import { openReply, press } from '../../../../src/reply/actions/table.ts';
import { correctionsOf } from '../../../fakes/corrections.ts';
import { quiet } from '../../../fakes/quiet.ts';
import { person, thread } from '../../../fakes/samples.ts';

const AGENTS = ['books', 'tax'];
const rule = (effect: Rule['effect'], over: Partial<Rule>): Rule => ({
  ...{ effect, actions: ['ask'], who: ['everyone'], place: 'rules.yaml:1' },
  ...over,
});
const rules = compileRules({
  rules: [
    rule('allow', { actions: ['ask', 'share'], who: ['group:tax'] }),
    rule('deny', { agents: ['tax'] }),
    rule('allow', { who: ['member'] }),
    rule('allow', { who: ['guest'], kinds: ['direct'] }),
  ],
  quotas: [],
  groups: new Map([['tax', ['claim:Tax']]]),
});
const { refusal } = createPermissions(() => rules, AGENTS);

const member = person();
const inTax = person({ id: 'eve', groups: ['Tax'] });
const guest = person({ id: 'gus', standing: 'guest' });

const REFUSED = { action: 'share', outcome: 'refused', person: 'ada', turn: 't1', thread: thread().key };

/** Presses on a finished answer. `asked` counts the questions that the press asked. */
function sceneOf(by: typeof member, agent: string) {
  const told = { asked: 0, acts: [] as Act[] };
  const reply: SeenReply = { agent: agentName(agent), suggestions: [], state: 'done', askedBy: 'someone' };
  const context: PressContext = {
    channel: 'Chat',
    host: {
      refusal,
      pressRefusal: async () => undefined,
      corrections: correctionsOf(),
      noteAct: async (act) => void told.acts.push(act),
      log: quiet,
      agents: () => AGENTS.map((name) => ({ name: agentName(name), description: '', seesImages: false })),
      intake: async () => ({ kind: 'noted' }),
    },
    isHere: true,
    person: async () => by,
    reply: async () => reply,
    ask: async () => {
      told.asked += 1;
      return { kind: 'noted' };
    },
  };
  const pressed = (action: ActionName, detail = '') => ({
    ...{ action, detail, turn: turnId('t1'), thread: thread(), key: 'k1' },
  });
  return { told, context, pressed };
}

describe.each(['share', 'shareSource'] as const)('%s', (action) => {
  test('needs the permission to share, and to ask the agent', async () => {
    const open = (by: typeof member, agent: string) => {
      const { context, pressed, told } = sceneOf(by, agent);
      acts.push(told.acts);
      return openReply(pressed(action), context);
    };
    const acts: (readonly Act[])[] = [];
    expect(await open(inTax, 'tax')).toMatchObject({ kind: 'opened' });
    expect(await open(member, 'books')).toEqual({ kind: 'refused', sentence: words.mayNot.share });
    expect(await open(member, 'tax')).toEqual({
      kind: 'refused',
      sentence: words.mayNotAsk('tax', ['books']),
    });
    expect(await open(guest, 'books')).toEqual({ kind: 'refused', sentence: words.guests });
    expect(acts).toMatchObject([[], [REFUSED], [REFUSED], []]);
  });
});

test('sources are shown to people who may ask the agent', async () => {
  const open = (by: typeof member, agent: string) => {
    const { context, pressed } = sceneOf(by, agent);
    return openReply(pressed('sources'), context);
  };
  expect(await open(member, 'books')).toMatchObject({ kind: 'opened' });
  expect(await open(member, 'tax')).toEqual({ kind: 'refused', sentence: words.mayNotAsk('tax', ['books']) });
  expect(await open(inTax, 'tax')).toMatchObject({ kind: 'opened' });
});

test('another agent is asked only by people who may ask it', async () => {
  const refused = sceneOf(member, 'books');
  expect(await press(refused.pressed('agent', 'tax'), refused.context)).toEqual({
    kind: 'refused',
    sentence: words.mayNotAsk('tax', ['books']),
  });
  expect(refused.told.asked).toBe(0);
  const admitted = sceneOf(inTax, 'books');
  expect(await press(admitted.pressed('agent', 'tax'), admitted.context)).toMatchObject({ kind: 'done' });
  expect(admitted.told.asked).toBe(1);
});

test('a guest who may ask only in direct chats presses nothing in a room', async () => {
  for (const action of ['stop', 'retry', 'regenerate', 'feedback', 'mine'] as const) {
    const { context, pressed, told } = sceneOf(guest, 'books');
    expect(await press(pressed(action, 'up'), context)).toEqual({ kind: 'refused', sentence: words.guests });
    expect(told.asked).toBe(0);
  }
});
