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
  type PressContext,
  type Pressed,
  press,
  question,
  type ThreadRef,
  type Verdict,
} from 'parley/kit';
import { actionWords, type KeptReply, pressOf, pressWordIn, taken } from 'parley/kit/ladder';
import { CHANNEL } from '../protocol.ts';
import { sourceLines } from '../render/message.ts';
import { words } from '../render/words.ts';
import { ownKey } from './people.ts';
import { type Sent, type ShownReply, threadOf } from './sent.ts';

/** A person who acts, and where. */
export interface Actor {
  readonly person: Person;
  readonly room: string;
  readonly kind: ThreadRef['kind'];
  /** Unique id of the act. */
  readonly key: string;
}

export interface Acting {
  readonly host: AdapterHost;
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
  { to, emojis }: { readonly to: string; readonly emojis: readonly string[] },
  by: Actor,
  acting: Acting,
): Promise<{ readonly reply: ShownReply; readonly sentence: string } | undefined> {
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
  const reply = word === undefined ? undefined : (answered ?? (await acting.sent.lastIn(message.thread)));
  if (word === undefined || reply === undefined) return undefined;
  const { stored, act } = actionsOn(reply, by, acting);
  const done = await pressOf(word, stored);
  if (done === undefined) return undefined;
  const { kind, sentence } = await act(done);
  return kind === 'done' ? '' : sentence;
}

type Act = Pick<Press, 'action' | 'detail' | 'note'>;

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
      const asked = { id, thread, sender, text, sentAt: host.clock.now(), ...defined({ agent }) };
      return host.intake({ ...question(asked), origin });
    },
  };
  const made = (act: Act) => ({ ...act, turn: reply.turn, thread, key: by.key });
  /** The sources in one sentence, which only this person sees. */
  const sources = async (): Promise<Pressed> => {
    const opened = await openReply(made({ action: 'sources', detail: '' }), context);
    if (opened.kind === 'refused') return opened;
    const lines = sourceLines(opened.reply, (source, turn) => host.sourceLink(source, { turn, thread }));
    return lines === '' ? idle(actionWords.noSources) : { kind: 'done', sentence: lines };
  };
  return {
    stored,
    /** Runs an action with the rights of the person. Never rejects. */
    act: (done: Act) => press(made(done), context),
    showSources: () => taken(sources, { host, done: '' }),
  };
}

/** A form that a command asks the person to fill in. */
export interface Form {
  readonly fields: readonly {
    readonly name: string;
    readonly label: string;
    /** Value and label of each choice; absent for a field of free text. */
    readonly options?: readonly (readonly [string, string])[];
  }[];
  submit(values: ReadonlyMap<string, string>, actor: Actor): Promise<Pressed>;
}

const idle = (sentence: string): Pressed => ({ kind: 'idle', sentence });

/** The last reply to the person who runs a command. */
interface Last extends ReturnType<typeof actionsOn> {
  readonly reply: ShownReply;
  readonly acting: Acting;
}

interface Command {
  readonly name: string;
  /** Set if the command's node is passed on as if the person had typed it: the sentence that says so. */
  readonly typed?: string;
  run?(last: Last): Promise<Pressed | Form> | Form;
}

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
    async run(last) {
      const options = optionsOf((await last.stored())?.suggestions ?? []);
      if (options.length === 0) return idle(words.noSuggestions);
      return formFor('suggestion', [{ name: 'question', label: words.question, options }], last);
    },
  },
  agent: {
    name: 'Ask another agent',
    run(last) {
      const options = optionsOf(last.acting.host.agents().map(({ name }) => name));
      return formFor('agent', [{ name: 'agent', label: words.agent, options }], last);
    },
  },
  sources: { name: 'Show the sources of the last answer', run: (last) => last.showSources() },
  feedback: {
    name: 'Rate the last answer',
    run(last) {
      const rating = { name: 'verdict', label: words.rating, options: words.verdicts };
      return formFor('feedback', [rating, { name: 'note', label: words.note }], last);
    },
  },
};

/** The commands, by their nodes. Clients show their names in this order. */
export const commands: ReadonlyMap<string, Command> = new Map(Object.entries(table));

const optionsOf = (choices: readonly string[]) => choices.map((each) => [each, each] as const);

/** Returns a form whose first field is the detail of the action. */
const formFor = (action: ActionName, fields: Form['fields'], { reply, acting }: Last): Form => ({
  fields,
  submit: (values, by) => {
    const detail = values.get(fields[0]?.name ?? '') ?? '';
    const note = defined({ note: values.get('note')?.trim() });
    return actionsOn(reply, by, acting).act({ action, detail, ...note });
  },
});

/** Runs a command. Returns its result, or a form that the person must fill in first. */
export async function runCommand(node: string, actor: Actor, acting: Acting): Promise<Pressed | Form> {
  const { typed, run } = commands.get(node) ?? {};
  const reply = await acting.sent.lastBy(actor.room, actor.person.id);
  if (typed !== undefined)
    return taken(() => acting.host.intake(written(node, reply, actor, acting)), { ...acting, done: typed });
  if (reply === undefined || run === undefined) return idle(words.noAnswer);
  return run({ ...actionsOn(reply, actor, acting), reply, acting });
}

/** Returns the message with which the person could have typed a command. */
function written(text: string, last: ShownReply | undefined, actor: Actor, { host, tenant }: Acting) {
  const { person: sender, room, kind, key: act } = actor;
  const key = last?.key ?? ownKey(room, kind === 'room', sender);
  const thread: ThreadRef = { channel: CHANNEL, tenant, room, key, kind };
  return question({ id: `${sender.id}/command/${act}`, thread, sender, text, sentAt: host.clock.now() });
}
