/**
 * The routes with which a signed-in person links their account with their id in another channel. A one-time code, or a
 * sign-in to that channel's chat platform, proves that the id is theirs. The chat platform sends the browser to
 * `PROOF_PATH`, which redirects it to the page. The page then posts the proof with the person's own cookie, so the proof
 * counts only for the session that began the sign-in.
 */

import { randomBytes } from 'node:crypto';
import type express from 'express';
import { z } from 'zod';
import { type CodeAnswer, createAttempts, type LinkPages, type LinkProofs } from '../../../src/kit/ladder.ts';
import type { AdapterHost, Person, ThreadRef } from '../../../src/kit.ts';
import { id, text } from '../bodies.ts';
import { CHANNEL, TENANT, toPerson } from '../chat/inbound.ts';
import { HttpRefusal, notFound } from '../refusal.ts';
import type { ConnectView, LinkView } from '../wire.ts';
import type { Served } from './acts.ts';
import { begunSignIns } from './begun.ts';
import { readFields, token } from './decode.ts';
import type { Gate } from './gate.ts';

const RANDOM_BYTES = 32;

/**
 * Place of the page for the access rules. The page belongs to no room; it counts as a direct message, because only one
 * signed-in person uses it.
 */
export const PLACE: ThreadRef = { channel: CHANNEL, tenant: TENANT, room: '', key: '', kind: 'direct' };

/** Adds the routes for codes, if people sign in and may link themselves. */
export function addLinking(app: express.Express, { gate, host }: Pick<Served, 'gate' | 'host'>): void {
  const { linkPages } = host;
  if (linkPages === undefined || gate.kind !== 'provider') return;
  const on = (path: string, use: LinkPages['show']): void => {
    app.post(path, async (request, response) => {
      const given = await readFields(token, request, host.clock);
      response.json(viewOf(await use(given.token, signedInPerson(gate, request), PLACE)));
    });
  };
  on('/link', linkPages.show);
  on('/link/confirm', linkPages.confirm);
}

const connecting = z.object({ channel: id });
const returned = connecting.extend({ query: text });
/** A sign-in to a chat platform that has begun, with the id of the person who began it. */
const pendingSchema = connecting.extend({ state: text, nonce: text, person: text });

/** Adds the routes for proofs, if people sign in and a channel offers a proof of identity. */
export function addConnecting(app: express.Express, { gate, host, config, seal }: Served): void {
  const { linkProofs, clock } = host;
  if (linkProofs === undefined || seal === undefined) return;
  const secure = config.secureCookies ?? false;
  const begun = begunSignIns(['parley_connect', 'Strict'], pendingSchema, {
    ...{ seal, clock, secure },
    used: host.state,
  });
  const attempts = createAttempts(clock);
  app.post('/connect', async (request, response) => {
    const { channel } = await readFields(connecting, request, clock);
    const person = signedInPerson(gate, request);
    const attempt = { state: random(), nonce: random() };
    const address = linkProofs.begin(channel, attempt);
    if (address === undefined)
      throw notFound('This chat can no longer be connected. Please reload the page.');
    const pending = { ...attempt, channel, person: person.id };
    response.setHeader('set-cookie', await begun.begin(pending, request.headers));
    response.json({ address } satisfies ConnectView);
  });
  app.post('/connect/finish', async (request, response) => {
    const { channel, query } = await readFields(returned, request, clock);
    const person = signedInPerson(gate, request);
    const [state = '', ...others] = new URLSearchParams(query).getAll('state');
    const pending = await begun.find(state, request.headers);
    if (pending?.channel !== channel || pending.person !== person.id || others.length > 0)
      throw new HttpRefusal(409, 'link-refused', EXPIRED);
    const end = attempts(person.id);
    if (end === undefined) throw new HttpRefusal(429, 'too-many-tries', TOO_MANY, RETRY_SECONDS);
    await begun.use(state);
    response.setHeader('set-cookie', begun.clear(state));
    let failed = true;
    try {
      const answer = await linkProofs.finish({ channel, query, nonce: pending.nonce }, person, PLACE);
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

const random = (): string => randomBytes(RANDOM_BYTES).toString('base64url');

/** @throws HttpRefusal 401 if nobody has signed in */
function signedInPerson(gate: Gate, { headers }: express.Request): Person {
  const viewer = gate.viewer(headers);
  if (viewer !== 'anyone') return toPerson(viewer);
  throw new HttpRefusal(401, 'sign-in-needed', 'Please sign in.');
}

function viewOf(answer: CodeAnswer): LinkView {
  if (answer.kind === 'refused') throw new HttpRefusal(409, 'link-refused', answer.text);
  const { claimant, account, days } = answer;
  const { channel, title, tenant, person, name } = claimant;
  return { channel, title, tenant, person, name, account, days };
}
