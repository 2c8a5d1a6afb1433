/**
 * Gets people's tokens in their chat with the app: sends the sign-in card, and takes the tokens that Teams' clients send
 * back (Microsoft's page "Add code to enable SSO in your bot app").
 */

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Background } from '../../../src/kit/background.ts';
import { plain, text } from '../../../src/kit/json.ts';
import { createSeldom } from '../../../src/kit/seldom.ts';
import { type AdapterHost, BridgeError, orAborted, type SignIn, type Turn } from '../../../src/kit.ts';
import type { Invoked } from '../activity.ts';
import { certainlyNotDone } from '../api/connector.ts';
import type { SingleSignOn } from '../config.ts';
import { CHANNEL } from '../ids.ts';
import type { Posts } from '../inbound/posts.ts';
import { isPrivate } from '../private.ts';
import type { InvokeAnswer } from '../receive/http.ts';
import type { Places } from '../receive/places.ts';
import { cardMessage } from './card.ts';
import { type Verified, type VerifyDeps, verify, type WrongPart } from './verify.ts';

/** Time for which a client may answer a sign-in card, in milliseconds. */
const CARD_MS = 15 * 60_000;
/**
 * Time after a client failed to get a token until the sign-in counts as failed, in milliseconds. Every client of the
 * person gets the card, so another client may send a token in this time.
 */
const FAILED_MS = 5_000;

export interface SignOn {
  readonly ability: SignIn;
  /** Responds to an invoke about a sign-in; resolves with undefined for any other invoke. */
  invoke(invoked: Invoked): Promise<InvokeAnswer | undefined>;
}

export interface SignOnDeps extends Omit<VerifyDeps, 'clock'> {
  readonly signOn: SingleSignOn;
  readonly host: Pick<AdapterHost, 'askers' | 'state' | 'clock' | 'log' | 'noteAct'>;
  readonly places: Pick<Places, 'find'>;
  readonly posts: Posts;
  readonly background: Background;
  /** Returns the address of the page on which a person signs in by hand. */
  pageOf(state: string): string;
  /** Aborts when the adapter stops. */
  readonly signal: AbortSignal;
}

/** Stored facts of a card: its person, its turn, and whether a token came for it. */
const requestRecord = z.object({
  person: z.string(),
  turn: z.string(),
  thread: z.object({ tenant: z.string(), room: z.string(), key: z.string(), kind: z.literal('direct') }),
  taken: z.boolean().exactOptional(),
});

type Request = z.output<typeof requestRecord>;

const requestIn = (value: unknown): Request | undefined => requestRecord.safeParse(value).data;

function requestOf({ id: turn, message: { thread, sender } }: Turn): Request {
  const { tenant, room, key } = thread;
  return { person: sender.id, turn, thread: { tenant, room, key, kind: 'direct' } };
}

export function createSignOn(deps: SignOnDeps): SignOn {
  const taking = { ...deps, seldom: createSeldom(deps.host.clock) };
  return {
    ability: {
      isPossible: (thread) => thread.kind === 'direct' && !isPrivate(thread),
      async begin(turn, signal) {
        const request = requestOf(turn);
        await deps.host.state.set(keyOf('waits', request.thread, request.turn), true, CARD_MS);
        // An earlier process may have sent a card whose token was lost.
        await removeCards(request, deps);
        await orAborted(sendCard(request, deps), signal);
      },
      end(turn) {
        const request = requestOf(turn);
        deps.background.run('removing a sign-in card', async () => {
          await deps.host.state.delete(keyOf('waits', request.thread, request.turn));
          await removeCards(request, deps);
        });
      },
    },
    async invoke(invoked) {
      switch (invoked.name) {
        case 'signin/tokenExchange':
          return takeToken(invoked, taking);
        case 'signin/verifyState':
          return signedInByHand(invoked, taking);
        case 'signin/failure':
          return noteFailure(invoked, taking);
        default:
          return undefined;
      }
    },
  };
}

