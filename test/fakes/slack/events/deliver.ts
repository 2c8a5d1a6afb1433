/**
 * Sends signed requests to the app. If an event gets no 2xx response within 3 s, sends it again: at once, after 1
 * minute and after 5 minutes. https://docs.slack.dev/apis/events-api/#retries
 */

import type { Json } from '../shapes.ts';
import type { World } from '../world.ts';
import { sign } from './sign.ts';

/**
 * Time limit for a response, and pauses between attempts, in milliseconds. Default: Slack's. Tests on a busy machine
 * may allow more time and repeat sooner.
 */
export interface DeliveryTimes {
  readonly answerWithinMs: number;
  /** Pauses before the event is sent again. */
  readonly retriesMs: readonly number[];
}

const SLACKS: DeliveryTimes = { answerWithinMs: 3_000, retriesMs: [0, 60_000, 300_000] };

export type Kind = 'event' | 'interactive' | 'command' | 'options' | 'other';

export interface Attempt {
  readonly at: number;
  readonly retry: number;
  /** HTTP status; 0 if there was no response. */
  status: number;
  reason?: string;
  ms: number;
  /** Body of the app's response, which may be a form, a list of options or the errors of a view. */
  body: string;
}

export interface Delivery {
  readonly id: number;
  readonly kind: Kind;
  readonly payload: Json;
  readonly attempts: Attempt[];
  /** Resolves with the first attempt that gets a 2xx status, or with the last attempt. */
  readonly done: Promise<Attempt | undefined>;
}

/** Makes one attempt, over HTTP or over a socket. */
export type Transport = (
  delivery: Omit<Delivery, 'done'>,
  attempt: Attempt,
  signal: AbortSignal,
) => Promise<void>;

export interface Deliverer {
  readonly deliveries: Delivery[];
  /** @param retry number of the first attempt; above 0 if earlier attempts reached no app */
  deliver(kind: Kind, payload: Json, retry?: number): Delivery;
  use(transport: Transport | undefined): void;
  /** Cancels all waiting attempts. */
  close(): void;
}

export function createDeliverer({ clock }: World, deliveryTimes: DeliveryTimes = SLACKS): Deliverer {
  const deliveries: Delivery[] = [];
  const stop = new AbortController();
  let transport: Transport | undefined;

  const attempt = async (
    delivery: Omit<Delivery, 'done'>,
    retry: number,
    reason?: string,
  ): Promise<Attempt> => {
    const made: Attempt = {
      at: clock.now(),
      retry,
      status: 0,
      ms: 0,
      body: '',
      ...(reason === undefined ? {} : { reason }),
    };
    delivery.attempts.push(made);
    const limit = new AbortController();
    const late = clock.wait(deliveryTimes.answerWithinMs, AbortSignal.any([stop.signal, limit.signal])).then(
      () => limit.abort('http_timeout'),
      () => undefined,
    );
    await (transport?.(delivery, made, limit.signal) ?? Promise.resolve()).catch(() => undefined);
    made.ms = clock.now() - made.at;
    limit.abort('answered');
    await late;
    return made;
  };

  const run = async (delivery: Omit<Delivery, 'done'>, retry: number): Promise<Attempt | undefined> => {
    if (transport === undefined) return undefined;
    let last = await attempt(delivery, retry, retry === 0 ? undefined : 'connection_failed');
    for (const [index, wait] of deliveryTimes.retriesMs.entries()) {
      if (succeeded(last) || delivery.kind !== 'event' || stop.signal.aborted) return last;
      if (!(await waited(wait))) return last;
      last = await attempt(delivery, index + 1, reasonOf(last, deliveryTimes));
    }
    return last;
  };

  const waited = (ms: number): Promise<boolean> =>
    ms === 0
      ? Promise.resolve(true)
      : clock.wait(ms, stop.signal).then(
          () => true,
          () => false,
        );

  return {
    deliveries,
    deliver(kind, payload, retry = 0) {
      const bare = { id: deliveries.length + 1, kind, payload, attempts: [] };
      const delivery = { ...bare, done: run(bare, retry) };
      deliveries.push(delivery);
      return delivery;
    },
    use: (given) => {
      transport = given;
    },
    close: () => stop.abort('closed'),
  };
}

const succeeded = ({ status }: Attempt): boolean => status >= 200 && status < 300;

const reasonOf = ({ status, ms }: Attempt, { answerWithinMs }: DeliveryTimes): string => {
  if (status > 0) return 'http_error';
  return ms >= answerWithinMs ? 'http_timeout' : 'connection_failed';
};

export interface Targets {
  readonly events: string;
  /** Address for interactions; default: the address for events. */
  readonly interactive?: string;
  readonly commands?: string;
}

export function httpTransport({ clock, app }: World, targets: Targets): Transport {
  return async (delivery, attempt, signal) => {
    const { kind, payload } = delivery;
    const body = bodyOf(kind, payload);
    const address =
      kind === 'command' ? targets.commands : kind === 'event' ? undefined : targets.interactive;
    const answer = await fetch(address ?? targets.events, {
      method: 'POST',
      redirect: 'manual',
      signal,
      body,
      headers: {
        'content-type': isForm(kind, payload) ? 'application/x-www-form-urlencoded' : 'application/json',
        'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
        ...sign(app.signingSecret, body, clock.now()),
        ...(attempt.retry === 0
          ? {}
          : { 'x-slack-retry-num': String(attempt.retry), 'x-slack-retry-reason': attempt.reason ?? '' }),
      },
    });
    attempt.body = await answer.text();
    attempt.status = answer.status;
  };
}

/** Encodes the payload as Slack does: interactions as a form with one field, commands as a form, events as JSON. */
function bodyOf(kind: Kind, payload: Json): string {
  if (kind === 'interactive' || kind === 'options')
    return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  if (!isForm(kind, payload)) return JSON.stringify(payload);
  const fields = Object.entries(payload).map(([name, value]): [string, string] => [name, String(value)]);
  return new URLSearchParams(fields).toString();
}

const isForm = (kind: Kind, payload: Json): boolean =>
  kind === 'interactive' || kind === 'options' || kind === 'command' || payload.ssl_check !== undefined;
