/** Receives events over a Socket Mode connection, which the bridge opens, so no public address is needed. */

import { SocketModeClient } from '@slack/socket-mode';
import { cappedFetch } from '../../../src/kit/capped-fetch.ts';
import { isPlain } from '../../../src/kit/json.ts';
import { createStoringAgain, type StoringAgain } from '../../../src/kit/storing-again.ts';
import type { Clock, Log } from '../../../src/kit.ts';
import { sdkLog } from '../api/sdk-log.ts';
import type { Secret } from '../config.ts';
import type { Dispatcher } from './dispatch.ts';
import type { Reach } from './reach.ts';

/**
 * Pause before the next attempt to connect, in milliseconds. Each failure doubles the pause before it is used, so the
 * first pause is 2 s; the longest is 30 s.
 */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Interval between two checks of whether the bridge stops, in milliseconds. */
const CHECK_MS = 250;
/** Maximum duration of the call that asks for the connection's address, in milliseconds. */
const CALL_MS = 10_000;
/** Maximum wait for Slack's `hello`, in milliseconds; Slack normally sends it at once. */
const HELLO_MS = 30_000;

interface SocketDeps {
  readonly token: Secret;
  readonly apiUrl: string;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  readonly log: Log;
  readonly reach: Reach;
  /**
   * True while the bridge stops. It then refuses events and closes the connection, so that Slack sends these events
   * again, to another replica if there is one.
   */
  stopping(): boolean;
}

export type Socket = ReturnType<typeof openSocket>;

/**
 * Keeps one connection open. Does not use the SDK's own reconnecting, which turns a final refusal by Slack into an
 * unhandled rejection and so ends the process.
 */
export function openSocket(deps: SocketDeps) {
  const stopped = new AbortController();
  const { promise: attempted, resolve } = Promise.withResolvers<void>();
  const kept = keepConnected(deps, stopped.signal, resolve);
  const watched = abortWhenStopping(deps, stopped);
  return {
    /** Resolves once the first attempt to connect has succeeded or failed. */
    attempted,
    /** Resolves once the connection is closed. */
    async stop(): Promise<void> {
      stopped.abort();
      await Promise.all([kept, watched]);
    },
  };
}

async function abortWhenStopping({ clock, stopping }: SocketDeps, stopped: AbortController): Promise<void> {
  while (!stopped.signal.aborted) {
    if (stopping()) stopped.abort();
    else await clock.wait(CHECK_MS, stopped.signal).catch(() => undefined);
  }
}

async function keepConnected(deps: SocketDeps, signal: AbortSignal, attempted: () => void): Promise<void> {
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    const failure = await connectOnce(deps, signal, attempted);
    // Slack closes connections regularly to renew them, so open the next one without a pause.
    if (failure === undefined) pause = FIRST_PAUSE_MS;
    else {
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      if (!signal.aborted) deps.reach.failed(failure.thrown, pause);
      await deps.clock.wait(pause, signal).catch(() => undefined);
    }
  }
}

/** Resolves once the connection has ended: with an error if it could not be opened, otherwise with undefined. */
async function connectOnce(
  deps: SocketDeps,
  signal: AbortSignal,
  attempted: () => void,
): Promise<{ readonly thrown: unknown } | undefined> {
  const client = socketClient(deps);
  const ended = new Promise<void>((resolve) => client.once('disconnected', () => resolve()));
  const close = () => void client.disconnect().catch(() => undefined);
  signal.addEventListener('abort', close, { once: true });
  const hello = new AbortController();
  deps.clock.wait(HELLO_MS, hello.signal).then(close, () => undefined);
  try {
    await client.start();
    hello.abort();
    attempted();
    deps.reach.reached();
    deps.log.info({}, 'connected to Slack by Socket Mode');
    if (signal.aborted) close();
    await ended;
    return undefined;
  } catch (thrown) {
    return { thrown };
  } finally {
    attempted();
    hello.abort();
    signal.removeEventListener('abort', close);
    client.removeAllListeners();
  }
}

function socketClient(deps: SocketDeps): SocketModeClient {
  const { token, apiUrl, log, stopping } = deps;
  const storing = createStoringAgain(deps);
  const client = new SocketModeClient({
    appToken: token.reveal(),
    autoReconnectEnabled: false,
    logger: sdkLog(log, 'socket mode'),
    clientOptions: {
      retryConfig: { retries: 0 },
      slackApiUrl: apiUrl,
      timeout: CALL_MS,
      fetch: cappedFetch(),
    },
  });
  client.on('slack_event', (envelope: Envelope) => {
    if (stopping()) return;
    take(envelope, { ...deps, storing }).catch((err: unknown) =>
      log.error({ err }, 'an event from Slack could not be saved; Slack will send it again'),
    );
  });
  return client;
}

interface Envelope {
  readonly body: unknown;
  readonly ack: (answer?: Record<string, unknown>) => Promise<void>;
}

/** Acknowledges an event once it is stored. Slack repeats an event that is not acknowledged. */
async function take(
  { body, ack }: Envelope,
  { dispatcher, storing }: Pick<SocketDeps, 'dispatcher'> & { readonly storing: StoringAgain },
): Promise<void> {
  if (!isPlain(body)) return ack();
  const store = () => dispatcher.deliver(body);
  const answer = await (body.type === 'event_callback' ? storing.try(store) : store());
  await (answer === undefined ? ack() : ack({ ...answer }));
}
