/** A complete reply on the fake Teams, written by the adapter, with its card. */

import { agentName } from '../../../../src/kit/ladder.ts';
import { type ReplyDocument, type ThreadRef, type Turn, turnId } from '../../../../src/kit.ts';
import { message as messageWith, turn as turnWith } from '../../../fakes/samples.ts';
import type { Conversation, FakePerson, Message } from '../../../fakes/teams/index.ts';
import { blank } from '../../reply/markdown/documents.ts';
import type { Rig } from '../rig.ts';

export const TURN = turnId('0199d3a0-0000-7000-8000-000000000001');

/** Maximum number of moves of a reply. */
const MANY = 20;
/** Milliseconds between two moves. */
const PACE_MS = 5_000;

export function documentOf(over: Partial<ReplyDocument> = {}): ReplyDocument {
  return {
    ...blank,
    turn: TURN,
    agent: agentName('guide'),
    text: 'It is **blue** [1].',
    sources: [
      {
        key: 'a',
        title: 'Colours',
        kind: 'document',
        mark: 1,
        fragments: [{ text: 'Blue is the colour of the sky.', score: 0.9 }],
      },
    ],
    suggestions: ['And at night?'],
    ...over,
  };
}

export function turnOf(thread: ThreadRef, message: string, person: FakePerson, id = TURN): Turn {
  const question = messageWith({
    id: `${thread.room}/${message}`,
    thread,
    sender: { id: person.aadObjectId, account: person.id, name: person.name, standing: 'member' },
    text: 'Which colour is it?',
    sentAt: 1,
  });
  return turnWith({ id, message: question, keptAt: 1 });
}

export interface Answered {
  readonly thread: ThreadRef;
  /** Id of the question's message. */
  readonly root: string;
  /** The message with the buttons. */
  readonly reply: Message;
  /** The message with the text and the feedback thumbs. */
  readonly said: Message;
}

/** Asks a question and answers it with this document. */
export async function answer(
  rig: Rig,
  person: FakePerson,
  place: Conversation,
  document: ReplyDocument = documentOf(),
): Promise<Answered> {
  const heard = person.mentions(place, 'Which colour is it?');
  await heard.delivery?.done;
  const asked = rig.taken.at(-1);
  if (asked?.kind !== 'ask') throw new Error('the question was not taken in');
  const { thread } = asked.message;
  rig.taken.length = 0;
  const turn = turnOf(thread, heard.message.id, person, document.turn);
  const before = rig.fake.messages(place).length;
  await write(rig, turn, document);
  rig.replies.set(document.turn, { thread, document, askedBy: person.aadObjectId });
  const [said, ...others] = rig.fake.messages(place).slice(before);
  const reply = others.find(({ shown }) => shown.attachments.length > 0) ?? said;
  if (said === undefined || reply === undefined) throw new Error('there is no reply');
  return { thread, root: heard.message.id, reply, said };
}

/** Writes these documents of one turn, one after the other. */
export async function write(rig: Rig, turn: Turn, ...documents: readonly ReplyDocument[]): Promise<void> {
  const writer = rig.adapter.writer(turn);
  const { signal } = new AbortController();
  let screen = writer.blank();
  for (const document of documents) {
    let made = 0;
    for (let now = Date.now(); ; now += PACE_MS) {
      const [move] = writer.next(screen, document, now);
      if (move === undefined) break;
      if (++made > MANY) throw new Error('the reply never comes to rest');
      const outcome = await writer.perform(move, signal);
      screen = writer.after(screen, move, outcome, now);
    }
  }
}
