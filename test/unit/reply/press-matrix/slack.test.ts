/** Checks in the fake Slack, with its real payloads, which person may press which button (attack S26). */

import { afterEach, beforeEach } from 'vitest';
import type { Turn } from '../../../../src/kit.ts';
import { permissionsOf } from '../../../fakes/permissions.ts';
import type { FakePerson, Message } from '../../../fakes/slack/index.ts';
import { controlOf } from '../../slack/controls.ts';
import { buttonOf, openRig, type Rig, TURN } from '../../slack/interactions/rig.ts';
import {
  CHOICE,
  checkMatrix,
  type Outcome,
  PASSAGE,
  type PersonName,
  type Pressing,
  SUGGESTION,
} from './matrix.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig({}, permissionsOf({ correct: ['member'] }));
});
afterEach(() => rig.close());

function personOf(who: PersonName): FakePerson {
  if (who === 'asker') return rig.asker;
  const person = rig.workspace.person({
    name: who,
    ...(who === 'guest' && { guest: 'multi-channel' }),
    ...(who === 'foreigner' && { team: 'T0OTHER' }),
  });
  rig.room.members.add(person.id);
  if (who === 'barred') rig.barred.add(person.id);
  return person;
}

const answered = async (action: Pressing) => {
  const sources = [{ key: 'a', title: 'Colours', kind: 'document', fragments: [{ text: PASSAGE }] } as const];
  return rig.answered({
    ...{
      sources,
      suggestions: [SUGGESTION, CHOICE],
      retry: action === 'retry',
      editions: { shown: 2, count: 2 },
    },
    ...(action === 'stop' && { state: 'writing' }),
  });
};

const controls: Partial<Record<Pressing, string>> = {
  suggestion: 'reply:suggestion:0',
  personalData: 'reply:suggestion:1',
};

/** Presses the button of a note about a waiting question; another person can only forge this press. */
async function pressInstead(question: Message, person: FakePerson): Promise<void> {
  const { id: room } = rig.room;
  const thread = {
    channel: 'slack',
    tenant: rig.workspace.id,
    room,
    key: question.ts,
    kind: 'room',
  } as const;
  const message = { id: `${room}:${question.ts}`, thread, sender: { id: rig.asker.id } };
  await rig.interactions.sayWaiting({ id: TURN, message } as Turn, 'It waits.', true);
  const note = rig.slack.messages(room).find(({ onlyFor }) => onlyFor === rig.asker.id);
  if (note === undefined) throw new Error('There is no note.');
  person.presses(note, buttonOf(note.blocks, 'reply:instead'));
}

async function pressControl(action: Pressing, reply: Message, person: FakePerson): Promise<void> {
  const kind = controls[action] ?? `reply:${action}`;
  const control = controlOf(reply.blocks, kind);
  if (control === undefined) throw new Error(`There is no ${kind}.`);
  const value = /"value":"([^"]* up)"/.exec(JSON.stringify(reply.blocks))?.[1];
  person.presses(reply, action === 'feedback' && value !== undefined ? { ...control, value } : control);
}

/** As another person, submits the form that the asker opened. An attacker could do the same. */
async function share(reply: Message, person: FakePerson): Promise<void> {
  rig.asker.presses(reply, buttonOf(reply.blocks, 'reply:sources'));
  await rig.settled();
  const [sources] = rig.asker.views();
  if (sources === undefined) throw new Error('There is no form.');
  rig.asker.presses(sources, 'sources:share:1');
  await rig.settled();
  const form = rig.asker.views().at(-1);
  if (form === undefined) throw new Error('There is no form to share with.');
  const chosen = { type: 'static_select', selected_option: { value: '1' } };
  await person.submits(form, { what: { what: chosen } });
}

async function press(action: Pressing, who: PersonName): Promise<Outcome> {
  const { question, reply } = await answered(action);
  const person = personOf(who);
  const before = rig.slack.messages(rig.room.id).length;
  if (action === 'instead') await pressInstead(question, person);
  else await (action === 'share' ? share(reply, person) : pressControl(action, reply, person));
  await rig.settled();
  const since = rig.slack.messages(rig.room.id).slice(before);
  // A forged submission names a form that the asker opened. Slack shows the response in the form that the submission
  // names, so the asker sees this response.
  const views = (action === 'share' ? rig.asker : person).views().map(({ view }) => view);
  return {
    intakes: rig.intakes,
    shown: [rig.told(person) ?? '', ...(action === 'share' ? [views.at(-1)] : views)]
      .map((each) => JSON.stringify(each))
      .join('\n'),
    posted: since
      .filter(({ onlyFor }) => onlyFor === undefined)
      .map(({ text, blocks }) => JSON.stringify([text, blocks]))
      .join('\n'),
  };
}

checkMatrix(
  [
    ...([
      'stop',
      'instead',
      'retry',
      'regenerate',
      'show',
      'suggestion',
      'personalData',
      'agent',
      'mine',
    ] as const),
    ...(['feedback', 'sources', 'share', 'correct'] as const),
  ],
  press,
);
