/** Checks a question and adds it to the inbox. */

import { catalogue, type ErrorCode } from '../../errors.ts';
import type { IntakeResult } from '../channel/events.ts';
import type { Clock } from '../clock.ts';
import type { AskRightsDeps } from '../commands/ask-rights.ts';
import { commandOf } from '../commands/reading.ts';
import type { TurnId } from '../ids.ts';
import { hasContent, laneOf, type Message, messageKey, originKey, type Person } from '../message.ts';
import type { NoteAct } from '../stores/audit.ts';
import type { Engagement, ThreadChoice } from '../stores/engagement.ts';
import type { FeedbackStore } from '../stores/feedback.ts';
import type { FinishedReplies } from '../stores/finished-replies.ts';
import type { Inbox, NewTurn, Superseded } from '../stores/inbox.ts';
import type { ThreadMemory } from '../stores/thread-memory.ts';
import type { TurnEvents } from '../turn-events.ts';
import { words } from '../words.ts';
import type { QuestionRate } from './rate.ts';

export interface IntakeDeps {
  readonly inbox: Inbox;
  readonly finishedReplies: FinishedReplies;
  readonly feedback: FeedbackStore;
  readonly clock: Clock;
  readonly turnEvents: TurnEvents;
  engagement(channel: string): Pick<Engagement, 'asked'>;
  readonly noteAct: NoteAct;
  readonly rate: QuestionRate;
  /**
   * Commands have a separate limit, so that `help` still works after too many questions. Each process counts its own
   * commands.
   */
  readonly commandRate: QuestionRate;
  /** Maximum length of a question, in UTF-16 units. */
  readonly questionLimit: number;
  newId(): TurnId;
  readonly rights: AskRightsDeps & { readonly memory: Pick<ThreadMemory, 'lastAnswer'> };
  /** Resolves with the sender, looked up in the channel. Rejects if the channel does not say who that is. */
  sender(message: Message): Promise<Person>;
  /** True if the sender may ask in the thread, as far as the event's data about the sender shows. */
  mayAsk(message: Pick<Message, 'sender' | 'thread'>): boolean;
  /** Called when a question is queued behind others, so that a "waiting" notice is posted. */
  queued(): void;
}

function refuse(code: ErrorCode): IntakeResult {
  return { kind: 'refused', tellUser: catalogue[code].tellUser };
}

function faultOf(message: Message, { questionLimit }: IntakeDeps): ErrorCode | undefined {
  if (!hasContent(message)) return 'question-empty';
  if (message.text.length > questionLimit) return 'question-too-long';
  return undefined;
}

/** A new turn without its id, which is assigned when the turn is stored. */
export type Asking = Pick<NewTurn, 'message' | 'origin' | 'follows'>;

/** Checks a question and stores it with `add`. */
export async function keep(
  asking: Asking,
  deps: IntakeDeps,
  add: (turn: NewTurn) => Promise<Superseded>,
): Promise<IntakeResult> {
  const { message, origin } = asking;
  const { thread, sender: person, id: said } = message;
  const fault = faultOf(message, deps);
  if (fault !== undefined) return refuse(fault);
  const beganAt = deps.clock.now();
  const key = originKey(thread, origin);
  const isCommand = commandOf(message) !== undefined;
  const rate = isCommand ? deps.commandRate : deps.rate;
  if (!(await rate.allow({ thread, person }, key))) {
    const tooMany = isCommand ? words.tooManyCommands : words.tooManyQuestions;
    return { kind: 'refused', tellUser: tooMany(rate.perMinute) };
  }
  const id = deps.newId();
  const lane = laneOf(thread);
  const added = await add({ ...asking, id, originKey: key, lane, messageKey: messageKey(thread, said) });
  // Records first, because a worker may claim the turn at once, and its trace begins with the first event.
  const result = resultOf(id, { ...asking, beganAt }, deps, added);
  // Also after a duplicate, because a crash may have prevented it after the first event.
  if (added.kind === 'added' || added.kind === 'duplicate') await noteAsked(asking, deps);
  return result;
}

/** Commands that choose the thread's rule. They apply when they arrive, and do not wait for earlier turns of the thread. */
const CHOICES: Partial<Record<string, ThreadChoice>> = { listen: 'always', quiet: 'mention' };

/** Records that the sender asked in the thread. */
export async function noteAsked(
  { message, origin }: Pick<Asking, 'message' | 'origin'>,
  { engagement, mayAsk }: Pick<IntakeDeps, 'engagement' | 'mayAsk'>,
): Promise<void> {
  const { thread, sender, sentAt } = message;
  const rule = mayAsk(message) ? CHOICES[commandOf(message)?.name ?? ''] : undefined;
  const at = origin.kind === 'message' ? { at: sentAt, rule } : {};
  const noted = engagement(thread.channel).asked(thread, { by: sender.id, ...at });
  // If this fails, the next message only needs a mention. A chosen rule must not be lost, so the event is handled again.
  await (rule === undefined ? noted.catch(() => undefined) : noted);
}

function resultOf(
  id: TurnId,
  { message, origin, beganAt }: Asking & { readonly beganAt: number },
  deps: IntakeDeps,
  added: Superseded,
): IntakeResult {
  if (added.kind === 'full') return refuse('lane-full');
  if (added.kind === 'duplicate') return { kind: 'duplicate', turn: added.id };
  if (added.kind !== 'added') return { kind: 'nothing' };
  const { channel } = message.thread;
  const at = deps.clock.now();
  const detail = { channel, origin: origin.kind, ahead: added.ahead, ms: at - beganAt };
  deps.turnEvents.record({ turn: id, at, name: 'kept', detail });
  if (added.ahead > 0) deps.queued();
  return { kind: 'kept', turn: id, ahead: added.ahead };
}
