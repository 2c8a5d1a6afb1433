/** Checks in the console, over HTTP, which person may press which button (attack S26). */

import { afterEach, beforeEach } from 'vitest';
import type { ConsolePerson } from '../../../../adapters/console/config.ts';
import type { RoomPage } from '../../../../adapters/console/wire.ts';
import { agentName } from '../../../../src/kit/ladder.ts';
import { correctionsOf } from '../../../fakes/corrections.ts';
import { permissionsOf, refusingPresses } from '../../../fakes/permissions.ts';
import { documentOf, json, openRig, type Rig, show, type TestHost, turnOf } from '../../console/rig.ts';
import {
  CHOICE,
  checkMatrix,
  type Outcome,
  PASSAGE,
  type PersonName,
  type Pressing,
  SUGGESTION,
} from './matrix.ts';

const people: readonly ConsolePerson[] = [
  { id: 'asker', name: 'Asker', title: '' },
  { id: 'another', name: 'Another', title: '' },
  { id: 'barred', name: 'Barred', title: '' },
  { id: 'guest', name: 'Guest', title: '', standing: 'guest' },
  { id: 'foreigner', name: 'Foreigner', title: '', standing: 'external' },
];

let rig: Rig;
beforeEach(async () => {
  const permissions = permissionsOf({ correct: ['member'] });
  const host = (test: TestHost) =>
    void Object.assign(test, {
      refusal: permissions.refusal,
      pressRefusal: refusingPresses(new Set(['barred'])),
      corrections: correctionsOf(permissions),
    });
  rig = await openRig({ config: { people }, host });
});
afterEach(() => rig.close());

const requests: Readonly<Record<Exclude<Pressing, 'sources'>, readonly [path: string, body: object]>> = {
  stop: ['replies/t1/stop', {}],
  instead: ['replies/t1/instead', {}],
  retry: ['replies/t1/retry', {}],
  regenerate: ['replies/t1/regenerate', {}],
  show: ['replies/t1/show', { edition: 1, nonce: 'n' }],
  suggestion: ['replies/t1/suggest', { text: SUGGESTION, nonce: 'n' }],
  personalData: ['replies/t1/suggest', { text: CHOICE, nonce: 'n' }],
  agent: ['replies/t1/ask', { agent: 'vision', nonce: 'n' }],
  mine: ['replies/t1/ask-me', { nonce: 'n' }],
  feedback: ['replies/t1/feedback', { verdict: 'up' }],
  correct: ['replies/t1/correction', {}],
  share: ['shares', { turn: 't1', source: 'a', room: 'support' }],
};

async function press(action: Pressing, who: PersonName): Promise<Outcome> {
  if (action === 'sources') throw new Error('The page shows sources without a press.');
  await rig.say('general', { as: 'asker', text: '@knowledge hi' });
  const turn = turnOf(rig.host.taken.at(-1), 't1');
  const sources = [{ key: 'a', title: 'Colours', kind: 'document', fragments: [{ text: PASSAGE }] } as const];
  const document = documentOf(turn, {
    ...{ agent: agentName('knowledge'), state: 'done', text: 'Hello', retry: true, sources },
    ...{ suggestions: [SUGGESTION, CHOICE] },
  });
  await show(rig, turn, [document]);
  rig.host.reply = async () => ({ ...document, question: 'hi' });
  rig.host.taken.length = 0;
  const [path, body] = requests[action];
  const answer = await rig.call(`/console/${path}`, json({ as: who, ...body }));
  const support = await rig.get<RoomPage>('/console/rooms/support');
  return {
    intakes: rig.host.taken,
    shown: await answer.text(),
    posted: support.messages.map((each) => JSON.stringify(each)).join('\n'),
  };
}

checkMatrix(
  [
    'stop',
    'instead',
    'retry',
    'regenerate',
    'show',
    'suggestion',
    'personalData',
    'agent',
    'mine',
    'feedback',
    'share',
    'correct',
  ],
  press,
);
