/**
 * Runs the core as a bridge process does, but in virtual time: the real inbox, sessions and budgets over one SQLite
 * database in memory, a memory channel and scripted agents. Processes can be started, drained and killed.
 */

import { ASKERS, type AskerTokenStore, createAskerTokens } from '../../src/bridge/asker-tokens.ts';
import { systemClock } from '../../src/clock.ts';
import type { CompiledRules } from '../../src/core/access/compile.ts';
import { createPermissions } from '../../src/core/access/permissions.ts';
import { createQuotaCounts } from '../../src/core/access/quotas.ts';
import {
  type AccessPolicy,
  createAccountTable,
  type Mapping,
  type RoomRules,
} from '../../src/core/agents/access.ts';
import { Breaker } from '../../src/core/agents/breaker.ts';
import type { Library } from '../../src/core/agents/library.ts';
import type { Intake, IntakeResult } from '../../src/core/channel/events.ts';
import type { FamilyLimit } from '../../src/core/channel/limits.ts';
import type { Clock } from '../../src/core/clock.ts';
import { type AgentName, agentName, type TurnId } from '../../src/core/ids.ts';
import { createIntake } from '../../src/core/intake/intake.ts';
import { createQuestionRate } from '../../src/core/intake/rate.ts';
import type { Log } from '../../src/core/log.ts';
import type { Message } from '../../src/core/message.ts';
import { createBudgets } from '../../src/core/pacing/budgets.ts';
import type { AuditStore, NoteAct } from '../../src/core/stores/audit.ts';
import { createEngagement } from '../../src/core/stores/engagement.ts';
import type { FeedbackStore } from '../../src/core/stores/feedback.ts';
import { createFinishedReplies, type FinishedReplies } from '../../src/core/stores/finished-replies.ts';
import type { Inbox } from '../../src/core/stores/inbox.ts';
import type { Keyed } from '../../src/core/stores/keyed.ts';
import { createPeopleNames, NAMES } from '../../src/core/stores/people-names.ts';
import type { SessionStore } from '../../src/core/stores/sessions.ts';
import { createThreadMemory } from '../../src/core/stores/thread-memory.ts';
import type { CoreEvent, TurnEvents } from '../../src/core/turn-events.ts';
import { createAnnouncer } from '../../src/core/turns/announcer.ts';
import { createOutages } from '../../src/core/turns/outages.ts';
import { runTurn } from '../../src/core/turns/run-turn.ts';
import { Worker } from '../../src/core/turns/worker.ts';
import type { BridgeError } from '../../src/errors.ts';
import { createAudit } from '../../src/store/audit.ts';
import { createFeedback } from '../../src/store/feedback.ts';
import { sealKeyed } from '../../src/store/sealed.ts';
import { createSessions } from '../../src/store/sessions.ts';
import { openBacklog } from '../../src/store/sqlite/backlog.ts';
import { createCommits } from '../../src/store/sqlite/commits.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { createEngine } from '../../src/store/sqlite/engine.ts';
import { openSqliteInbox } from '../../src/store/sqlite/inbox.ts';
import { createKeyed } from '../../src/store/sqlite/keyed.ts';
import { createMemoryChannel, type MemoryChannel, type Seen } from './memory-channel.ts';
import { permissionsOf } from './permissions.ts';
import { createProcessLife, type ProcessLife } from './process-life.ts';
import { quiet } from './quiet.ts';
import { countedIds, message as sampleMessage, thread } from './samples.ts';
import type { ScriptedAgent } from './scripted-agent.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

export const LEASE_MS = 10_000;
export const TURN_MS = 570_000;

export interface Process {
  readonly life: ProcessLife;
  readonly inbox: Inbox;
  readonly sessions: SessionStore;
  readonly finishedReplies: FinishedReplies;
  readonly feedback: FeedbackStore;
  readonly audit: AuditStore;
  readonly worker: Worker;
  readonly askers: AskerTokenStore;
  intake(event: Intake): Promise<IntakeResult>;
  /** Kills the process as kill -9 does: its pending calls have no effect. */
  kill(): void;
  /** Shuts the process down as SIGTERM does. */
  stop(graceMs: number): Promise<void>;
}

export interface BootOptions {
  /** Owner of the claims. A process that starts with the same name counts as the same process, restarted. */
  readonly owner?: string;
  readonly atOnce?: number;
  /** Replaces the world's agents. */
  readonly agents?: readonly ScriptedAgent[];
  /** Wraps the real inbox or keyed state to add faults. */
  readonly wrapInbox?: (inbox: Inbox) => Inbox;
  readonly wrapKeyed?: (keyed: Keyed) => Keyed;
}

