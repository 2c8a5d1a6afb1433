/**
 * The actions on a reply: the label of the button, who may press it, what a press does, and the sentence that the
 * person then reads. A channel only decodes a press and shows this sentence, so that a press has the same effect in
 * every channel.
 */

import type { IntakeResult } from '../../core/channel/events.ts';
import { agentName } from '../../core/ids.ts';
import type { Person, ThreadRef, Verdict } from '../../core/message.ts';
import { words as core } from '../../core/words.ts';
import { BridgeError } from '../../errors.ts';
import {
  type ActionName,
  type Press,
  type PressContext,
  type Pressed,
  type Refused,
  refused,
  type SeenReply,
} from './press.ts';
import { words } from './words.ts';

interface Action {
  /** Label of the button; absent if the control is a menu, an arrow or a thumb. */
  readonly label?: string;
  /**
   * Who may press. `everyone`: all people who see the reply and whom the access policy admits. `asker`: only the
   * person who asked.
   */
  readonly who: 'everyone' | 'asker';
  /** The action that the rules must allow besides `ask`. */
  readonly rule?: 'share' | 'correct';
  /** `room`: refused in direct messages. */
  readonly on?: 'room';
  /** `kept`: refused if the reply is no longer stored. `ended`: also refused while the reply is being written. */
  readonly needs?: 'kept' | 'ended';
  /** Does what the press asks for. Absent if the channel itself shows or posts the result of `openReply`. */
  run?(admitted: AdmittedPress): Promise<IntakeResult | Pressed>;
  readonly done?: string;
}

/**
 * The actions on a reply by name, with the `label` of each button.
 * @example
 * ```ts
 * actions.retry.label; // 'Retry'
 * ```
 */
export const actions = {
  stop: { label: 'Stop', who: 'everyone', run: stop, done: words.stopping },
  /** The bridge checks that the waiting question is the person's own, because its reply does not exist yet. */
  instead: { label: 'Ask this instead', who: 'asker', run: askInstead, done: words.insteadNext },
  retry: { label: 'Retry', who: 'everyone', run: again, done: words.again },
  regenerate: { label: 'Regenerate', who: 'everyone', run: again, done: words.again },
  show: { who: 'everyone', run: show, done: words.showing },
  suggestion: { who: 'everyone', needs: 'kept', run: suggest, done: words.asking },
  /** The two choices at the platform's prompt about personal data. */
  personalData: { who: 'asker', needs: 'kept', run: suggest, done: words.asking },
  agent: { label: 'Ask another agent', who: 'everyone', run: askAnother, done: words.asking },
  mine: { label: 'Ask as me', who: 'everyone', on: 'room', run: askAsMe, done: words.askingAlone },
  feedback: { who: 'everyone', run: judge, done: words.thanks },
  sources: { label: 'Sources', who: 'everyone', needs: 'kept' },
  share: { label: 'Share', who: 'everyone', needs: 'ended', rule: 'share' },
  correct: { label: 'Correct', who: 'everyone', needs: 'ended', rule: 'correct' },
  shareSource: { label: 'Share', who: 'everyone', needs: 'kept', rule: 'share' },
} satisfies Readonly<Record<ActionName | 'personalData', Action>>;

/** True if the press starts, stops or shows a turn. Such a press must be stored before it is acknowledged. */
export const isForTurns = (action: ActionName): boolean => 'run' in actions[action] && action !== 'feedback';

/** A press by a person who is allowed to press. */
interface AdmittedPress<Reply extends SeenReply = SeenReply> {
  readonly kind: 'admitted';
  readonly press: Press;
  readonly context: PressContext<Reply>;
  readonly by: Person;
  /** Set if the action requires the stored reply. */
  readonly reply?: Reply;
}

/**
 * Runs the action of a press. Never rejects; if the action fails, the result contains the reason in one sentence.
 * @example
 * ```ts
 * const { sentence } = await press(
 *   { action: 'regenerate', detail: '', turn: turn.id, thread, key: 'p1' },
 *   {
 *     channel: 'My Chat',
 *     host,
 *     isHere: true,
 *     person: async () => person,
 *     reply: () => host.reply(turn.id, thread),
 *     ask: ({ origin, by, text }) => {
 *       const { message } = question({ id: 'p1', thread, sender: by, text });
 *       return host.intake({ kind: 'ask', origin, message });
 *     },
 *   },
 * );
 * ```
 */
