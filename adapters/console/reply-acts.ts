/** What people press under an answer, besides Stop and Retry. */

import {
  type AdapterHost,
  agentName,
  type IntakeResult,
  type Message,
  type ThreadRef,
  turnId,
} from '../../src/kit.ts';
import { DIRECT_THREAD, type MessageRecord } from './chat/records.ts';
import type { ConsolePerson } from './config.ts';
import { badRequest, notFound } from './http/refusal.ts';
import { directRoom, threadRef, toPerson } from './inbound.ts';
import { findPerson, findReply, findRoom, type LookupDeps } from './lookups.ts';
import type { Talk } from './talk.ts';
import type { Act, Acted, Again, AskAnother, Judgement, Showing } from './wire.ts';

interface Deps extends LookupDeps {
  readonly host: AdapterHost;
  readonly talk: Talk;
}

interface Seen {
  readonly person: ConsolePerson;
  readonly record: MessageRecord;
  readonly thread: ThreadRef;
}

export class ReplyActs {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** One more version, in the same message. */
  async regenerate(turn: string, { as }: Act): Promise<Acted> {
    const { person, record } = this.#seen(turn, as);
    const origin = { kind: 'regenerate', of: turnId(turn), by: person.id } as const;
    return acted(
      await this.#deps.host.intake({ kind: 'ask', origin, message: this.#question(record, person) }),
    );
  }

  /** Another version that is kept. */
  async show(turn: string, { as, edition, nonce }: Showing): Promise<Acted> {
    const { person, thread } = this.#seen(turn, as);
    const key = JSON.stringify([person.id, nonce]);
    const by = toPerson(person);
    const event = { kind: 'show', thread, turn: turnId(turn), edition, by, key } as const;
    return acted(await this.#deps.host.intake(event));
  }

  /** The question, asked of another agent beside the answer that is there. */
  async askAnother(turn: string, { as, agent, nonce }: AskAnother): Promise<Acted> {
    const { person, record } = this.#seen(turn, as);
    if (!this.#deps.host.agents().some(({ name }) => name === agent))
      throw badRequest('There is no such agent.');
    const origin = { kind: 'act', key: JSON.stringify([person.id, nonce]), of: turnId(turn) } as const;
    const message = { ...this.#question(record, person), agent: agentName(agent) };
    return acted(await this.#deps.host.intake({ kind: 'ask', origin, message }));
  }

  /** The question once more in the person's own conversation with the agent, which answers with their rights. */
  async askAsMe(turn: string, { as, nonce }: Again): Promise<MessageRecord> {
    const { person, record } = this.#seen(turn, as);
    const question = this.#asked(record).asked?.text ?? '';
    const agent = this.#deps.host.agents().find(({ name }) => name === record.reply?.agent);
    if (!agent) throw notFound('The agent of this answer is not here any more.');
    const { id: room } = directRoom(person, agent);
    return this.#deps.talk.say(room, { as, text: question, files: [], thread: DIRECT_THREAD, nonce });
  }

  async judge(turn: string, { as, verdict, note }: Judgement): Promise<Acted> {
    const { chat, host } = this.#deps;
    const { person, record, thread } = this.#seen(turn, as);
    const by = toPerson(person);
    const event = { kind: 'feedback', thread, turn: turnId(turn), by, verdict } as const;
    const kept = await host.intake(note === undefined ? event : { ...event, note });
    if (kept.kind !== 'noted') return { done: false, reason: 'This answer is too old for feedback.' };
    chat.judge(record, person.id, verdict);
    return { done: true };
  }

  #seen(turn: string, as: string): Seen {
    const person = findPerson(this.#deps, as);
    const record = findReply(this.#deps, turn);
    const thread = threadRef(findRoom(this.#deps, record.room, person), record.thread);
    return { person, record, thread };
  }

  #asked(record: MessageRecord): MessageRecord {
    const question = this.#deps.chat.message(record.reply?.question ?? '');
    if (!question?.asked) throw notFound('The question of this answer is no longer kept.');
    return question;
  }

  #question(record: MessageRecord, sender: ConsolePerson): Message {
    const question = this.#asked(record);
    const room = findRoom(this.#deps, record.room, sender);
    return this.#deps.talk.message(question, question.asked ?? { text: '' }, { room, sender });
  }
}

function acted(kept: IntakeResult): Acted {
  if (kept.kind === 'refused') return { done: false, reason: kept.tellUser };
  return kept.kind === 'nothing' ? { done: false, reason: 'That is not possible any more.' } : { done: true };
}