export interface WorldOptions {
  /** The first agent is the default. */
  readonly agents: readonly ScriptedAgent[];
  readonly channel?: MemoryChannel;
  readonly limits?: Readonly<Record<string, FamilyLimit>>;
  readonly questionsPerMinute?: number;
  readonly commandsPerMinute?: number;
  readonly laneLimit?: number;
  /** `identity` lists the entries of the account table. If `accounts` is set, it is used as the table instead. */
  readonly policy?: Partial<AccessPolicy> & { readonly identity?: readonly Mapping[] };
  /**
   * People who may ask although they are not members (by default no one), and whether documents are saved (by default
   * they are).
   */
  readonly access?: Parameters<typeof permissionsOf>[0];
  /** Returns the rules in force. If this is set, `access` is ignored. */
  readonly rules?: () => CompiledRules;
  readonly roomAgent?: AgentName;
  readonly room?: RoomRules;
  readonly library?: Library;
  readonly turnMs?: number;
  /**
   * Platforms whose outages the world handles: while a platform is down, its questions are kept. If absent, such
   * questions fail.
   */
  readonly platforms?: readonly WorldPlatform[];
  readonly keepMs?: number;
  readonly log?: Log;
  /** File of the store; absent: the store is in memory. */
  readonly file?: string;
}

/** A platform on which some of the agents run. */
export interface WorldPlatform {
  readonly address: string;
  readonly agents: readonly string[];
  readonly failures?: number;
  readonly atOnce?: number;
  answers(): boolean;
}

export interface World {
  readonly clock: VirtualClock;
  readonly channel: MemoryChannel;
  readonly events: readonly CoreEvent[];
  readonly troubles: readonly BridgeError[];
  boot(options?: BootOptions): Promise<Process>;
  close(): void;
}

const SEALING_KEY = new Uint8Array(32);

