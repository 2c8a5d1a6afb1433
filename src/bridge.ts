/** The composition root: creates a running bridge from a configuration. */

import { createHash } from 'node:crypto';
import { makeDirectory } from './bridge/agents.ts';
import { ASKERS, createAskerTokens } from './bridge/asker-tokens.ts';
import { type Channels, openChannels } from './bridge/channels.ts';
import { keepTidy } from './bridge/data.ts';
import { engagementIn, makeEngine, newId, roomRules } from './bridge/engine.ts';
import { createForgetter, type Forgetter } from './bridge/forgetting.ts';
import { makeHost } from './bridge/host.ts';
import { openKeys, REPLIES } from './bridge/keys.ts';
import { openLinking } from './bridge/link-pages.ts';
import { LINKS, nameOwners } from './bridge/link-records.ts';
import { makeNoteAct, makeObservers, type OnRulesReload } from './bridge/observers.ts';
import { createOperations, operationsFor } from './bridge/operations.ts';
import { type OwnFunctions, openOwnAgents } from './bridge/own-agents.ts';
import { openPlatforms, watchedPlatforms } from './bridge/platforms.ts';
import { guardAll, holdOthers, runTasks, startChannels, startEngine, warnOfAgents } from './bridge/start.ts';
import { openStorage } from './bridge/storage.ts';
import { createSourceLinker, openWeb, type Web, type WebPlace } from './bridge/web.ts';
import { systemClock } from './clock.ts';
import type { Config } from './config/schema.ts';
import { rulesOfSettings } from './config/shorthand.ts';
import type { CompiledRules } from './core/access/compile.ts';
import { createPermissions } from './core/access/permissions.ts';
import { createQuotaCounts } from './core/access/quotas.ts';
import { type AccountTable, createAccountTable, joinTables } from './core/agents/access.ts';
import type { Directory } from './core/agents/routing.ts';
import { createCorrections } from './core/corrections/corrections.ts';
import type { TurnDeps } from './core/live-reply/deps.ts';
import type { Log } from './core/log.ts';
import { createFinishedReplies } from './core/stores/finished-replies.ts';
import type { ForgetTarget } from './core/stores/forgetting.ts';
import { createPeopleNames, NAMES } from './core/stores/people-names.ts';
import { createThreadMemory } from './core/stores/thread-memory.ts';
import { createOutages } from './core/turns/outages.ts';
import type { ChannelAdapter } from './kit.ts';
import { sealKeyed } from './store/index.ts';
import type { EmbeddedHandler } from './web/embedded-handler.ts';

/** Additional milliseconds for open HTTP requests once the turns have ended. */
const CLOSE_MS = 2_000;

interface BridgeDeps {
  readonly config: Config;
  /** Returns the rules in force; if absent, the settings `access` and `files` decide. */
  readonly rules?: () => CompiledRules;
  readonly onRulesReload?: OnRulesReload;
  /** Returns the accounts of `identity.file` in force; absent if no file is configured. */
  readonly fileAccounts?: (() => AccountTable) | undefined;
  readonly log: Log;
  readonly adapters: readonly ChannelAdapter[];
  /**
   * Channel adapters from other packages. If such an adapter fails to start, the bridge logs the failure and runs
   * without it.
   */
  readonly outside?: readonly ChannelAdapter[];
  /** Display names of the channels, by channel. People read the channel's own name if its display name is missing. */
  readonly titles?: ReadonlyMap<string, string>;
  /**
   * Set if the sandbox answers: names of the channels that belong to other products, such as Slack. Answers there say
   * that the sandbox wrote them.
   */
  readonly sandboxed?: ReadonlySet<string> | undefined;
  /** The functions of the agents whose interface is `function`, by name. */
  readonly functions?: OwnFunctions;
  /** Version of Parley, which replicas show in their status. */
  readonly version?: string;
  /** If absent, the bridge starts no HTTP server. */
  readonly web?: WebPlace;
}

export interface Bridge {
  /** The port of the HTTP server; 0 if the bridge does not listen. */
  readonly port: number;
  /** Handles the requests to the bridge; absent unless `web.isEmbedded` is set. */
  readonly handler?: EmbeddedHandler | undefined;
  /**
   * Stops accepting questions, gives running turns 20 s to end, leaves unfinished turns to the next process, and
   * closes.
   */
  stop(): Promise<void>;
}

/**
 * Starts the bridge and resumes the turns that an earlier process stored. If a part fails, closes the parts that are
 * already open and throws `port-in-use`, or an error of `openStorage`.
 */
