/**
 * The routes with which a signed-in person connects their id in another channel to their account. To prove that the id
 * is theirs, the person also signs in to that channel's chat platform. The chat platform then sends the browser to
 * `PROOF_PATH`, which redirects it to the page. The page then posts the proof with the person's own cookie, so the
 * proof counts only for the session that began the sign-in.
 */

import { randomBytes } from 'node:crypto';
import type express from 'express';
import { createAttempts, createCache, type LinkProofs, plain } from '../../../src/kit/ladder.ts';
import type { AdapterHost } from '../../../src/kit.ts';
import { HttpRefusal, notFound } from '../refusal.ts';
import type { ConnectView } from '../wire.ts';
import type { Served } from './acts.ts';
import { cookieOfEach } from './cookie.ts';
import { connecting, readFields, returned } from './decode.ts';
import { PLACE, signedInPerson, viewOf } from './linking.ts';

/** Maximum duration of a sign-in at the chat platform, in milliseconds. */
const PENDING_MS = 10 * 60_000;
/** Maximum states of finished sign-ins in memory. A state is used once. */
const USED_STATES = 10_000;
const RANDOM_BYTES = 32;

/** Adds the routes for connecting ids, if people sign in and a channel offers a proof of identity. */
export function addConnecting(app: express.Express, { gate, host, config, seal }: Served): void {
  const { linkProofs, clock } = host;
  if (linkProofs === undefined || seal === undefined) return;
  const cookies = cookieOfEach('parley_connect', 'Strict', PENDING_MS, config.secureCookies ?? false);
  const used = createCache<true>({ clock, max: USED_STATES, ttlMs: PENDING_MS });
  const attempts = createAttempts(clock);
  app.post('/connect', async (request, response) => {
    const { channel } = await readFields(connecting, request, clock);
    const person = signedInPerson(gate, request);
    const attempt = { state: random(), nonce: random() };
    const address = linkProofs.begin(channel, attempt);
    if (address === undefined)
      throw notFound('This chat can no longer be connected. Please reload the page.');
    const pending: Pending = { ...attempt, channel, person: person.id, at: clock.now() };
    response.setHeader('set-cookie', cookies.begin(attempt.state, seal.seal(pending), request.headers));
    response.json({ address } satisfies ConnectView);
  });
  app.post('/connect/finish', async (request, response) => {
    const { channel, query } = await readFields(returned, request, clock);
    const person = signedInPerson(gate, request);
    const states = new URLSearchParams(query).getAll('state');
    const own = cookies.of(states[0] ?? '');
    const pending = readPending(seal.open(own.read(request.headers) ?? ''));
    const isOwn =
      pending !== undefined &&
      pending.channel === channel &&
      pending.person === person.id &&
      clock.now() - pending.at <= PENDING_MS &&
      isOnly(pending.state, states) &&
      !used.get(pending.state);
    if (!isOwn) throw new HttpRefusal(409, 'link-refused', EXPIRED);
    const end = attempts(person.id);
    if (end === undefined) throw new HttpRefusal(429, 'too-many-tries', TOO_MANY, RETRY_SECONDS);
    used.set(pending.state, true);
    response.setHeader('set-cookie', own.clear());
    const { nonce } = pending;
    let failed = true;
    try {
      const answer = await linkProofs.finish({ channel, query, nonce }, person, PLACE);
      failed = answer.kind === 'refused';
      response.json(viewOf(answer));
    } finally {
      end(failed);
    }
  });
}

const EXPIRED =
  'This sign-in took too long, was already used, or began in another browser, so nothing was connected. Please try again.';

const TOO_MANY = 'Too many sign-ins failed, so nothing was connected. Please wait a minute.';
const RETRY_SECONDS = 60;

/**
 * Adds the address to which chat platforms send browsers back. It leads to the page in any case, so no request can choose
 * where a browser goes. The query travels behind `#`, where no other server sees it.
 */
export function addReturn(page: express.Express, { linkProofs }: Pick<AdapterHost, 'linkProofs'>): void {
  if (linkProofs === undefined) return;
  page.get('/:channel', ({ params, originalUrl }, response) => {
    const from = originalUrl.indexOf('?');
    const query = from < 0 ? '' : originalUrl.slice(from + 1);
    response.redirect(303, `../#/connect/${[params.channel, query].map(encodeURIComponent).join('/')}`);
  });
}

/** Returns the channels that the page offers to connect. */
export const connectable = (
  { linkProofs }: Pick<AdapterHost, 'linkProofs'>,
  ...by: Parameters<LinkProofs['offers']>
): ReturnType<LinkProofs['offers']> => linkProofs?.offers(...by) ?? [];

/** A sign-in that has begun. The browser keeps this data, sealed, until it comes back. */
interface Pending {
  readonly channel: string;
  readonly state: string;
  readonly nonce: string;
  /** Id of the person who began it. */
  readonly person: string;
  /** Time when the sign-in began, in milliseconds. */
  readonly at: number;
}

function readPending(value: unknown): Pending | undefined {
  const { channel, state, nonce, person, at } = plain(value);
  const isWhole = [channel, state, nonce, person].every((each) => typeof each === 'string' && each !== '');
  return isWhole && typeof at === 'number' ? (value as Pending) : undefined;
}

const isOnly = (value: string, given: readonly string[]): boolean => given.length === 1 && given[0] === value;

const random = (): string => randomBytes(RANDOM_BYTES).toString('base64url');