export function createWorld(options: WorldOptions): World {
  const { channel = createMemoryChannel(), limits = { edit: { gapMs: 50 } } } = options;
  const { database, close } = openDatabase(options.file ?? ':memory:');
  const backlog = () => (options.file === undefined ? undefined : openBacklog(options.file, database));
  const lives: ProcessLife[] = [];
  const clock = createVirtualClock({
    settle: async () => {
      do await new Promise((resolve) => setImmediate(resolve));
      while (lives.some(({ busy }) => busy > 0));
    },
  });
  const events: CoreEvent[] = [];
  const troubles: BridgeError[] = [];
  const turnEvents: TurnEvents = {
    record: (event) => events.push(event),
    trouble: (error) => troubles.push(error),
  };
  const newId = countedIds();

  const boot = async (booting: BootOptions = {}): Promise<Process> => {
    const { owner = 'bridge', atOnce = 100, wrapInbox = (it) => it, wrapKeyed = (it) => it } = booting;
    const life = createProcessLife(`${owner} ${lives.length + 1}`);
    lives.push(life);
    const own = { name: life.name, clock: life.clock(clock) };
    // The group commit uses real time, because virtual time does not advance during a call to the store.
    const hasty: Clock = { now: systemClock.now, wait: () => new Promise((over) => setImmediate(over)) };
    const commits = createCommits({ database, clock: hasty, backlog: backlog() });
    const parts = { database, commits, clock: own.clock, log: quiet };
    const { laneLimit } = options;
    const inbox = wrapInbox(
      life.mortal(await openSqliteInbox({ ...parts, owner, leaseMs: LEASE_MS, laneLimit }), [
        'onSignal',
        'holdsLease',
      ]),
    );
    const keyedOf = createKeyed(parts);
    const keyed = (namespace: string) => wrapKeyed(life.mortal(keyedOf(namespace)));
    const sessions = createSessions(keyed('sessions'));
    const audit = life.mortal(createAudit(createEngine(database, commits, own.clock)));
    const noteAct: NoteAct = audit.add;
    const adapter = channel.adapter(own);
    const feedback = createFeedback(createEngine(database, commits, own.clock));
    const sealing = { namespace: 'replies', key: () => SEALING_KEY, log: quiet };
    const finishedReplies = createFinishedReplies(sealKeyed(keyed('replies'), sealing));
    const budgets = createBudgets(limits, own.clock);
    const announcer = createAnnouncer({ inbox, clock: own.clock, turnEvents, adapter: () => adapter });
    const policy: AccessPolicy = {
      ...{ unmapped: 'service', rooms: 'service' },
      accounts: createAccountTable(options.policy?.identity ?? []),
      ...options.policy,
    };
    const names = (booting.agents ?? options.agents).map((each) => each.agent(own).name);
    const permissions =
      options.rules === undefined
        ? permissionsOf({ files: 'upload', ...options.access }, names)
        : createPermissions(options.rules, names);
    const engagement = (channel: string) => createEngagement(keyed(`adapter ${channel}`));
    const keepMs = options.keepMs ?? 7_200_000;
    const platforms = (options.platforms ?? []).map(({ address, agents: names, answers, ...limits }) => {
      const settings = { failures: 3, atOnce: 10, ...limits };
      const breaker = new Breaker({ clock: own.clock, ...settings, probe: async () => answers() });
      return { name: 'main', address, breaker, agents: names.map(agentName), keepMs };
    });
    const agents = (booting.agents ?? options.agents).map((each) => {
      const agent = each.agent(own);
      const health = platforms.find((platform) => platform.agents.includes(agent.name))?.breaker;
      const { library } = options;
      return { ...agent, ...(library && { library }), ...(health && { health }) };
    });
    const askers = createAskerTokens(sealKeyed(keyed(ASKERS), { ...sealing, namespace: ASKERS }), own.clock);
    const turnParts = {
      askers,
      inbox,
      sessions,
      memory: createThreadMemory(keyed('threads')),
      engagement,
      names: createPeopleNames(keyed(NAMES), own.clock),
      finishedReplies,
      directory: {
        agents: new Map(agents.map((each) => [each.name, each])),
        fallback: agents[0]?.name ?? agentName('none'),
      },
      policy,
      permissions,
      quotas: createQuotaCounts(keyed('quotas'), own.clock),
      audited: { sources: 'ids', text: false } as const,
      noteAct,
      clock: own.clock,
      turnEvents,
      room: () => ({
        ...options.room,
        ...(options.roomAgent !== undefined && { agent: options.roomAgent }),
      }),
      receipt: async (turn: TurnId) => events.filter((event) => event.turn === turn),
      newId,
      adapter: () => adapter,
      budgets: () => budgets,
    };
    const intake = createIntake({
      inbox,
      finishedReplies,
      feedback,
      clock: own.clock,
      turnEvents,
      noteAct,
      engagement,
      rights: turnParts,
      sender: async (given) => channel.lookup?.sender?.(given, new AbortController().signal) ?? given.sender,
      mayAsk: ({ sender, thread: at }) => permissions.decide(sender, 'ask', at).allowed,
      rate: createQuestionRate(options.questionsPerMinute ?? 1_000_000, own.clock),
      commandRate: createQuestionRate(options.commandsPerMinute ?? 1_000_000, own.clock),
      questionLimit: 100_000,
      newId,
      queued: announcer.nudge,
    });
    const worker = new Worker({
      inbox,
      clock: own.clock,
      turnEvents,
      atOnce,
      turnMs: options.turnMs ?? TURN_MS,
      run: (claim, scope) => runTurn(claim, scope, turnParts),
    });
    const outages = createOutages({
      ...{ inbox, clock: own.clock, turnEvents, platforms },
      log: options.log ?? quiet,
      changed: () => undefined,
    });
    if (platforms.length > 0) await outages.begin();
    const announcing = new AbortController();
    const announced = Promise.all([
      announcer.run(announcing.signal),
      ...(platforms.length > 0 ? [outages.run(announcing.signal)] : []),
    ]);
    worker.start();
    return {
      life,
      askers,
      inbox,
      sessions,
      finishedReplies,
      feedback,
      audit,
      worker,
      intake,
      kill: life.end,
      async stop(graceMs) {
        await worker.drain(graceMs);
        announcing.abort();
        await announced;
      },
    };
  };

  return { clock, channel, events, troubles, boot, close };
}

/** Asks an agent in a thread; a different `text` makes a new message. Resolves with the id of the stored turn. */
export async function ask(
  process: Process,
  text: string,
  over: Partial<Message> & { lane?: string } = {},
): Promise<TurnId> {
  const kept = await process.intake(asking(text, over));
  if (kept.kind !== 'kept') throw new Error(`Not kept: ${JSON.stringify(kept)}`);
  return kept.turn;
}

export function asking(
  text: string,
  { lane = 't1', ...over }: Partial<Message> & { lane?: string } = {},
): Intake & { kind: 'ask' } {
  const message = sampleMessage({ id: `${lane} ${text}`, thread: thread({ key: lane }), text, ...over });
  return { kind: 'ask', origin: { kind: 'message', key: message.id, revision: message.revision }, message };
}

/** Returns the only message of a turn. Throws if there is none or more than one. */
export function seen(channel: MemoryChannel, turn: TurnId): Seen {
  const [first, ...more] = channel.messages().filter((each) => each.turn === turn);
  if (first === undefined || more.length > 0)
    throw new Error(`${turn} has ${more.length + (first ? 1 : 0)} messages.`);
  return first;
}
