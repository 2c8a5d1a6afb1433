/** The composition root: creates a running bridge from a configuration. */

import { keyDeadlines, makeDirectory } from './bridge/agents.ts';
import { ASKERS, createAskerTokens } from './bridge/asker-tokens.ts';
import { makeChannels } from './bridge/channels.ts';
import { makeCorrections } from './bridge/corrections.ts';
import { keepTidy } from './bridge/data.ts';
import { type Engine, makeEngine, roomRules } from './bridge/engine.ts';
import { createForgetter, type Forgetter, type ForgetterDeps } from './bridge/forgetting.ts';
import { createGuard, type GuardDeps, guarded } from './bridge/guarded.ts';
import { makeHost } from './bridge/host.ts';
import { type Keys, openKeys } from './bridge/keys.ts';
import { openLinking } from './bridge/link-pages.ts';
import { LINKS, nameOwners } from './bridge/link-records.ts';
import { makeNoteAct, makeObservers, type OnRulesReload } from './bridge/observers.ts';
import { type OwnFunctions, openOwnAgents } from './bridge/own-agents.ts';
import { makeOutages, openPlatforms } from './bridge/platforms.ts';
import { openStorage } from './bridge/storage.ts';
import { createSourceLinker, openWeb, type Web, type WebPlace } from './bridge/web.ts';
import { systemClock } from './clock.ts';
import { type Config, credentialOf } from './config/schema.ts';
import { rulesOfSettings } from './config/shorthand.ts';
import type { CompiledRules } from './core/access/compile.ts';
import { createPermissions } from './core/access/permissions.ts';
import { type AccountTable, createAccountTable, joinTables } from './core/agents/access.ts';
import type { Log } from './core/log.ts';
import { createFinishedReplies } from './core/stores/finished-replies.ts';
import type { Keyed } from './core/stores/keyed.ts';
import type { Outages } from './core/turns/outages.ts';
import { catchStrays } from './kit/stray.ts';
import type { AdapterHost, ChannelAdapter } from './kit.ts';
import { type Store, sealKeyed } from './store/index.ts';
import type { EmbeddedHandler } from './web/embedded-handler.ts';

