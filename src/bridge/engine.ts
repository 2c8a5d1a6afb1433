/** Assembles the core: intake, the worker that runs turns, and the announcer that posts "waiting" notices. */

import { randomUUID } from 'node:crypto';
import type { Config } from '../config/schema.ts';
import type { MentionRule } from '../core/agents/access.ts';
import { type Clock, OVER, within } from '../core/clock.ts';
import { refusalToPress } from '../core/commands/ask-rights.ts';
import { agentName, type TurnId, turnId } from '../core/ids.ts';
import { createIntake } from '../core/intake/intake.ts';
import { createQuestionRate, createSharedRate } from '../core/intake/rate.ts';
import type { TurnDeps } from '../core/live-reply/deps.ts';
import { isOf, type Message, type Person, type ThreadRef } from '../core/message.ts';
import { createEngagement, type Engagement } from '../core/stores/engagement.ts';
import { createAnnouncer } from '../core/turns/announcer.ts';
import { runTurn } from '../core/turns/run-turn.ts';
import { Worker, type WorkerDeps } from '../core/turns/worker.ts';
import { words } from '../core/words.ts';
import { BridgeError } from '../errors.ts';
import type { AdapterHost } from '../kit.ts';
import type { Traces } from '../observe/traces.ts';
import type { Store } from '../store/index.ts';
import type { Channels } from './channels.ts';

/** Maximum length of a question, in UTF-16 units. */
const QUESTION_LIMIT = 100_000;
/**
 * Maximum number of commands that one person may send in a minute: more than a person types. Commands are cheap,
 * because the bridge itself answers most of them.
 */
const COMMANDS_PER_MINUTE = 60;
/**
 * Maximum duration of a turn, in milliseconds. The delivery contract allows ten minutes from the claim; the
 * remaining half minute is for writing the end of the reply.
 */
const TURN_MS = 9.5 * 60_000;

export type Engine = ReturnType<typeof makeEngine>;

interface EngineDeps {
  readonly store: Store;
  readonly limits: Config['limits'];
  readonly channels: Channels;
  /** Does the work of a claimed turn within the turn's trace. */
  readonly traced: Traces['run'];
}

export function makeEngine(turns: TurnDeps, { store, limits, channels, traced }: EngineDeps) {
  const { inbox, clock, turnEvents, permissions, finishedReplies, noteAct, adapter } = turns;
  const { questionsPerMinute, turns: atOnce } = limits;
  const announcer = createAnnouncer({ inbox, clock, turnEvents, adapter: channels.adapter });
  const intake = createIntake({
    inbox,
    finishedReplies,
    feedback: store.feedback,
    clock,
    turnEvents,
    noteAct,
    engagement: engagementIn(store),
    mayAsk: ({ sender, thread }) =>
      (sender.standing === 'member' && adapter(thread.channel).abilities.lookup !== undefined) ||
      permissions.decide(sender, 'ask', thread).allowed,
    rights: turns,
    sender: (message) => senderOf(message, channels, clock),
    rate: store.isShared
      ? createSharedRate(questionsPerMinute, store.keyed('rates'), clock)
      : createQuestionRate(questionsPerMinute, clock),
    commandRate: createQuestionRate(COMMANDS_PER_MINUTE, clock),
    questionLimit: QUESTION_LIMIT,
    newId,
    queued: announcer.nudge,
  });
  const pressRefusal: AdapterHost['pressRefusal'] = async (person, { turn, thread }) => {
    const found = await inbox.find(turn);
    return found && isOf(thread, found) ? refusalToPress(person, found, turns) : undefined;
  };
  const run: WorkerDeps['run'] = (claim, scope) => traced(claim.turn, () => runTurn(claim, scope, turns));
  const worker = new Worker({ inbox, clock, turnEvents, atOnce, turnMs: TURN_MS, run });
  return { intake, pressRefusal, worker, announcer };
}

/** Maximum time to look up who typed a command such as `stop`, in milliseconds. Slack waits 3 s for the acknowledgement. */
const SENDER_MS = 2_000;

/** Resolves with the sender as the channel knows them. Rejects if the channel does not say in time who that is. */
async function senderOf(message: Message, { adapter }: Channels, clock: Clock): Promise<Person> {
  const { lookup } = adapter(message.thread.channel).abilities;
  if (lookup === undefined) return message.sender;
  const over = new AbortController();
  const looked =
    lookup.sender?.(message, over.signal) ?? lookup.complete(message, over.signal).then((it) => it.sender);
  const sender = await within(looked, SENDER_MS, clock).finally(() => over.abort(OVER));
  if (sender !== undefined) return sender;
  throw new BridgeError('access-denied', `${message.thread.channel} did not identify a person in time.`, {
    tellUser: words.whoAreYou,
  });
}

/** Each channel's own part of the state contains what is known about its threads. */
export const engagementIn =
  (store: Pick<Store, 'keyed'>) =>
  (channel: string): Engagement =>
    createEngagement(store.keyed(`adapter ${channel}`));

export const newId = (): TurnId => turnId(randomUUID());

/** Returns the rules of the first configured line that matches the room. */
export function roomRules({ rooms, threads }: Pick<Config, 'rooms' | 'threads'>): TurnDeps['room'] {
  const fits = (line: Config['rooms'][number], thread: ThreadRef) =>
    line.channel === thread.channel &&
    (line.room === undefined || line.room === thread.room) &&
    (line.kind === undefined || line.kind === thread.kind) &&
    (line.tenant === undefined || line.tenant === thread.tenant);
  return (thread) => {
    const line: Partial<Config['rooms'][number]> = rooms.find((each) => fits(each, thread)) ?? {};
    const { agent, account, workspace, workspaceIds, layoutMode } = line;
    const lite = {
      ...(workspaceIds !== undefined && { workspaceIds }),
      ...(layoutMode !== undefined && { layoutMode }),
    };
    return {
      mention: mentionRule(line) ?? threads,
      ...(agent !== undefined && { agent: agentName(agent) }),
      ...(account !== undefined && { account }),
      ...(workspace !== undefined && { workspace }),
      lite,
    };
  };
}

type Line = Partial<Pick<Config['rooms'][number], 'mention' | 'threads'>>;

/** Returns the rule of a line; undefined if it sets none. */
function mentionRule({ mention, threads }: Line): MentionRule | undefined {
  return mention === undefined ? threads : RULES[mention];
}

/** The rules behind the values of `rooms[].mention`. The first two are older names of values of `threads`. */
const RULES = { first: 'always', always: 'mention', never: 'open' } as const;