export async function startBridge(deps: BridgeDeps): Promise<Bridge> {
  const opened = new AsyncDisposableStack();
  try {
    const { port, handler } = await open(deps, opened);
    return { port, handler, stop: () => opened.disposeAsync() };
  } catch (thrown) {
    await opened.disposeAsync();
    throw thrown;
  }
}

/** Opens the parts in order; they close in reverse order. */
async function open(deps: BridgeDeps, opened: AsyncDisposableStack) {
  const { config, log, adapters, outside = [], web: place } = deps;
  const base = await openBase(deps, opened);
  const { clock, store } = base;
  const { metrics, traces } = base.observers;
  const { directory, outages } = openAgents(deps, base, opened);
  warnOfAgents(config, adapters, clock.now(), log);
  const guests = guardAll(outside, { clock, log, strayed: metrics.channelStrayed }, opened);
  const channels = openChannels([...adapters, ...guests], store.keyed, { clock, log, metrics });
  const forgetter = openForgetter(channels.all, base, log);
  const people = openPeople(deps, base, { directory, channels }, opened);
  const turns = turnsOf(deps, base, people, { directory, channels });
  const engine = makeEngine(turns, { store, limits: config.limits, channels, traced: traces.run });
  const web = openServer(deps, base, { directory, channels });
  opened.defer(() => web?.close(CLOSE_MS));
  const closing = new AbortController();
  const hostOf = (adapter: ChannelAdapter) =>
    makeHost(
      {
        intake: engine.intake,
        pressRefusal: engine.pressRefusal,
        corrections: people.corrections,
        operations: operationsFor(people.permissions, createOperations(base, channels.all, log)),
        linkPages: people.linkPages,
        linkProofs: people.linkProofs,
        askers: base.askers,
        receipt: turns.receipt,
        sourceLink: createSourceLinker(config, web?.sourceLinks),
        state: store.keyed(`adapter ${adapter.name}`),
        secrets: base.sealed(`secrets ${adapter.name}`),
        closing: () => closing.signal.aborted,
        ...(store.database && { database: store.database }),
        log,
        clock,
      },
      {
        adapter,
        inbox: store.inbox,
        directory,
        accounts: people.policy.accounts,
        permissions: people.permissions,
        room: people.room,
        noteAct: base.noteAct,
        finishedReplies: base.finishedReplies,
        forgetter,
        budgets: channels.budgets(adapter.name),
        web,
        publicUrl: config.server.publicUrl?.replace(/\/*$/, ''),
      },
    );
  await holdOthers(await startChannels(adapters, guests, hostOf, opened), store, log);
  const served = await serve(web, place);
  // The upkeep stops after the engine, so that a long deletion does not delay the stop of the engine.
  runTasks(opened, (signal) => keepTidy(store, config.retention, { clock, log }, signal), forgetter.run);
  await startEngine(engine, outages, opened);
  opened.defer(() => {
    closing.abort();
    web?.drain();
  });
  return served;
}

type Base = Awaited<ReturnType<typeof openBase>>;

/** Opens the store, the keys and the observers, and the parts that need only these. */
async function openBase(deps: BridgeDeps, opened: AsyncDisposableStack) {
  const { config, log, version } = deps;
  const clock = systemClock;
  const store = opened.adopt(await openStorage(config, clock, log, version), (it) => it.close());
  const keys = await openKeys(config);
  const sealed = (namespace: string) =>
    sealKeyed(store.keyed(namespace), { namespace, key: keys.state, log });
  const observers = makeObservers(store, log, clock, version);
  opened.defer(() => observers.journal.flush());
  return {
    clock,
    store,
    stateKey: keys.state,
    /** Key of signed links; undefined without an HTTP server. */
    linkKey: deps.web && (await keys.links()),
    /** Returns the encrypted state of a namespace. */
    sealed,
    observers,
    noteAct: makeNoteAct(store.audit, log, clock, deps.onRulesReload),
    finishedReplies: createFinishedReplies(sealed(REPLIES)),
    askers: createAskerTokens(sealed(ASKERS), clock),
  };
}

/** Opens the agents, and the watch for outages of the servers that run them. */
function openAgents(
  { config, log, functions }: BridgeDeps,
  { clock, store, observers, askers }: Base,
  opened: AsyncDisposableStack,
) {
  const { random } = Math;
  const { called, platformChanged } = observers.metrics;
  const trace = observers.traces.request;
  const ports = { clock, log, random, called, trace, replicas: store.replicas };
  const platforms = openPlatforms(config, ports, { store, askers }, opened);
  const own = openOwnAgents(config, { clock, random }, functions);
  const directory = makeDirectory(config, { platforms, tokenOf: askers.secretOf, own });
  const outages = createOutages({
    inbox: store.inbox,
    clock,
    log,
    turnEvents: observers.turnEvents,
    platforms: [...watchedPlatforms(platforms, directory), ...own.watched()],
    changed: platformChanged,
  });
  return { directory, outages };
}

/** The agents and the channels that the bridge connects. */
interface Peers {
  readonly directory: Directory;
  readonly channels: Channels;
}

type People = ReturnType<typeof openPeople>;

/** Opens what decides what people may do, and under which accounts. */
function openPeople(
  deps: BridgeDeps,
  { clock, store, linkKey, sealed, askers, noteAct }: Base,
  { directory, channels }: Peers,
  opened: AsyncDisposableStack,
) {
  const { config, log, titles = new Map() } = deps;
  const policy = { ...config.identity, accounts: accountsOf(config, deps.fileAccounts) };
  const permissions = createPermissions(deps.rules ?? rulesIn(config), [...directory.agents.keys()]);
  const room = roomRules(config);
  const linking = openLinking({
    days: config.identity.linkDays,
    stored: sealed(LINKS),
    accounts: policy.accounts,
    directory,
    noteAct,
    permissions,
    log,
    clock,
    adapters: channels.all,
    key: linkKey,
    titles,
  });
  const signsIn = (channel: string) =>
    channels.all.some(({ name, abilities }) => name === channel && abilities.signIn !== undefined);
  const stopping = new AbortController();
  opened.defer(() => stopping.abort());
  const corrections = createCorrections({
    directory,
    permissions,
    policy,
    links: linking.links,
    askers,
    signsIn,
    room,
    sent: store.keyed('corrections'),
    noteAct,
    log,
    clock,
    digest: (text) => createHash('sha256').update(text).digest('base64url'),
    signal: stopping.signal,
  });
  return { policy, permissions, room, ...linking, corrections };
}

function turnsOf(
  { config, sandboxed }: BridgeDeps,
  { clock, store, sealed, observers, noteAct, finishedReplies, askers }: Base,
  { policy, permissions, room, links }: People,
  { directory, channels }: Peers,
): TurnDeps {
  return {
    inbox: store.inbox,
    sessions: store.sessions,
    memory: createThreadMemory(store.keyed('threads')),
    engagement: engagementIn(store),
    names: createPeopleNames(sealed(NAMES), clock),
    finishedReplies,
    directory,
    policy,
    links,
    askers,
    permissions,
    audited: config.audit,
    noteAct,
    quotas: createQuotaCounts(store.keyed('quotas'), clock),
    clock,
    turnEvents: observers.turnEvents,
    room,
    sandboxed,
    receipt: observers.journal.receipt,
    newId,
    adapter: channels.adapter,
    budgets: channels.budgets,
    answering: channels.answering,
  };
}

/** Returns undefined if the bridge starts no HTTP server. */
function openServer(
  { config, log, version, sandboxed, web: place }: BridgeDeps,
  { clock, store, linkKey: key, observers, finishedReplies }: Base,
  { directory, channels }: Peers,
): Web | undefined {
  if (place === undefined || key === undefined) return undefined;
  return openWeb(place, {
    config,
    clock,
    directory,
    finishedReplies,
    log,
    key,
    metrics: observers.metrics,
    probes: [store.probe, ...channels.all.map((adapter) => async () => adapter.probe?.())],
    version,
    answeredBy: sandboxed === undefined ? 'platform' : 'sandbox',
  });
}

function openForgetter(
  adapters: Channels['all'],
  { clock, store, sealed, stateKey: key }: Base,
  log: Log,
): Forgetter {
  const records = { rows: store.keyedRows, sealing: { key, log }, clock };
  const links = sealed(LINKS);
  const nameAll = (target: ForgetTarget) => nameOwners(target, links, records);
  return createForgetter({ store, adapters, nameOwners: nameAll, clock, log });
}

/** Listens, or leaves the requests to a server of the embedder. */
async function serve(web: Web | undefined, place: WebPlace | undefined) {
  if (place?.isEmbedded) return { port: 0, handler: web?.embedded() };
  return { port: (await web?.listen()) ?? 0, handler: undefined };
}

function rulesIn(config: Config): () => CompiledRules {
  const shorthand = rulesOfSettings(config);
  return () => shorthand;
}

/** Returns the accounts of `identity.table`, followed by those of `identity.file`. */
function accountsOf({ identity }: Config, file: BridgeDeps['fileAccounts']): AccountTable {
  const table = createAccountTable(identity.table);
  const all = file === undefined ? table : joinTables(table, file);
  // With links, anyone may have an account of their own. Links are not read here, because this is called to draw a
  // button.
  return identity.linkDays === undefined ? all : { ...all, namesOther: () => true };
}
