import type { AgentGateway } from '../core/agents/agent.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { BridgeError } from '../errors.ts';
import { answers, type BaseCheck, checkBase, reachBase } from './base-check.ts';
import { parseBase } from './base-url.ts';
import { type Credentials, createClient, type PlatformClient } from './caller.ts';
import { AUTH_PATTERN } from './failure.ts';
import type { AgentOptions } from './gateways/agent-context.ts';
import { liteKeyGateway, liteTokenGateway } from './gateways/lite.ts';
import { openGateway } from './gateways/open.ts';
import { defaultTimeouts, MAX_UPLOAD_BYTES, type Timeouts } from './limits.ts';
import { createByteCache } from './media/images.ts';
import { limited, type RateLimit } from './rate-limit.ts';
import { ReadPace } from './stream/read-pace.ts';
import { createTokenCache } from './tokens.ts';
import { type TraceRequest, traced } from './traced.ts';
import { createTransport } from './transport.ts';
import { type DeploymentOptions, deploymentOf } from './wire/deployment.ts';
import type { PlatformCall, Wiring } from './wiring.ts';

export interface PlatformOptions extends DeploymentOptions {
  /**
   * The platform's base address: http or https, possibly with a path; no query, fragment or credentials (platform
   * contract GEN-1).
   */
  readonly baseUrl: string;
  /** Allows http to a platform on another machine (platform contract GEN-16). */
  readonly allowInsecureHttp?: boolean | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
  /** Paths that differ from the documented ones, by operation id (platform contract GEN-11). */
  readonly paths?: Readonly<Record<string, string>> | undefined;
  /**
   * Authentication scheme of Open API tokens. `auto` tries both and remembers which one works (platform contract
   * AUT-13).
   */
  readonly authScheme?: 'auto' | 'openapi' | 'Bearer' | undefined;
  /** Language of texts that the platform itself writes, as a BCP 47 tag (platform contract MED-1). */
  readonly locale?: string | undefined;
  /** Maximum bytes of an uploaded file; 100 MiB by default (platform contract FIL-11). */
  readonly maxUploadBytes?: number | undefined;
  /** Rate limit per credential, if the deployment has one; unlimited if absent (platform contract LIM-11). */
  readonly rateLimit?: RateLimit | undefined;
  /**
   * Matches the text of errors that mean "sign in again". Replaces the default English and Chinese phrases (platform
   * contract AUT-16).
   */
  readonly authPattern?: RegExp | undefined;
  /** True if requests to the platform carry the header `traceparent` of their trace (W3C Trace Context). */
  readonly traceparent?: boolean | undefined;
}

/** One agent platform with its connections, tokens and cached images. */
export interface Platform {
  /** Throws `config-invalid` if the options lack a value that the agent's interface requires. */
  gateway(options: AgentOptions): AgentGateway;
  /**
   * Resolves with true if the platform responds to a request without credentials with a status below 500. Never
   * rejects.
   */
  answers(): Promise<boolean>;
  /** Requests the base address. Resolves with the reason if no response arrives. Rejects only if the signal aborts. */
  reach(signal: AbortSignal): Promise<BridgeError | undefined>;
  /** Checks that the platform is at the base address, without credentials. Rejects only if the signal aborts. */
  check(signal: AbortSignal): Promise<BaseCheck>;
  /** Returns a client with all operations, which uses these credentials. */
  client(credentials: Credentials): PlatformClient;
  close(): Promise<void>;
}

export interface PlatformPorts {
  readonly clock: Clock;
  readonly log: Log;
  /** Returns a random number of at least 0 and less than 1. */
  readonly random: () => number;
  /** Called with the outcome of each finished call. */
  readonly called?: (call: PlatformCall) => void;
  /** Returns the number of processes that share the platform's rate limit; 1 by default. */
  readonly replicas?: () => number;
  /** Follows each request, for traces. */
  readonly trace?: TraceRequest;
}

/** Creates the platform's client without connecting. Throws `config-invalid` if the base address cannot be used. */
export function createPlatform(options: PlatformOptions, ports: PlatformPorts): Platform {
  const { clock, log, random, called, trace, replicas = () => 1 } = ports;
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const lifetime = new AbortController();
  const base = parseBase(options.baseUrl, options.allowInsecureHttp ?? false);
  const untraced = createTransport(timeouts, clock);
  const transport = trace ? traced(untraced, trace, base, options.traceparent ?? false) : untraced;
  const wiring: Wiring = {
    base,
    transport: options.rateLimit ? limited(transport, options.rateLimit, { clock, replicas }) : transport,
    timeouts,
    clock,
    random,
    paths: options.paths ?? {},
    deployment: deploymentOf(options),
    forms: new Map(),
    reads: new ReadPace(clock),
    maxUploadBytes: options.maxUploadBytes ?? MAX_UPLOAD_BYTES,
    schemes: { wanted: options.authScheme ?? 'auto', known: new Map() },
    authPattern: options.authPattern ?? AUTH_PATTERN,
    locale: options.locale ?? 'en-US',
    called: called ?? (() => undefined),
  };
  const signIn = { wiring, tokens: createTokenCache(clock, lifetime.signal), log };
  const cache = createByteCache(clock);
  let agents = 0;
  return {
    gateway: (agent) => {
      agents += 1;
      const scope = `agent-${agents}`;
      return gatewayFor({ wiring, signIn, cache, options: agent, scope, fallback: fallbackLog(log, agent) });
    },
    answers: () => answers(wiring, lifetime.signal),
    reach: (signal) => reachBase(wiring, AbortSignal.any([signal, lifetime.signal])),
    check: (signal) => checkBase(wiring, AbortSignal.any([signal, lifetime.signal])),
    client: (credentials) => createClient(wiring, signIn, credentials),
    close: async () => {
      lifetime.abort(new BridgeError('platform-unreachable', 'The platform client was closed.'));
      await wiring.transport.close();
    },
  };
}

function gatewayFor(context: Parameters<typeof liteKeyGateway>[0]): AgentGateway {
  const { options } = context;
  switch (options.interface) {
    case 'lite-key':
      if (options.credential.kind !== 'api-key') throw lacking('lite-key', 'an API key as its credential');
      return liteKeyGateway(context);
    case 'lite-token':
      if (options.agentId === undefined) throw lacking('lite-token', 'the agentId');
      if (options.credential.kind === 'api-key')
        throw lacking('lite-token', 'a credential that yields a token');
      return liteTokenGateway(context, options.agentId);
    case 'open':
      if (options.expertCode === undefined) throw lacking('open', 'the expertCode');
      if (options.credential.kind === 'api-key') throw lacking('open', 'a credential that yields a token');
      return openGateway(context, options.expertCode);
  }
}

function lacking(name: AgentOptions['interface'], what: string): BridgeError {
  return new BridgeError('config-invalid', `An agent with interface "${name}" needs ${what}.`);
}

/**
 * Returns a function that logs where the platform deviated from its documentation, and the client could handle this.
 * For each agent and rule, logs the first deviation at info level, and later ones at debug level with their count.
 */
function fallbackLog(log: Log, { interface: face }: AgentOptions): (rule: string) => void {
  const counts = new Map<string, number>();
  return (rule) => {
    const count = (counts.get(rule) ?? 0) + 1;
    counts.set(rule, count);
    if (count === 1)
      log.info({ rule, interface: face }, 'the platform answers in an undocumented form, which is accepted');
    else log.debug({ rule, count, interface: face }, 'tolerated form');
  };
}
