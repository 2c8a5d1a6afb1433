/**
 * Actions on answers: reactions, short messages such as `retry` or the number of a suggested question, and the commands of
 * XEP-0050. All of them do the same as buttons in other channels, with the same checks.
 */

import {
  type ActionName,
  type AdapterHost,
  defined,
  type Message,
  openReply,
  type Person,
  type Press,
  press,
  question,
  type ThreadRef,
} from 'parley/kit';
import {
  actionWords,
  type KeptReply,
  type PressContext,
  type Pressed,
  pressOf,
  pressResult,
  pressWordIn,
  type Verdict,
} from 'parley/kit/ladder';
import { CHANNEL } from '../protocol.ts';
import { sourceLines } from '../render/message.ts';
import { words } from '../render/words.ts';
import type { Rooms } from '../rooms.ts';
import { ownKey, type PeopleSettings } from './people.ts';
import type { IncomingMessage } from './read.ts';
import { type Sent, type ShownReply, threadOf } from './sent.ts';

/** A person who acts, and where. */
export interface Actor {
  readonly person: Person;
  readonly room: string;
  readonly kind: ThreadRef['kind'];
  /** Unique id of the act. */
  readonly key: string;
}

export interface Acting extends PeopleSettings {
  readonly host: AdapterHost;
  readonly rooms: Pick<Rooms, 'find'>;
  readonly sent: Pick<Sent, 'replyBy' | 'lastIn' | 'lastBy'>;
  /** The account's own bare address. */
  readonly tenant: string;
}

/** Verdict of each reaction that counts as one; other reactions are ignored. */
const verdicts: ReadonlyMap<string, Verdict> = new Map([
  ['👍', 'up'],
  ['❤', 'up'],
  ['👎', 'down'],
]);

/**
 * Rates the answer that a message shows. A reaction contains all reactions of the person to the message, so an empty one
 * withdraws the rating (XEP-0444). Resolves with the reply and a sentence if the person may not rate the answer.
 */
export async function reacted(
  { to, emojis }: NonNullable<IncomingMessage['reactions']>,
  by: Actor,
  acting: Acting,
) {
  const reply = await acting.sent.replyBy(by.room, to);
  if (reply === undefined) return undefined;
  // Skin tones and the mark for colored symbols do not change a verdict.
  const bare = emojis.map((each) => each.replace(/[\u{1f3fb}-\u{1f3ff}\ufe0f]/gu, ''));
  const detail = bare.map((each) => verdicts.get(each)).find((each) => each !== undefined) ?? 'none';
  if (detail === 'none' && emojis.length > 0) return undefined;
  const { kind, sentence } = await actionsOn(reply, by, acting).act({ action: 'feedback', detail });
  return kind === 'done' ? undefined : { reply, sentence };
}

/**
 * Handles a short message such as `retry`. Resolves with undefined if the message is an ordinary question, and
 * otherwise with a sentence for the person, which is empty if nothing needs to be said.
 * @param answered the reply to which the message refers; if absent, the last reply of the thread
 */
export async function pressed(
  message: Message,
  answered: ShownReply | undefined,
  by: Actor,
  acting: Acting,
): Promise<string | undefined> {
  const word = pressWordIn(message);
  if (word === undefined) return undefined;
  const reply = answered ?? (await acting.sent.lastIn(message.thread));
  const on = reply && actionsOn(reply, by, acting);
  const action = await (on && pressOf(word, on.stored));
  if (on === undefined || action === undefined) return undefined;
  const { kind, sentence } = await on.act(action);
  return kind === 'done' ? '' : sentence;
}

