/**
 * Runs bridge processes between a fake Slack, a fake Teams and the scripted platform, which all keep running when a
 * bridge is killed.
 */

import { freePorts } from '../../bench/free-ports.ts';
import { makeDataFolder } from '../../e2e/house/running-parley.ts';
import type { Run } from '../../fakes/history/history.ts';
import { install, slackEnvironment } from '../../fakes/history/house.ts';
import { CONTRACT, type MachineFault, type Span } from '../../fakes/history/kept.ts';
import { type Beginning, createLife, type Life } from '../../fakes/history/life.ts';
import { startPlatform } from '../../fakes/history/platform.ts';
import { teamsEnvironment, teamsSettings } from '../../fakes/history/teams-house.ts';
import { type PostgresPair, startPair } from '../../fakes/postgres/pair.ts';
import { startProxy, type TcpProxy } from '../../fakes/postgres/proxy.ts';
import { type PostgresServer, startPostgres } from '../../fakes/postgres/server.ts';
import { type FakeSlack, startFakeSlack } from '../../fakes/slack/index.ts';
import { type FakeTeams, startFakeTeams } from '../../fakes/teams/index.ts';
import { appPackage } from '../../fakes/teams-app.ts';
import { startBalancer } from './balancer.ts';
import type { LoadOptions } from './options.ts';
import { watchStalls } from './stalls.ts';

export const WORKSPACES = 3;
/**
 * Pauses before an unacknowledged event is repeated. The pauses of the real Slack and Teams are longer, up to minutes.
 */
const SLACK_RETRIES_MS = [0, 1_000, 3_000, 6_000, 12_000, 20_000];
const TEAMS_RETRIES = { times: 8, pauseMs: 3_000 };
/** Longest silence of the platform that the bridge permits, in milliseconds. */
const SILENCE_MS = 6_000;

/**
 * Bounds for several replicas. It may take up to 15 s until people see that a question was received, because a replica
 * may have to take over the workspace first.
 */
export const TAKEOVER = { ...CONTRACT, noticeMs: 15_000 };

export interface Replica {
  life: Life;
  /** Every process that ran as this replica, oldest first. */
  readonly lives: readonly Life[];
  /** Path of the replica's data folder. */
  readonly folder: string;
  /** The replica's own network to PostgreSQL; absent with SQLite, and with `pair`. */
  readonly network?: TcpProxy;
  /** Starts the process again. Resolves when it is ready. */
  start(): Promise<void>;
}

/** What the chosen engine adds to a run. */
export interface Engine {
  /** Variables of each replica. */
  readonly environment: Readonly<Record<string, string>>;
  /** Lines of the configuration. */
  readonly settings: string;
  /** The PostgreSQL server; absent with SQLite, and with `pair`. */
  readonly postgres?: PostgresServer;
  /** The address of the database; absent with SQLite. */
  readonly address?: string;
  /** A PostgreSQL server with its standby, in place of `postgres`. */
  readonly pair?: PostgresPair;
  close(): Promise<void>;
}

export interface Town extends Run {
  readonly slack: FakeSlack;
  readonly teams: FakeTeams;
  readonly breaks: number[];
  readonly machineFaults: MachineFault[];
  readonly excused: Span[];
  readonly replicas: readonly Replica[];
  readonly postgres?: PostgresServer;
  readonly address?: string;
  readonly pair?: PostgresPair;
  close(): Promise<void>;
}

export interface TownOptions extends Omit<LoadOptions, 'events' | 'atOnce' | 'save'> {
  /** Further variables of each bridge process. */
  readonly variables?: Readonly<Record<string, string>>;
}

