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
  type PressContext,
  type Pressed,
  press,
  type ThreadRef,
  type Verdict,
} from 'parley/kit';
import { actionWords, type KeptReply, type LinkOf, taken } from 'parley/kit/ladder';
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
  const { kind, sentence } = await act({ action: 'feedback', detail }, reply, by, acting);
  return kind === 'done' ? undefined : { reply, sentence };
}

/** Matches the number of a suggested question. */
const NUMBER = /^(?:10|[1-9])[.)]?$/;
/** Matches the words for which other channels have buttons. */
const AGAIN = /^\/?(retry|regenerate)$/i;

/**
 * Handles a short message such as `retry`. Resolves with undefined if the message is an ordinary question, and
 * otherwise with a sentence for the person, which is empty if nothing needs to be said.
 * @param answered the reply to which the message refers; if absent, the last reply of the thread
 */
export async function pressed(
  { text, thread, files }: Message,
  answered: ShownReply | undefined,
  by: Actor,
  acting: Acting,
): Promise<string | undefined> {
  const written = text.trim();
  const [, again] = AGAIN.exec(written) ?? [];
  if (files.length > 0 || (again === undefined && !NUMBER.test(written))) return undefined;
  const reply = answered ?? (await acting.sent.lastIn(thread));
  if (reply === undefined) return undefined;
  const stored = () => acting.host.reply(reply.turn, threadOf(acting.tenant, by.room, reply));
  const detail = again === undefined ? (await stored())?.suggestions[Number.parseInt(written, 10) - 1] : '';
  if (detail === undefined) return undefined;
  const isRetry = again?.toLowerCase() === 'retry';
  const action = again === undefined ? 'suggestion' : isRetry ? 'retry' : 'regenerate';
  const { kind, sentence } = await act({ action, detail }, reply, by, acting);
  return kind === 'done' ? '' : sentence;
}

/** An action on a reply, with its detail and, for a rating, a comment. */
interface Act {
  readonly action: ActionName;
  readonly detail: string;
  readonly note?: string;
}

/** Runs an action on a reply, with the rights of the person. Never rejects. */
function act(done: Act, reply: ShownReply, by: Actor, acting: Acting): Promise<Pressed> {
  const { press: made, context } = pressOn(done, reply, by, acting);
  return press(made, context);
}

/** Returns the press on the button that has the same effect in other channels. */
function pressOn(done: Act, reply: ShownReply, by: Actor, { host, tenant }: Acting) {
  const thread = threadOf(tenant, by.room, reply);
  const context: PressContext<KeptReply> = {
    channel: 'XMPP',
    host,
    isHere: true,
    person: async () => by.person,
    reply: () => host.reply(reply.turn, thread),
    ask({ kind, origin, by: sender, text, agent }) {
      const id = kind === 'again' ? reply.question : `${by.key}/${kind}`;
      const message = {
        id,
        thread,
        sender,
        text,
        quoted: [],
        files: [],
        sentAt: host.clock.now(),
        revision: 0,
      };
      return host.intake({ kind: 'ask', origin, message: { ...message, ...defined({ agent }) } });
    },
  };
  return { press: { ...done, turn: reply.turn, thread, key: by.key }, context };
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

/** Runs a command. Returns its result, or a form that the person must fill in first. */
export async function runAction(node: string, actor: Actor, acting: Acting): Promise<Pressed | Form> {
  const { host, tenant, sent } = acting;
  const reply = await sent.lastBy(actor.room, actor.person.id);
  if (node === 'new' || node === 'stop') return type(node, reply, actor, acting);
  if (reply === undefined) return idle(words.noAnswer);
  const stored = () => host.reply(reply.turn, threadOf(tenant, actor.room, reply));
  const submit =
    (action: 'suggestion' | 'agent' | 'feedback', field: string): Form['submit'] =>
    (values, by) =>
      act({ action, detail: values.get(field) ?? '', ...noteIn(values) }, reply, by, acting);
  const optionsOf = (choices: readonly string[]) => choices.map((each) => [each, each] as const);
  switch (node) {
    case 'again':
      return act(
        { action: (await stored())?.retry ? 'retry' : 'regenerate', detail: '' },
        reply,
        actor,
        acting,
      );
    case 'suggestions': {
      const { suggestions = [] } = (await stored()) ?? {};
      if (suggestions.length === 0) return idle(words.noSuggestions);
      const field = { name: 'question', label: words.question, options: optionsOf(suggestions) };
      return { fields: [field], submit: submit('suggestion', 'question') };
    }
    case 'agent': {
      const options = optionsOf(host.agents().map(({ name }) => name));
      return { fields: [{ name: 'agent', label: words.agent, options }], submit: submit('agent', 'agent') };
    }
    case 'sources':
      return showSources(reply, actor, acting);
    default: {
      const rating = { name: 'verdict', label: words.rating, options: words.verdicts };
      const fields = [rating, { name: 'note', label: words.note }];
      return { fields, submit: submit('feedback', 'verdict') };
    }
  }
}

const noteIn = (values: ReadonlyMap<string, string>) => defined({ note: values.get('note')?.trim() });

/** Passes a command on as if the person had typed it. */
async function type(
  text: string,
  last: ShownReply | undefined,
  { person: sender, room, kind, key: act }: Actor,
  { host, tenant }: Acting,
): Promise<Pressed> {
  const key = last?.key ?? ownKey(room, kind === 'room', sender);
  const thread: ThreadRef = { channel: CHANNEL, tenant, room, key, kind };
  const id = `${sender.id}/command/${act}`;
  const message = { id, thread, sender, text, quoted: [], files: [], sentAt: host.clock.now(), revision: 0 };
  const origin = { kind: 'message', key: id, revision: 0 } as const;
  const done = text === 'stop' ? actionWords.stopping : words.inChat;
  return taken(() => host.intake({ kind: 'ask', origin, message }), { host, done });
}

/** Returns the sources in the result, which only this person sees. */
async function showSources(reply: ShownReply, actor: Actor, acting: Acting): Promise<Pressed> {
  const { host } = acting;
  const { press, context } = pressOn({ action: 'sources', detail: '' }, reply, actor, acting);
  const show = async (): Promise<Pressed> => {
    const opened = await openReply(press, context);
    if (opened.kind === 'refused') return opened;
    const linkOf: LinkOf = (source, turn) => host.sourceLink(source, { turn, thread: press.thread });
    const lines = sourceLines(opened.reply, linkOf);
    return lines === '' ? idle(actionWords.noSources) : { kind: 'done', sentence: lines };
  };
  return taken(show, { host, done: '' });
}
