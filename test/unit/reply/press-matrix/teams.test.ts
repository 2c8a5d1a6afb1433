/** Checks in the fake Teams, with its real invokes, which person may press which button (attack S26). */

import { afterEach, beforeEach, expect } from 'vitest';
import { turnId } from '../../../../src/kit.ts';
import { permissionsOf } from '../../../fakes/permissions.ts';
import type { Conversation, FakePerson, FakeTenant, Message } from '../../../fakes/teams/index.ts';
import { type Answered, answer, documentOf, turnOf } from '../../teams/interactions/rig.ts';
import { type Rig, startRig } from '../../teams/rig.ts';
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
let tenant: FakeTenant;
let room: Conversation;
let asker: FakePerson;
beforeEach(async () => {
  rig = await startRig({ permissions: permissionsOf({ correct: ['member'] }) });
  tenant = rig.fake.tenant();
  room = tenant.team().channel();
  asker = tenant.person({ name: 'Asker' });
});
afterEach(() => rig.close());

function personOf(who: PersonName): FakePerson {
  asker.dm();
  if (who === 'asker') return asker;
  const person = tenant.person({
    name: who,
    ...(who === 'guest' && { role: 'guest' }),
    ...(who === 'foreigner' && { home: '99999999-9999-4999-8999-999999999999' }),
  });
  if (who === 'barred') rig.barred.add(person.id).add(person.aadObjectId);
  person.says(room, 'Hello', { silent: true });
  person.dm();
  return person;
}

const answered = (action: Pressing): Promise<Answered> => {
  const sources = [
    { key: 'a', title: 'Colours', kind: 'document', mark: 1, fragments: [{ text: PASSAGE }] } as const,
  ];
  const document = documentOf({
    ...{
      sources,
      suggestions: [SUGGESTION, CHOICE],
      retry: action === 'retry',
      editions: { shown: 2, count: 2 },
    },
    ...(action === 'stop' && { state: 'writing' }),
  });
  return answer(rig, asker, room, document);
};

const titles: Readonly<Record<Exclude<Pressing, 'feedback'>, string>> = {
  stop: 'Stop',
  instead: 'Ask this instead',
  retry: 'Retry',
  regenerate: 'Regenerate',
  show: '‹',
  suggestion: SUGGESTION,
  personalData: CHOICE,
  agent: 'Ask',
  mine: 'Ask as me',
  sources: 'parley.sources',
  share: 'parley.shareSource',
  correct: 'parley.correct',
};

/** Gives another person the asker's card with the sources. An attacker could forge the same card. */
async function showSources(reply: Message, person: FakePerson): Promise<void> {
  await asker.presses(reply, titles.sources).answer;
  const card = reply.views.get(asker.aadObjectId);
  if (card === undefined) throw new Error('There is no card with sources.');
  reply.views.set(person.aadObjectId, card);
}

async function pressed(action: Pressing, { reply, said }: Answered, person: FakePerson): Promise<unknown> {
  if (action === 'feedback') return person.rates(said, { reaction: 'like' }).form;
  const inputs = action === 'agent' ? { agent: 'knowledge' } : {};
  return (await person.presses(reply, titles[action], inputs).answer)?.value;
}

/** Returns the note about another question of the asker, which waits in the thread. */
async function waitingNote({ thread, root }: Answered): Promise<Message> {
  const turn = turnOf(thread, root, asker, turnId('waits'));
  rig.waiting.add(turn.id);
  await rig.adapter.abilities.waiting?.say(turn, 1);
  const note = () =>
    rig.fake.messages(room).find(({ shown }) => JSON.stringify(shown).includes('parley.instead'));
  await expect.poll(note).toBeDefined();
  return note() ?? Promise.reject(new Error('there is no note'));
}

async function press(action: Pressing, who: PersonName): Promise<Outcome> {
  const reply = await answered(action);
  const there = action === 'instead' ? { ...reply, reply: await waitingNote(reply) } : reply;
  const person = personOf(who);
  if (action === 'share') await showSources(there.reply, person);
  const before = rig.fake.messages(room).length;
  const shown = JSON.stringify(await pressed(action, there, person));
  const posted = rig.fake.messages(room).slice(before);
  return {
    intakes: rig.taken,
    shown,
    posted: posted.map(({ shown: { text, attachments } }) => JSON.stringify([text, attachments])).join('\n'),
  };
}

checkMatrix(
  [
    ...(['stop', 'instead', 'retry', 'regenerate', 'show'] as const),
    ...(['suggestion', 'personalData', 'agent', 'mine'] as const),
    ...(['feedback', 'sources', 'share', 'correct'] as const),
  ],
  press,
);