export async function openTown(options: TownOptions): Promise<Town> {
  const { replicas: count, seed, variables = {} } = options;
  const opened = new AsyncDisposableStack();
  try {
    const platform = opened.adopt(await startPlatform(), (it) => it.close());
    const slack = opened.adopt(
      await startFakeSlack({
        ...{ seed, limits: { off: true } },
        workspaces: Array.from({ length: WORKSPACES }, () => ({ installed: false })),
        deliveryTimes: { answerWithinMs: 3_000, retriesMs: SLACK_RETRIES_MS },
      }),
      (it) => it.close(),
    );
    const teams = opened.adopt(
      await startFakeTeams({ seed, limits: { off: true }, redelivery: TEAMS_RETRIES }),
      (it) => it.close(),
    );
    teams.upload(appPackage(teams.app.id, { allMessages: true }));
    const engine = opened.adopt(await openEngine(options), (it) => it.close());
    const ports = await portsFor(count);
    const balancer = opened.adopt(await startBalancer(ports), (it) => it.close());
    const { url } = balancer;
    const replicas: Replica[] = [];
    for (const port of ports) {
      const beginning = {
        platform: platform.url,
        channel: [
          'slack: { streaming: always }',
          teamsSettings(teams, { streaming: true, allMessages: true }),
          engine.settings,
        ].join('\n'),
        environment: { ...slackEnvironment(slack, { port, url }), ...teamsEnvironment(teams), ...variables },
      };
      replicas.push(await startReplica(opened, engine, beginning));
    }
    for (const { id } of slack.world.workspaces.values()) await install(slack, url, id);
    slack.deliverTo(`${url}/slack/events`);
    teams.deliverTo(`${url}/api/messages`);
    slack.log.clear();
    const excused: Span[] = [];
    opened.defer(watchStalls(excused));
    return {
      ...{ slack, teams, platform, replicas, excused },
      ...{ breaks: [], machineFaults: [], bounds: count > 1 ? TAKEOVER : CONTRACT },
      ...(engine.postgres !== undefined && { postgres: engine.postgres }),
      ...(engine.address !== undefined && { address: engine.address }),
      ...(engine.pair !== undefined && { pair: engine.pair }),
      close: () => opened.disposeAsync(),
    };
  } catch (thrown) {
    await opened.disposeAsync();
    throw thrown;
  }
}

/** Starts a bridge process. With PostgreSQL, it has a network of its own to the server. */
export async function startReplica(
  opened: AsyncDisposableStack,
  { postgres, address, environment }: Engine,
  beginning: Omit<Beginning, 'data' | 'bridge'>,
): Promise<Replica> {
  const data = opened.adopt(await makeDataFolder(), (it) => it.remove());
  const network = postgres && opened.adopt(await startProxy(postgres.port), (it) => it.close());
  const begin = await createLife({
    ...beginning,
    ...{ data, bridge: 'process', silenceMs: SILENCE_MS },
    environment: {
      ...environment,
      ...(network && { DATABASE_URL: through(network, address) }),
      ...beginning.environment,
    },
  });
  const life = await begin();
  const lives = [life];
  const replica: Replica = {
    life,
    lives,
    folder: data.path,
    ...(network && { network }),
    async start() {
      replica.life = await begin();
      lives.push(replica.life);
    },
  };
  opened.defer(() => replica.life.kill());
  return replica;
}

export async function openEngine({
  engine,
  failover,
}: Pick<TownOptions, 'engine' | 'failover'>): Promise<Engine> {
  if (engine === 'sqlite') return { environment: {}, settings: '', close: async () => undefined };
  if (failover) {
    const pair = await startPair();
    const address = await pair.database();
    return { environment: { DATABASE_URL: address }, settings: '', pair, address, close: pair.stop };
  }
  // Runs without fsync. A kill of the server loses no commit nevertheless, because the operating system still holds the
  // written data.
  const postgres = await startPostgres();
  const address = await postgres.database();
  return {
    environment: { DATABASE_URL: address },
    settings: '',
    postgres,
    address,
    close: () => postgres.stop(),
  };
}

/** Returns the address with the port of the proxy. */
function through({ port }: TcpProxy, address = ''): string {
  const url = new URL(address);
  url.port = String(port);
  return url.href;
}

export async function portsFor(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) for (const port of await freePorts()) if (ports.size < count) ports.add(port);
  return [...ports];
}
