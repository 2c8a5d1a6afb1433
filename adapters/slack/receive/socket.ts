/** Receives events over a Socket Mode connection, which the bridge opens, so no public address is needed. */

import { SocketModeClient } from '@slack/socket-mode';
import {
  createSeldom,
  isPlain,
  type Plain,
  readJson,
  text,
  webSocketAgent,
} from '../../../src/kit/ladder.ts';
import { codeOf } from '../api/errors.ts';
import { sdkLog } from '../api/sdk-log.ts';
import { webOptions } from '../api/sender.ts';
import type { Secret } from '../config.ts';
import type { HttpDeps } from './http.ts';
import { ConnectionClosed, type Reach } from './reach.ts';

/**
 * Pause before the next attempt to connect, in milliseconds. Each failure doubles the pause before it is used, so the
 * first pause is 2 s; the longest is 30 s.
 */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Interval between two checks of whether the bridge stops, in milliseconds. */
const CHECK_MS = 250;
/** A connection that ends sooner counts as a failure, in milliseconds. */
const LIVED_MS = 5_000;
/** Maximum wait for Slack's `hello`, in milliseconds; Slack normally sends it at once. */
const HELLO_MS = 30_000;

interface SocketDeps extends Omit<HttpDeps, 'secret'> {
  readonly token: Secret;
  readonly apiUrl: string;
  readonly reach: Reach;
}

export type Socket = ReturnType<typeof openSocket>;

/**
 * Keeps one connection open. Does not use the SDK's own reconnecting, which turns a final refusal by Slack into an
 * unhandled rejection and so ends the process.
 */
export function openSocket(deps: SocketDeps) {
  const stopped = new AbortController();
  const { promise: attempted, resolve } = Promise.withResolvers<void>();
  const connection = keepConnected(deps, stopped.signal, resolve);
  const watched = abortWhenStopping(deps, stopped);
  return {
    /** Resolves once the first attempt to connect has succeeded or failed. */
    attempted,
    /** Resolves once the connection is closed. */
    async stop(): Promise<void> {
      stopped.abort();
      await Promise.all([connection, watched]);
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
  let wasShort = false;
  while (!signal.aborted) {
    const { failure, isShort } = await connectOnce(deps, signal, attempted);
    // Slack closes connections regularly to renew them, so open the next one without a pause. Slack may renew even a
    // new connection, but not twice in a row.
    const isTrouble = failure !== undefined && (!isShort || wasShort || isFinal(failure));
    wasShort = isShort;
    if (!isTrouble) pause = FIRST_PAUSE_MS;
    else {
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      if (!signal.aborted) deps.reach.failed(failure, pause);
      await deps.clock.wait(pause, signal).catch(() => undefined);
    }
  }
}

/** True if Slack will close the next connection for the same reason. */
const isFinal = (failure: unknown): boolean =>
  failure instanceof ConnectionClosed && /^(?:too_many_websockets|link_disabled)$/.test(failure.reason);

const closedBecause = (reason: string | undefined): Error =>
  reason === undefined ? new Error('the connection was closed') : new ConnectionClosed(reason);

/**
 * Resolves once the connection has ended. `failure` is set if it could not be opened, or ended too soon; `isShort` is
 * true if it was opened, but ended too soon.
 */
async function connectOnce(deps: SocketDeps, signal: AbortSignal, attempted: () => void) {
  const { clock, reach, log } = deps;
  let reason: string | undefined;
  let isShort = true;
  const client = socketClient(deps, (given) => {
    reason = given;
  });
  const ended = new Promise<void>((resolve) => client.once('disconnected', () => resolve()));
  const close = () => void client.disconnect().catch(() => undefined);
  signal.addEventListener('abort', close, { once: true });
  const hello = new AbortController();
  const over = new AbortController();
  clock.wait(HELLO_MS, hello.signal).then(close, () => undefined);
  const live = () => {
    isShort = false;
    reach.reached();
  };
  try {
    await client.start();
    hello.abort();
    attempted();
    clock.wait(LIVED_MS, over.signal).then(live, () => undefined);
    log.info({}, 'connected to Slack by Socket Mode');
    if (signal.aborted) close();
    await ended;
    return { isShort, failure: isShort ? closedBecause(reason) : undefined };
  } catch (thrown) {
    // If the connection ends before Slack's `hello`, the SDK rejects without an error.
    return { isShort: false, failure: thrown ?? closedBecause(reason) };
  } finally {
    attempted();
    hello.abort();
    over.abort();
    signal.removeEventListener('abort', close);
    client.removeAllListeners();
  }
}

function socketClient(deps: SocketDeps, closing: (reason: string) => void): SocketModeClient {
  const { token, apiUrl, log } = deps;
  const agent = webSocketAgent();
  const client = new SocketModeClient({
    appToken: token.reveal(),
    autoReconnectEnabled: false,
    ...(agent !== undefined && { dispatcher: agent }),
    logger: sdkLog(log, 'socket mode'),
    // After a 429, the client waits as long as Slack requires.
    clientOptions: { ...webOptions(apiUrl), rejectRateLimitedCalls: false },
  });
  guardFrames(client, deps, closing);
  return client;
}

/**
 * Gives the SDK only the frames that manage the connection. The SDK reads other frames without checks: a frame such as
 * `null`, or one without a payload, would end the process by a rejection that no code handles, and an event with a name
 * such as `close` would end the connection (https://github.com/slackapi/node-slack-sdk/issues/1499).
 */
function guardFrames(client: SocketModeClient, deps: SocketDeps, closing: (reason: string) => void): void {
  const { dispatcher, log, clock, stopping } = deps;
  const manage = client.listeners('ws_message');
  const seldom = createSeldom(clock);
  client.removeAllListeners('ws_message');
  client.on('ws_message', (data: unknown) => {
    const frame = typeof data === 'string' ? readJson(data) : undefined;
    const kind = kindOf(frame);
    if (kind === 'disconnect') closing(codeOf(frame?.reason));
    if (kind === 'hello' || kind === 'disconnect') {
      for (const listener of manage) listener(data, false);
      return;
    }
    const id = text(frame?.envelope_id);
    if (id === undefined || !isPlain(frame?.payload))
      return seldom('frame', () =>
        log.warn({ kind }, 'Slack sent a frame that cannot be read; it is ignored'),
      );
    if (stopping()) return;
    // Slack repeats an event that is not acknowledged.
    const ack = (payload: object = {}): void =>
      client.websocket?.send(JSON.stringify({ envelope_id: id, payload }), () => undefined);
    dispatcher
      .deliver(frame.payload)
      .then(ack)
      .catch((err: unknown) =>
        log.error({ err }, 'an event from Slack could not be saved; Slack will send it again'),
      );
  });
}

const kindOf = (frame: Plain | undefined): string =>
  frame === undefined ? 'unreadable' : codeOf(frame.type);
