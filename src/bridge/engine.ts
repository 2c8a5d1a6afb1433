/** The core, put together: intake, the worker that runs turns, and the announcer of waits. */

import { randomUUID } from 'node:crypto';
import type { Config } from '../config/schema.ts';
import type { Library } from '../core/agents/library.ts';
import type { Directory } from '../core/agents/routing.ts';
import type { Clock } from '../core/clock.ts';
import { agentName, turnId } from '../core/ids.ts';
import { createIntake, type IntakeDesk } from '../core/intake/intake.ts';
import { createQuestionRate } from '../core/intake/rate.ts';
import type { TurnParts } from '../core/live-reply/parts.ts';
import type { ThreadRef } from '../core/message.ts';
import type { ReplyShelf } from '../core/stores/shelf.ts';
import { createThreadMemory } from '../core/stores/thread-memory.ts';
import { type Announcer, createAnnouncer } from '../core/turns/announcer.ts';
import { runTurn } from '../core/turns/run-turn.ts';
import { createWorker, type Worker } from '../core/turns/worker.ts';
import type { Store } from '../store/index.ts';
import type { Channels } from './channels.ts';
import type { Observers } from './observers.ts';

/** Longest question, UTF-16 units. */
const QUESTION_LIMIT = 100_000;
/** Of a person: more than anybody says by hand, and little for the bridge, which answers most of them by itself. */
const COMMANDS_PER_MINUTE = 60;
/** A turn's whole time: the delivery contract allows ten minutes from its claim; half a minute is left to show its end. */
const TURN_MS = 9.5 * 60_000;

export interface EngineParts {
  readonly config: Config;
  readonly owner: string;
  readonly store: Store;
  readonly observers: Observers;
  readonly directory: Directory;
  readonly channels: Channels;
  readonly clock: Clock;
  readonly shelf: ReplyShelf;
  readonly library: Library | undefined;
}

export interface Engine {
  readonly intake: IntakeDesk;
  readonly worker: Worker;
  readonly announcer: Announcer;
}

export function makeEngine(parts: EngineParts): Engine {
  const { config, owner, store, observers, channels, clock } = parts;
  const { inbox } = store;
  const { witness } = observers;
  const { questionsPerMinute, turns: atOnce } = config.limits;
  const announcer = createAnnouncer({ inbox, clock, witness, adapter: channels.adapter });
  const intake = createIntake({
    inbox,
    shelf: parts.shelf,
    feedback: store.feedback,
    clock,
    witness,
    rate: createQuestionRate(questionsPerMinute, clock),
    commandRate: createQuestionRate(COMMANDS_PER_MINUTE, clock),
    questionLimit: QUESTION_LIMIT,
    newId: () => turnId(randomUUID()),
    queued: announcer.nudge,
  });
  const turnParts = makeTurnParts(parts);
  const run: Parameters<typeof createWorker>[0]['run'] = (claim, scope) => runTurn(claim, scope, turnParts);
  const worker = createWorker({ inbox, owner, clock, witness, atOnce, turnMs: TURN_MS, run });
  return { intake, worker, announcer };
}

function makeTurnParts(parts: EngineParts): TurnParts {
  const { config, store, observers, directory, channels, clock, shelf } = parts;
  return {
    inbox: store.inbox,
    sessions: store.sessions,
    memory: createThreadMemory(store.keyed('threads')),
    shelf,
    directory,
    policy: { ...config.access, ...config.identity, identity: config.identity.table },
    clock,
    witness: observers.witness,
    room: roomRules(config),
    library: parts.library,
    receipt: observers.journal.receipt,
    adapter: channels.adapter,
    budgets: channels.budgets,
  };
}

/** The first configured line that fits the room. */
export function roomRules({ rooms, files }: Config): TurnParts['room'] {
  const fits = (line: Config['rooms'][number], thread: ThreadRef) =>
    line.channel === thread.channel &&
    (line.room === undefined || line.room === thread.room) &&
    (line.kind === undefined || line.kind === thread.kind) &&
    (line.tenant === undefined || line.tenant === thread.tenant);
  return (thread) => {
    const { agent, account, workspace, mention } = rooms.find((each) => fits(each, thread)) ?? {};
    return {
      ...(agent !== undefined && { agent: agentName(agent) }),
      ...(account !== undefined && { account }),
      ...(workspace !== undefined && { workspace, uploads: files === 'upload' }),
      ...(mention !== undefined && { mention }),
    };
  };
}