/**
 * Keys contain tenant and room as JSON strings, because the deletion of a tenant's or room's data searches for these
 * strings.
 */
const keyOf = (what: string, { tenant, room }: Pick<Request['thread'], 'tenant' | 'room'>, id: string) =>
  JSON.stringify([what, tenant, room, id]);

/** True while the turn waits for a token. */
const waits = async ({ thread, turn }: Request, { host }: SignOnDeps): Promise<boolean> =>
  (await host.state.get(keyOf('waits', thread, turn))) === true;

async function sendCard(request: Request, deps: SignOnDeps): Promise<void> {
  const { host, places, posts, signOn, pageOf } = deps;
  const { thread } = request;
  const place = await places.find(thread);
  if (place === undefined)
    throw new BridgeError('channel-unavailable', 'The app is not in the chat any more.');
  const [exchange, state] = [randomUUID(), randomUUID()];
  await Promise.all([
    host.state.set(keyOf('exchange', thread, exchange), request, CARD_MS),
    host.state.set(keyOf('by hand', thread, state), request, CARD_MS),
  ]);
  const sent = await posts.send(place, cardMessage(signOn, { exchange, page: pageOf(state) }));
  if (certainlyNotDone(sent))
    throw new BridgeError('channel-unavailable', 'Teams did not accept the sign-in card.');
  if (sent.kind !== 'done' || sent.id === undefined) return;
  const { id } = sent;
  const cards = (known: unknown) => [...(Array.isArray(known) ? known : []), id];
  await host.state.change(keyOf('cards', thread, request.turn), cards, CARD_MS);
}

/** Removes the cards that were sent for a turn, also by an earlier process. */
async function removeCards({ thread, turn }: Request, { host, places, posts }: SignOnDeps): Promise<void> {
  const key = keyOf('cards', thread, turn);
  const known = await host.state.get(key);
  if (!Array.isArray(known)) return;
  await host.state.delete(key);
  const place = await places.find(thread);
  if (place === undefined) return;
  for (const id of known) await posts.remove(place, String(id));
}

type Taking = SignOnDeps & { readonly seldom: ReturnType<typeof createSeldom> };

/** HTTP statuses of Microsoft's own bots for a state that is missing, and for one that cannot be redeemed. */
const NOT_FOUND = 404;
const PRECONDITION_FAILED = 412;

/**
 * Takes a token. Every client of the person sends the same id (botframework-sdk issue 5965), so only the first verified
 * token of an id is stored, even if several processes receive tokens.
 */
async function takeToken(invoked: Invoked, taking: Taking): Promise<InvokeAnswer> {
  const { value, place, by } = invoked;
  const { host } = taking;
  const { id: named, connectionName: connection, token: sent } = plain(value);
  const [id, token] = [text(named), text(sent)];
  if (id === undefined || token === undefined) return { status: 400 };
  const answer = { id, connectionName: text(connection) ?? '' };
  const failed = (failureDetail: string): InvokeAnswer => ({
    status: PRECONDITION_FAILED,
    body: { ...answer, failureDetail },
  });
  const key = keyOf('exchange', { tenant: place.tenant, room: place.conversation }, id);
  const request = requestIn(await host.state.get(key));
  if (place.kind !== 'direct' || request?.person !== by.id)
    return failed('The bot did not ask for this token.');
  if (request.taken) return { status: 200, body: answer };
  const verified = await verify(
    token,
    { person: by.id, tenant: place.tenant },
    { ...taking, clock: host.clock },
  );
  if (verified.kind !== 'verified') {
    await noteRefusal(verified, invoked, taking);
    return failed('The token was refused.');
  }
  const { name, expiresAt } = verified;
  await host.askers.keep(askerOf(place.tenant, by.id), { token, name, expiresAt });
  await host.state.set(key, { ...request, taken: true }, CARD_MS);
  return { status: 200, body: answer };
}

const askerOf = (tenant: string, person: string) => ({ channel: CHANNEL, tenant, person });