/** Milliseconds that running turns get to finish after the process is asked to stop (fault F31). */
const DRAIN_MS = 20_000;
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
  const { config, log, adapters, outside = [], version, web: place, sandboxed } = deps;
  const { onRulesReload, fileAccounts } = deps;
  const clock = systemClock;
  const store = opened.adopt(await openStorage(config, { clock, log, version }), (it) => it.close());
  const keys = await openKeys(config);
  const sealed = (namespace: string) =>
    sealKeyed(store.keyed(namespace), { namespace, key: keys.state, log });
  const finishedReplies = createFinishedReplies(sealed('replies'));
  const observers = makeObservers(store, log, version);
  opened.defer(() => observers.journal.flush());
  const askers = createAskerTokens(sealed(ASKERS), clock);
  const calls = { clock, log, random: Math.random, called: observers.metrics.called };
  const platforms = openPlatforms(config, { ...calls, replicas: store.replicas, store, askers }, opened);
  const own = openOwnAgents(config, { clock, random: Math.random, functions: deps.functions });
  const directory = makeDirectory(config, { platforms, tokenOf: askers.secretOf, own });
  warnOfAgents(config, adapters, { now: clock.now(), log });
  const guests = guardAll(outside, { clock, log, strayed: observers.metrics.channelStrayed }, opened);
  const kept = { learned: store.keyed('limits'), calls: store.keyed('calls') };
  const channels = makeChannels([...adapters, ...guests], { clock, log, ...kept });
  const permissions = createPermissions(deps.rules ?? rulesIn(config), [...directory.agents.keys()]);
  const noteAct = makeNoteAct(store, { log, clock }, onRulesReload);
  const forgetter = makeForgetter({ store, adapters: channels.all, clock, log }, keys, sealed(LINKS));
  const decided = { accounts: accountsOf(config, fileAccounts), forgetter, noteAct, permissions };
  const common = { ...decided, store, observers, directory, clock, finishedReplies, askers };
  const linkKey = place && (await keys.links());
  const linking = openLinking({
    ...{ ...common, config, sealed, adapters: channels.all, key: linkKey, log },
    titles: deps.titles ?? new Map(),
  });
  const engine = makeEngine({ ...common, ...linking, sealed, config, channels, sandboxed });
  const corrections = makeCorrections({ ...common, ...linking, channels, config, log }, opened);
  const probes = [store.probe, ...channels.all.map((adapter) => async () => adapter.probe?.())];
  const web =
    place && linkKey && openWeb(place, { ...common, config, log, probes, version, sandboxed, key: linkKey });
  opened.defer(() => web?.close(CLOSE_MS));
  let closing = false;
  const hostOf = (adapter: ChannelAdapter) => {
    const parts = {
      adapter,
      budgets: channels.budgets(adapter.name),
      room: roomRules(config),
      sourceLink: createSourceLinker(config, web?.sourceLinks),
      ...engine,
      publicUrl: config.server.publicUrl?.replace(/\/*$/, ''),
      closing: () => closing,
    };
    return makeHost({ ...common, ...linking, ...parts, corrections, log, web, sealed });
  };
  await holdOthers(await startChannels(adapters, guests, hostOf, opened), store, log);
  const served = await serve(web, place);
  // The upkeep stops after the engine, so that a long deletion does not delay the stop of the engine.
  startUpkeep({ store, config, log, forgetter }, opened);
  const outages = makeOutages({ ...common, config, platforms, own, log });
  await startEngine({ ...engine, outages }, opened);
  opened.defer(() => {
    closing = true;
    web?.drain();
  });
  return served;
}

/** Listens, or leaves the requests to a server of the embedder. */
async function serve(web: Web | undefined, place: WebPlace | undefined) {
  if (place?.isEmbedded) return { port: 0, handler: web?.embedded() };
  return { port: (await web?.listen()) ?? 0, handler: undefined };
}

/** Guards the channels from outside, and attributes their stray errors until the bridge stops. */
function guardAll(
  outside: readonly ChannelAdapter[],
  deps: GuardDeps,
  opened: AsyncDisposableStack,
): readonly ChannelAdapter[] {
  if (outside.length > 0) opened.defer(catchStrays());
  return outside.map((adapter) => guarded(adapter, createGuard(adapter.name, deps)));
}

function rulesIn(config: Config): () => CompiledRules {
  const shorthand = rulesOfSettings(config);
  return () => shorthand;
}

function makeForgetter(
  deps: Omit<ForgetterDeps, 'nameOwners'> & { readonly store: Store },
  keys: Keys,
  links: Keyed,
) {
  const { store, log, clock } = deps;
  const stored = { rows: store.keyedRows, sealing: { key: keys.state, log }, clock };
  return createForgetter({ ...deps, nameOwners: (target) => nameOwners(target, links, stored) });
}

/** Returns the accounts of `identity.table`, followed by those of `identity.file`. */
function accountsOf({ identity }: Config, file: BridgeDeps['fileAccounts']): AccountTable {
  const table = createAccountTable(identity.table);
  const all = file === undefined ? table : joinTables(table, file);
  // With links, anyone may have an account of their own. Links are not read here, because this is called to draw a
  // button.
  return identity.linkDays === undefined ? all : { ...all, namesOther: () => true };
}

function warnOfAgents(
  config: Config,
  adapters: readonly ChannelAdapter[],
  { now, log }: { readonly now: number; readonly log: Log },
): void {
  for (const { ok, what, detail } of keyDeadlines(config, now)) if (!ok) log.warn({ what }, detail);
  const askers = Object.entries(config.agents).filter(([, agent]) => credentialOf(agent)?.kind === 'asker');
  if (askers.length === 0 || adapters.some(({ abilities }) => abilities.signIn !== undefined)) return;
  const agents = askers.map(([name]) => name);
  log.warn(
    { agents },
    'These agents have "kind: asker", but no channel has single sign-on. They use only the credential in "elsewhere".',
  );
}

/**
 * Starts the channels and resolves with the names of the running ones. If a channel from another package fails to
 * start, the others still run.
 */
async function startChannels(
  adapters: readonly ChannelAdapter[],
  guests: readonly ChannelAdapter[],
  hostOf: (adapter: ChannelAdapter) => AdapterHost,
  opened: AsyncDisposableStack,
): Promise<readonly string[]> {
  const start = async (adapter: ChannelAdapter): Promise<string> => {
    opened.defer(() => adapter.stop());
    await adapter.start(hostOf(adapter));
    return adapter.name;
  };
  const names: string[] = [];
  for (const adapter of adapters) names.push(await start(adapter));
  const started = await Promise.allSettled(guests.map(start));
  return [...names, ...started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))];
}

/** If a channel is not running, keeps its turns in the queue, because no adapter could show their answers. */
async function holdOthers(channels: readonly string[], store: Store, log: Log): Promise<void> {
  for (const { channel, waiting } of await store.serve(channels)) {
    const text = 'questions from a channel that is not running stay queued until it runs again';
    log.warn({ channel, waiting }, text);
  }
}

interface UpkeepDeps {
  readonly store: Store;
  readonly config: Config;
  readonly log: Log;
  readonly forgetter: Forgetter;
}

/** Starts two tasks: the deletion of expired data, and the work on requests to forget data. */
function startUpkeep(
  { store, config: { retention }, log, forgetter }: UpkeepDeps,
  opened: AsyncDisposableStack,
): void {
  const upkeep = new AbortController();
  const { signal } = upkeep;
  const ended = [keepTidy(store, { retention, clock: systemClock, log, signal }), forgetter.run(signal)];
  opened.defer(async () => {
    upkeep.abort();
    await Promise.all(ended);
  });
}

interface Running extends Pick<Engine, 'worker' | 'announcer'> {
  readonly outages: Outages;
}

async function startEngine(
  { worker, announcer, outages }: Running,
  opened: AsyncDisposableStack,
): Promise<void> {
  await outages.begin();
  const announcing = new AbortController();
  const announced = Promise.all([announcer.run(announcing.signal), outages.run(announcing.signal)]);
  opened.defer(async () => {
    announcing.abort();
    await announced;
  });
  worker.start();
  opened.defer(() => worker.drain(DRAIN_MS));
}