export function press(press: Press, context: PressContext): Promise<Pressed> {
  const { run, done = '' } = rowOf(press);
  const work = async () => {
    const admission = await admit(press, context);
    if (admission.kind === 'refused') return admission;
    return run === undefined ? refused(words.stale) : run(admission);
  };
  return pressResult(work, { host: context.host, done });
}

/**
 * Runs `work` and converts its result into the result of a press. Never rejects: an error becomes a refusal.
 * @param done the sentence to show if the bridge accepted the press
 */
export async function pressResult(
  work: () => Promise<IntakeResult | Pressed>,
  { host, done }: { readonly host: Pick<PressContext['host'], 'log'>; readonly done: string },
): Promise<Pressed> {
  try {
    return answered(await work(), done);
  } catch (thrown) {
    host.log.warn({ err: thrown }, 'a press or a form could not be handled');
    return refused(thrown instanceof BridgeError ? thrown.tellUser : words.trouble);
  }
}

/** The stored reply, for an action that the channel itself carries out, such as showing the sources or sharing. */
interface Opened<Reply extends SeenReply> {
  readonly kind: 'opened';
  readonly by: Person;
  readonly reply: Reply;
}

/**
 * Resolves with the stored reply, for an action whose result the channel itself shows or posts: `sources`, `share` and
 * `shareSource`. Resolves with a refusal if the person may not press, or if the reply is no longer stored. Rejects with
 * `store-unavailable`.
 * @example
 * ```ts
 * const opened = await openReply({ action: 'sources', detail: '', turn: turn.id, thread }, context);
 * const told = opened.kind === 'refused' ? opened.sentence : `${opened.by.name} reads the sources.`;
 * ```
 */
export async function openReply<Reply extends SeenReply>(
  press: Press,
  context: PressContext<Reply>,
): Promise<Opened<Reply> | Refused> {
  const admission = await admit(press, context);
  if (admission.kind === 'refused') return admission;
  const { by, reply = await context.reply() } = admission;
  return reply === undefined ? refused(words.stale) : { kind: 'opened', by, reply };
}

const choices: ReadonlySet<string> = new Set([core.personalData.send, core.personalData.without]);

const rowOf = ({ action, detail }: Press): Action =>
  actions[action === 'suggestion' && choices.has(detail) ? 'personalData' : action];

/** Checks whether the person may press. The rules are the same in all channels. */
async function admit<Reply extends SeenReply>(
  press: Press,
  context: PressContext<Reply>,
): Promise<AdmittedPress<Reply> | Refused> {
  const { who, on, needs, rule } = rowOf(press);
  if (!context.isHere) return refused(words.elsewhere);
  const by = await personOf(context, press.thread);
  if ('kind' in by) return by;
  const barred = await context.host.pressRefusal(by, press);
  if (barred !== undefined) return refused(barred);
  if (on === 'room' && press.thread.kind === 'direct') return refused(words.aloneAlready);
  if (needs === undefined) return { kind: 'admitted', press, context, by };
  const reply = await context.reply();
  if (reply === undefined) return refused(words.stale);
  const place = { ...press.thread, agent: reply.agent };
  const refusal = context.host.refusal(by, 'ask', place) ?? (rule && context.host.refusal(by, rule, place));
  if (refusal !== undefined) {
    await context.host.noteAct({ ...actOf(press, by), action: rule ?? 'ask', outcome: 'refused' });
    return refused(refusal);
  }
  if (needs === 'ended' && isWritten(reply)) return refused(words.unfinished[rule ?? 'share']);
  if (who === 'asker' && reply.askedBy !== by.id) return refused(words.onlyAsker);
  return { kind: 'admitted', press, context, by, reply };
}

const actOf = ({ turn, thread: { key, ...place } }: Press, { id }: Person) => ({
  ...place,
  thread: key,
  person: id,
  turn,
});

/**
 * Adds a share to the audit. A channel calls this function once it has posted the share.
 * @param room where the share was posted
 */
export async function noteShare(
  { press, host }: { readonly press: Press; readonly host: Pick<PressContext['host'], 'noteAct'> },
  by: Person,
  room: string,
): Promise<void> {
  const { action } = press;
  await host.noteAct({
    ...actOf(press, by),
    action: 'share',
    outcome: 'done',
    detail: `${action} to ${room}`,
  });
}

const isWritten = ({ state }: SeenReply): boolean => state === 'thinking' || state === 'writing';

/**
 * Returns the person if the access policy lets them ask at least one agent in this place. Also used for forms and the
 * app's home page.
 */