/** Faults of the registration. They affect the tokens of all the person's clients. */
const LASTING: readonly WrongPart[] = ['issuer', 'audience', 'scope'];

const CURES: Readonly<Record<WrongPart, string>> = {
  form: 'The bridge cannot read it as a token of Microsoft Entra.',
  signature: 'The organization did not sign it.',
  issuer: 'Another organization or cloud issued it. Check MICROSOFT_APP_TENANT_ID and MICROSOFT_APP_CLOUD.',
  audience:
    'It is for another app. Compare teams.singleSignOn.resource and application with the app in Microsoft Entra.',
  time: "It has expired or is not valid yet. Check this machine's clock.",
  tenant: 'It belongs to another organization than the chat.',
  scope:
    'It lacks the scope access_as_user. Add this scope under "Expose an API" of the app in Microsoft Entra.',
  person: 'It belongs to another person than the one who sent it.',
};

/** Logs why a token was refused. If no other client can help, also ends the wait of the person's questions. */
async function noteRefusal(
  refusal: Exclude<Verified, { kind: 'verified' }>,
  { by, place: { tenant } }: Invoked,
  { host, seldom }: Taking,
): Promise<void> {
  const { log, noteAct, askers } = host;
  if (refusal.kind === 'unknown') {
    const { cause: err } = refusal;
    seldom('keys', () =>
      log.error({ err }, "Microsoft's keys could not be fetched, so no person can sign in"),
    );
    return askers.fail(askerOf(tenant, by.id));
  }
  const { part } = refusal;
  seldom(part, () => log.warn({ part }, `The token of a person was refused. ${CURES[part]}`));
  await noteAct({ tenant, person: by.id, action: 'sign-in', outcome: 'refused', detail: part });
  if (LASTING.includes(part)) await askers.fail(askerOf(tenant, by.id));
}

/**
 * Logs that a client got no token. Only the code goes into the log (microsoft.github.io/teams-sdk, "SSO
 * troubleshooting"; botbuilder-dotnet issue 6824).
 */
function noteFailure({ value, place, by }: Invoked, taking: Taking): InvokeAnswer {
  const { host, seldom, background, signal } = taking;
  const { code: told } = plain(value);
  const code = /^[a-z]{1,40}$/i.exec(text(told) ?? '')?.[0] ?? 'unknown';
  seldom('client', () =>
    host.log.warn(
      { code },
      'A Teams client got no token. For resourcematchfailed, compare teams.singleSignOn.resource with the Application ID URI in Microsoft Entra and in the app package; for other codes, see docs/teams.md.',
    ),
  );
  // After these two codes, the client shows the card, so that the person signs in by hand.
  if (code === 'userconsentrequired' || code === 'interactionrequired') return { status: 200 };
  background.run('a failed sign-in', async () => {
    await host.clock.wait(FAILED_MS, signal);
    await host.askers.fail(askerOf(place.tenant, by.id));
  });
  return { status: 200 };
}

/**
 * Handles the end of a sign-in by hand: sends a new card, for which the client now gets a token, as TeamsFx'
 * `TeamsBotSsoPrompt` does. The state only says that the person finished the page; it gives no rights.
 */
async function signedInByHand({ value, place, by }: Invoked, taking: Taking): Promise<InvokeAnswer> {
  const { host, background } = taking;
  const state = text(plain(value).state);
  if (state === undefined) return { status: NOT_FOUND };
  const key = keyOf('by hand', { tenant: place.tenant, room: place.conversation }, state);
  const request = requestIn(await host.state.get(key));
  if (request?.person !== by.id) return { status: PRECONDITION_FAILED };
  await host.state.delete(key);
  if (!(await waits(request, taking))) return { status: 200 };
  background.run('another sign-in card', async () => {
    await removeCards(request, taking);
    await sendCard(request, taking);
    // The token may have arrived before this process knew the card's id.
    if (!(await waits(request, taking))) await removeCards(request, taking);
  });
  return { status: 200 };
}