/** Returns what a person can do with a reply. It has the same effect as the buttons of other channels. */
function actionsOn(reply: ShownReply, by: Actor, { host, tenant }: Acting) {
  const thread = threadOf(tenant, by.room, reply);
  const stored = () => host.reply(reply.turn, thread);
  const context: PressContext<KeptReply> = {
    channel: 'XMPP',
    host,
    isHere: true,
    person: async () => by.person,
    reply: stored,
    ask({ kind, origin, by: sender, text, agent }) {
      const id = kind === 'again' ? reply.question : `${by.key}/${kind}`;
      const message = { id, thread, sender, text, sentAt: host.clock.now(), ...defined({ agent }) };
      return host.intake({ ...question(message), origin });
    },
  };
  const made = { turn: reply.turn, thread, key: by.key };
  /** The sources in one sentence, which only this person sees. */
  const sources = async (): Promise<Pressed> => {
    const opened = await openReply({ ...made, action: 'sources', detail: '' }, context);
    if (opened.kind === 'refused') return opened;
    const lines = sourceLines(opened.reply, (source, turn) => host.sourceLink(source, { turn, thread }));
    return lines === '' ? idle(actionWords.noSources) : { kind: 'done', sentence: lines };
  };
  return {
    reply,
    stored,
    /** Runs an action with the rights of the person. Never rejects. */
    act: (act: Pick<Press, 'action' | 'detail' | 'note'>) => press({ ...act, ...made }, context),
    showSources: () => pressResult(sources, { host, done: '' }),
    agents: () => host.agents().map(({ name }) => name),
  };
}

/** A form that a command asks the person to fill in, before the action on the reply is run. */
export interface Form {
  readonly reply: ShownReply;
  readonly action: ActionName;
  /** Name and label of the field from which the person chooses, and the value and label of each choice. */
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [string, string])[];
}

const idle = (sentence: string): Pressed => ({ kind: 'idle', sentence });

interface Command {
  readonly name: string;
  /** Set if the command's node is passed on as if the person had typed it: the sentence that says so. */
  readonly typed?: string;
  /** @param on the last reply to the person who runs the command */
  run?(on: ReturnType<typeof actionsOn>): Promise<Pressed | Form> | Form;
}

const rating = { action: 'feedback', name: 'verdict', label: words.rating, options: words.verdicts } as const;

const table: Readonly<Record<string, Command>> = {
  new: { name: 'Start a new conversation', typed: words.inChat },
  stop: { name: 'Stop the running answer', typed: actionWords.stopping },
  again: {
    name: 'Ask again',
    run: async ({ act, stored }) =>
      act({ action: (await stored())?.retry ? 'retry' : 'regenerate', detail: '' }),
  },
  suggestions: {
    name: 'Ask a suggested question',
    async run({ reply, stored }) {
      const options = optionsOf((await stored())?.suggestions ?? []);
      if (options.length === 0) return idle(words.noSuggestions);
      return { reply, action: 'suggestion', name: 'question', label: words.question, options };
    },
  },
  agent: {
    name: 'Ask another agent',
    run({ reply, agents }) {
      const options = optionsOf(agents());
      return { reply, action: 'agent', name: 'agent', label: words.agent, options };
    },
  },
  sources: { name: 'Show the sources of the last answer', run: (on) => on.showSources() },
  feedback: {
    name: 'Rate the last answer',
    run: ({ reply }) => ({ reply, ...rating }),
  },
};

/** The commands, by their nodes. Clients show their names in this order. */
export const commands: ReadonlyMap<string, Command> = new Map(Object.entries(table));

const optionsOf = (choices: readonly string[]) => choices.map((each) => [each, each] as const);

/** Runs a command. Returns its result, or a form that the person must fill in first. */
export async function runCommand(node: string, actor: Actor, acting: Acting): Promise<Pressed | Form> {
  const { typed, run } = commands.get(node) ?? {};
  const last = await acting.sent.lastBy(actor.room, actor.person.id);
  if (typed !== undefined)
    return pressResult(() => acting.host.intake(written(node, last, actor, acting)), {
      ...acting,
      done: typed,
    });
  return last === undefined || run === undefined ? idle(words.noAnswer) : run(actionsOn(last, actor, acting));
}

/** Runs the action of a form that the person has filled in. */
export function submit(
  { reply, action, name }: Form,
  values: ReadonlyMap<string, string>,
  actor: Actor,
  acting: Acting,
): Promise<Pressed> {
  const note = defined({ note: values.get('note')?.trim() });
  return actionsOn(reply, actor, acting).act({ action, detail: values.get(name) ?? '', ...note });
}

/** Returns the message with which the person could have typed a command. */
function written(text: string, last: ShownReply | undefined, actor: Actor, { host, tenant }: Acting) {
  const { person: sender, room, kind, key: act } = actor;
  const key = last?.key ?? ownKey(room, kind === 'room', sender);
  const thread: ThreadRef = { channel: CHANNEL, tenant, room, key, kind };
  return question({ id: `${sender.id}/command/${act}`, thread, sender, text, sentAt: host.clock.now() });
}