export async function personOf(
  { channel, host, person }: PersonContext,
  place: Pick<ThreadRef, 'channel' | 'tenant' | 'room' | 'kind'>,
): Promise<Person | Refused> {
  try {
    const found = await person();
    if (found.standing === 'bot') return refused(words.bots);
    const refusal = host.refusal(found, 'ask', place);
    return refusal === undefined ? found : refused(refusal);
  } catch (thrown) {
    const isDenied = thrown instanceof BridgeError && thrown.code === 'access-denied';
    return refused(isDenied ? thrown.tellUser : words.whoAreYou(channel));
  }
}

type PersonContext = Pick<PressContext, 'channel' | 'person'> & {
  readonly host: Pick<PressContext['host'], 'refusal'>;
};

/** @param done the sentence to show if the bridge accepted the press */
export function answered(result: IntakeResult | Pressed, done: string): Pressed {
  switch (result.kind) {
    case 'done':
    case 'idle':
      return result;
    case 'refused':
      return 'sentence' in result ? result : refused(result.tellUser);
    case 'nothing-to-stop':
      return { kind: 'idle', sentence: words.ended };
    case 'nothing':
      return refused(words.stale);
    default:
      return { kind: 'done', sentence: done };
  }
}

async function stop({ press: { thread, turn }, by, context }: AdmittedPress): Promise<IntakeResult> {
  return context.host.intake({ kind: 'stop', thread, turn, by });
}

async function askInstead({
  press: { thread, turn },
  by,
  context,
}: AdmittedPress): Promise<IntakeResult | Pressed> {
  const result = await context.host.intake({ kind: 'instead', thread, turn, by });
  return result.kind === 'nothing-to-stop' ? { kind: 'idle', sentence: words.noLongerWaits } : result;
}

/** Asks the reply's question again in the name of the person who pressed. The new answer replaces the shown answer. */
async function again({
  press: { action, turn, key },
  by,
  context,
}: AdmittedPress): Promise<IntakeResult | Pressed> {
  const kind = action === 'retry' ? 'retry' : 'regenerate';
  const origin = { kind, of: turn, by: by.id, ...(key !== undefined && { key }) } as const;
  return context.ask({ kind: 'again', origin, by, text: '' });
}

async function show({ press, by, context }: AdmittedPress): Promise<IntakeResult | Pressed> {
  const { thread, turn, key = '' } = press;
  const edition = Number(press.detail);
  if (!Number.isSafeInteger(edition) || edition < 1) return refused(words.stale);
  return context.host.intake({ kind: 'show', thread, turn, edition, by, key });
}

/**
 * Asks the suggested question. Refuses a text that the reply does not suggest, because the press's data is untrusted.
 */
async function suggest({ press, by, reply, context }: AdmittedPress): Promise<IntakeResult | Pressed> {
  const { detail: text, key = '' } = press;
  if (text.trim() === '' || !reply?.suggestions.includes(text)) return refused(words.stale);
  return context.ask({ kind: 'suggestion', origin: { kind: 'act', key }, by, text, agent: reply.agent });
}

async function askAnother({ press, by, context }: AdmittedPress): Promise<IntakeResult | Pressed> {
  const { detail, thread, turn, key = '' } = press;
  if (detail === '') return refused(words.chooseAgent);
  if (!context.host.agents().some(({ name }) => name === detail)) return refused(words.agentGone);
  const refusal = context.host.refusal(by, 'ask', { ...thread, agent: detail });
  if (refusal !== undefined) return refused(refusal);
  const origin = { kind: 'act', key, of: turn } as const;
  return context.ask({ kind: 'same', origin, by, text: '', agent: agentName(detail) });
}

/** Asks the same question privately, with the rights of the person who pressed. */
async function askAsMe({
  press: { turn, thread: from, key = '' },
  by,
  context,
}: AdmittedPress): Promise<IntakeResult | Pressed> {
  const agent = (await context.reply())?.agent;
  return context.ask({ kind: 'mine', origin: { kind: 'act', key, of: turn, from }, by, text: '', agent });
}

const verdicts: ReadonlySet<string> = new Set<Verdict>(['up', 'down', 'none']);
const isVerdict = (detail: string): detail is Verdict => verdicts.has(detail);

async function judge({ press, by, context }: AdmittedPress): Promise<IntakeResult | Pressed> {
  const { thread, turn, detail: verdict, note = '' } = press;
  if (!isVerdict(verdict)) return refused(words.stale);
  return context.host.intake({ kind: 'feedback', thread, turn, by, verdict, ...(note !== '' && { note }) });
}
