/**
 * Sends requests to the bot. Teams waits 15 seconds for a response and repeats unanswered requests. It never repeats an
 * invoke, because the person waits for its response.
 */

import { type Json, text } from '../read.ts';
import type { Inbound } from '../tokens/inbound.ts';
import type { World } from '../world.ts';

/** Maximum wait for a response, in milliseconds. */
const ANSWER_WITHIN = 15_000;

export interface Attempt {
  readonly at: number;
  readonly retry: number;
  /** HTTP status; 0 if there was no response. */
  status: number;
  ms: number;
  /** The app's response to an invoke. */
  body: string;
}

export interface Delivery {
  readonly id: number;
  readonly activity: Json;
  readonly attempts: Attempt[];
  /** Resolves after the last attempt. */
  readonly done: Promise<Attempt | undefined>;
}

export interface RedeliveryOptions {
  /** Maximum repetitions of an activity; default: 1. */
  readonly times?: number;
  /** Statuses after which a request is repeated; default: 500 and above. */
  readonly on?: (status: number) => boolean;
  /** Milliseconds between the end of an attempt and the next one. */
  readonly pauseMs?: number;
}

export interface Deliverer {
  readonly deliveries: Delivery[];
  deliver(activity: Json): Delivery;
  /** Sends the same activity once more, as Teams does if a response is lost. */
  again(delivery: Delivery): Delivery;
  use(address: string | undefined): void;
  /** Cancels all pending repetitions. */
  close(): void;
}

export function createDeliverer(
  { clock }: World,
  inbound: Pick<Inbound, 'authorize'>,
  { times = 1, on = (status) => status >= 500, pauseMs = 0 }: RedeliveryOptions = {},
): Deliverer {
  const deliveries: Delivery[] = [];
  const stop = new AbortController();
  let address: string | undefined;

  const attempt = async (activity: Json, retry: number): Promise<Attempt> => {
    const made: Attempt = { at: clock.now(), retry, status: 0, ms: 0, body: '' };
    const limit = new AbortController();
    const late = clock.wait(ANSWER_WITHIN, AbortSignal.any([stop.signal, limit.signal])).then(
      () => limit.abort('no answer within 15 s'),
      () => undefined,
    );
    await post(address ?? '', activity, inbound.authorize(activity), limit.signal)
      .then(({ status, body }) => Object.assign(made, { status, body }))
      .catch(() => undefined);
    made.ms = clock.now() - made.at;
    limit.abort('answered');
    await late;
    return made;
  };

  const run = async (activity: Json, attempts: Attempt[]): Promise<Attempt | undefined> => {
    if (address === undefined) return undefined;
    const most = activity.type === 'invoke' ? 0 : times;
    for (let retry = 0; ; retry += 1) {
      const made = await attempt(activity, retry);
      attempts.push(made);
      if ((made.status > 0 && !on(made.status)) || retry >= most || stop.signal.aborted) return made;
      if (pauseMs > 0) await clock.wait(pauseMs, stop.signal).catch(() => undefined);
    }
  };

  const deliver = (activity: Json): Delivery => {
    const attempts: Attempt[] = [];
    const delivery = { id: deliveries.length + 1, activity, attempts, done: run(activity, attempts) };
    deliveries.push(delivery);
    return delivery;
  };

  return {
    deliveries,
    deliver,
    again: ({ activity }) => deliver(activity),
    use: (given) => {
      address = given;
    },
    close: () => stop.abort('closed'),
  };
}

async function post(
  address: string,
  activity: Json,
  authorization: string,
  signal: AbortSignal,
): Promise<{ status: number; body: string }> {
  const answer = await fetch(address, {
    method: 'POST',
    redirect: 'manual',
    signal,
    body: JSON.stringify(activity),
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'BF-DirectLine (Microsoft-BotFramework/3.2 +https://botframework.com/ua)',
      authorization,
      ...(text(activity, 'channelId') === undefined
        ? {}
        : { 'x-ms-conversation-id': conversationOf(activity) }),
    },
  });
  return { status: answer.status, body: await answer.text() };
}

const conversationOf = ({ conversation }: Json): string =>
  encodeURIComponent(text(conversation as Json, 'id') ?? '');
