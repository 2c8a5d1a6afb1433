/** Actions on answers: reactions, and short messages such as `retry` or the number of a suggested question. */

import {
  type ActionName,
  type AdapterHost,
  defined,
  type IntakeResult,
  type Message,
  type Person,
  type PressContext,
  type Pressed,
  press,
  type ThreadRef,
  type Verdict,
} from 'parley/kit';
import type { Asked, KeptReply } from 'parley/kit/ladder';
import { type Sent, type ShownReply, threadOf } from './sent.ts';

export interface Pressing {
  readonly person: Person;
  readonly host: AdapterHost;
  readonly sent: Sent;
  readonly tenant: string;
  readonly room: string;
  readonly kind: ThreadRef['kind'];
  /** Unique id of the act. */
  readonly key: string;
}

/** Verdict of each reaction that counts as one; other reactions are ignored. */
const verdicts: ReadonlyMap<string, Verdict> = new Map([
  ['👍', 'up'],
  ['❤', 'up'],
  ['👎', 'down'],
]);

/** A press without effect, and the sentence for the person. */
export interface Refused {
  readonly reply: ShownReply;
  readonly sentence: string;
}

/**
 * Rates the answer that a message shows. A reaction contains all reactions of the person to the message, so an empty one
 * withdraws the rating (XEP-0444). Resolves with the refusal if the person may not rate the answer.
 */
export async function reacted(
  { to, emojis }: { readonly to: string; readonly emojis: readonly string[] },
  by: Pressing,
): Promise<Refused | undefined> {
  const reply = await by.sent.replyBy(by.room, to);
  if (reply === undefined) return undefined;
  // Skin tones and the mark for colored symbols do not change a verdict.
  const bare = emojis.map((each) => each.replace(/[\u{1f3fb}-\u{1f3ff}\ufe0f]/gu, ''));
  const verdict = bare.map((each) => verdicts.get(each)).find((each) => each !== undefined) ?? 'none';
  if (verdict === 'none' && emojis.length > 0) return undefined;
  const { kind, sentence } = await act({ action: 'feedback', detail: verdict }, reply, by);
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
  by: Pressing,
): Promise<string | undefined> {
  const said = text.trim();
  const again = AGAIN.exec(said)?.[1]?.toLowerCase();
  if (files.length > 0 || (again === undefined && !NUMBER.test(said))) return undefined;
  const reply = answered ?? (await by.sent.lastIn(thread));
  if (reply === undefined) return undefined;
  const spoken = async (press: Act): Promise<string> => {
    const { kind, sentence } = await act(press, reply, by);
    return kind === 'done' ? '' : sentence;
  };
  if (again !== undefined) return spoken({ action: again === 'retry' ? 'retry' : 'regenerate', detail: '' });
  const kept = await by.host.reply(reply.turn, threadOf(by.tenant, by.room, reply));
  const suggestion = kept?.suggestions[Number.parseInt(said, 10) - 1];
  return suggestion === undefined ? undefined : spoken({ action: 'suggestion', detail: suggestion });
}

/** An action on a reply, with its detail and, for a rating, a comment. */
interface Act {
  readonly action: ActionName;
  readonly detail: string;
  readonly note?: string;
}

/** Runs an action on a reply, with the rights of the person. Never rejects. */
export function act(done: Act, reply: ShownReply, by: Pressing): Promise<Pressed> {
  const { press: pressedAct, context } = pressOn(done, reply, by);
  return press(pressedAct, context);
}

/** Returns the press on the button that has the same effect in other channels. */
export function pressOn({ action, detail, note }: Act, reply: ShownReply, by: Pressing) {
  const { host, room, tenant, key } = by;
  const thread = threadOf(tenant, room, reply);
  const context: PressContext<KeptReply> = {
    ...{ channel: 'XMPP', host, isHere: true },
    person: async () => by.person,
    reply: () => host.reply(reply.turn, thread),
    ask: (asked) => ask(asked, reply, thread, by),
  };
  const { turn } = reply;
  return { press: { action, turn, thread, detail, key, ...defined({ note }) }, context };
}

async function ask(
  { kind, origin, by: person, text, agent }: Asked,
  reply: ShownReply,
  thread: ThreadRef,
  { host, key }: Pressing,
): Promise<IntakeResult> {
  const message: Message = {
    ...{ id: kind === 'again' ? reply.question : `${key}/${kind}`, thread, sender: person, text },
    ...(agent !== undefined && { agent }),
    ...{ quoted: [], files: [], sentAt: host.clock.now(), revision: 0 },
  };
  return host.intake({ kind: 'ask', origin, message });
}
