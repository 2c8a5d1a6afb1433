/** The HTTP server and the bridge's own routes: health, metrics, and the images and sources of answers. */

import type { Config } from '../config/schema.ts';
import { type Directory, findAgent } from '../core/agents/routing.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { FinishedReplies } from '../core/stores/finished-replies.ts';
import { sourceTitle } from '../core/words.ts';
import { asBridgeError, BridgeError } from '../errors.ts';
import { fragmentLink } from '../kit/fragment-link.ts';
import { sourcesOf } from '../kit/sources.ts';
import type { AdapterHost, ThreadRef } from '../kit.ts';
import { isLoopback } from '../settings/values.ts';
import { createMediaLinks, type MediaGrant, type MediaLinks } from '../web/media-links.ts';
import { createWebServer, type WebServer } from '../web/server.ts';
import { createSourceLinks, type SourceGrant, type SourceLinks } from '../web/source-links.ts';
import type { SourceView } from '../web/source-page.ts';
import type { Observers } from './observers.ts';

export interface WebPlace {
  /** Ports that other parts are about to use; they are never suggested as free. */
  readonly avoid: readonly number[];
  /** Returns further reasons why the bridge is not ready, such as an embedded sandbox that is still starting. */
  awaited(): readonly string[];
  /** True if the bridge shall not listen, because a server of the embedder passes on the requests. */
  readonly isEmbedded?: true;
}

interface WebDeps {
  readonly config: Pick<Config, 'server'>;
  readonly clock: Clock;
  readonly directory: Directory;
  readonly finishedReplies: Pick<FinishedReplies, 'find'>;
  readonly log: Log;
  /** Key of signed links. */
  readonly key: Uint8Array;
  readonly metrics: Observers['metrics'];
  /** Checks that must succeed before the bridge reports that it is ready. */
  readonly probes: readonly Probe[];
  readonly version: string | undefined;
  /** Writer of the answers. */
  readonly answeredBy: 'platform' | 'sandbox';
}

export interface Web extends WebServer {
  readonly links: MediaLinks;
  readonly sourceLinks: SourceLinks;
}

export function openWeb(place: WebPlace, deps: WebDeps): Web {
  const { config, log, key, clock, metrics, probes, directory, finishedReplies } = deps;
  const links = createMediaLinks(key, clock);
  const sourceLinks = createSourceLinks(key, clock, sourceLifeMs(config));
  const readiness = createReadiness(probes, clock);
  const server = createWebServer({
    place: { host: config.server.host, port: config.server.port, setting: 'PORT', avoid: place.avoid },
    clock,
    log,
    metrics,
    metricsToken: config.server.metricsToken,
    version: deps.version,
    answeredBy: deps.answeredBy,
    media: { links, openMedia: (grant, signal) => openMedia(directory, grant, signal) },
    sources: {
      links: sourceLinks,
      hours: config.server.sourceHours,
      find: (grant) => findSource(finishedReplies, grant),
    },
    readiness: async () => [...(await readiness()), ...place.awaited()],
    clients: { share: config.server.connectionsPerAddress, trustedProxies: config.server.trustedProxies },
  });
  return { ...server, links, sourceLinks };
}

/** Fetches an image or file of an answer. Throws `media-unavailable`. */
export async function openMedia(
  directory: Directory,
  { agent: name, account, ref }: Pick<MediaGrant, 'agent' | 'account' | 'ref'>,
  signal: AbortSignal,
) {
  const agent = findAgent(directory, name);
  if (agent === undefined) {
    throw new BridgeError('media-unavailable', `The agent "${name}" of this image is no longer configured.`);
  }
  if (agent.platform !== ref.platform) {
    throw new BridgeError('media-unavailable', `The agent "${name}" has moved to another platform.`);
  }
  return agent.gateway.openMedia(ref, {
    signal,
    account: agent.platform === undefined ? account : undefined,
  });
}

/**
 * Lifetime of a probe's result, in milliseconds, so that frequent requests cause at most one write per
 * second.
 */
const RESULT_KEPT_MS = 1_000;

/** Rejects if a question cannot be stored. */
type Probe = () => Promise<void>;

/**
 * Returns a function that resolves with the reasons why no question can be accepted. The list is empty if every
 * probe succeeds.
 */
export function createReadiness(probes: readonly Probe[], clock: Clock): () => Promise<readonly string[]> {
  let probedAt = Number.NEGATIVE_INFINITY;
  let latest: Promise<readonly string[]> = Promise.resolve([]);
  return () => {
    // Compare the absolute difference, because the clock may have been set back.
    if (Math.abs(clock.now() - probedAt) >= RESULT_KEPT_MS) {
      probedAt = clock.now();
      latest = failuresOf(probes);
    }
    return latest;
  };
}

async function failuresOf(probes: readonly Probe[]): Promise<readonly string[]> {
  const results = await Promise.allSettled(probes.map((probe) => probe()));
  return results.flatMap((result) =>
    result.status === 'rejected' ? [asBridgeError(result.reason).message] : [],
  );
}

const HOUR_MS = 60 * 60_000;

/**
 * Returns the time for which source links show passages, in milliseconds; 0 if the bridge has no public
 * address.
 */
export function sourceLifeMs({ server }: Pick<Config, 'server'>): number {
  return server.publicUrl === undefined ? 0 : server.sourceHours * HOUR_MS;
}

/**
 * True if only one person may read the answer. A link works for everyone who has it, so it must not show more
 * than its readers may see. Everyone in a room may read the passages of its answers. Passages of a private
 * answer were read with one person's rights, so its sources keep the document's own link, which checks those
 * rights (attacks S17, S25).
 */
const isForOne = ({ kind }: ThreadRef): boolean => kind === 'direct';

/** Leaves out a link to this machine, such as one of the embedded sandbox, if other machines can open the bridge. */
function reachable(link: string | undefined, host: string): string | undefined {
  const target = link === undefined ? undefined : URL.parse(link)?.hostname;
  return target !== undefined && isLoopback(target) && !isLoopback(host) ? undefined : link;
}

/** @param links undefined if there is no HTTP server */
export function createSourceLinker(
  { server }: Pick<Config, 'server'>,
  links: SourceLinks | undefined,
): AdapterHost['sourceLink'] {
  const address = server.publicUrl?.replace(/\/*$/, '');
  return (source, { turn, thread }) => {
    const link = reachable(fragmentLink(source), server.host);
    if (link === undefined || address === undefined || isForOne(thread)) return link;
    const sealed = links?.seal({ turn, key: source.key, link });
    return sealed === undefined ? link : `${address}/sources/${sealed}`;
  };
}

/** Finds the content of a source's page; undefined if the link may not show it. Rejects with `store-unavailable`. */
export async function findSource(
  finishedReplies: Pick<FinishedReplies, 'find'>,
  { turn, key }: SourceGrant,
): Promise<SourceView | undefined> {
  const stored = await finishedReplies.find(turn);
  if (stored === undefined || isForOne(stored.question.thread)) return undefined;
  const found = sourcesOf(stored.document).find(({ source }) => source.key === key);
  if (found === undefined) return undefined;
  const { number, source } = found;
  return { number, title: sourceTitle(source, number), passages: source.fragments.map(({ text }) => text) };
}
