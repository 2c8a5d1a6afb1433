/**
 * Gets people's tokens in their chat with the app, and in group chats: sends the sign-in card, and takes the tokens that
 * Teams' clients send back (Microsoft's page "Add code to enable SSO in your bot app").
 */

import {
  type Background,
  type Cache,
  createCache,
  createSeldom,
  orAborted,
  plain,
  type SignIn,
  text,
} from '../../../src/kit/ladder.ts';
import { type AdapterHost, BridgeError } from '../../../src/kit.ts';
import type { Invoked } from '../activity.ts';
import { certainlyNotDone } from '../api/connector.ts';
import type { SingleSignOn } from '../config.ts';
import { CHANNEL } from '../ids.ts';
import type { Posts } from '../inbound/posts.ts';
import { canSignIn } from '../private.ts';
import type { InvokeAnswer } from '../receive/http.ts';
import type { Places } from '../receive/places.ts';
import { cardMessage } from './card.ts';
import { signInPage } from './pages.ts';
import {
  createRequests,
  type Request,
  type Requests,
  requestOf,
  type SentCard,
  type Signer,
  signerOf,
} from './requests.ts';
import { CURES, type Verified, type VerifyDeps, verify, type WrongPart } from './verify.ts';

/**
 * Time after a client failed to get a token until the sign-in counts as failed, in milliseconds. Every client of the
 * person gets the card, so another client may send a token in this time.
 */
const FAILED_MS = 5_000;
/** Maximum people whose reported failures wait at the same time; a further report replaces the oldest. */
const MAX_FAILING = 1_000;

export type SignOn = ReturnType<typeof createSignOn>;

export interface SignOnDeps extends VerifyDeps {
  readonly signOn: SingleSignOn;
  readonly host: Pick<AdapterHost, 'askers' | 'state' | 'clock' | 'log' | 'noteAct'>;
  readonly places: Pick<Places, 'find'>;
  readonly posts: Posts;
  readonly background: Background;
  /** Address at which browsers reach the bridge, without a trailing slash. */
  readonly publicUrl: string;
  /** Aborts when the adapter stops. */
  readonly signal: AbortSignal;
}

export function createSignOn(deps: SignOnDeps) {
  const { host, background } = deps;
  const requests = createRequests(host.state);
  const handling: Handling = {
    ...deps,
    requests,
    seldom: createSeldom(host.clock),
    failing: createCache({ clock: host.clock, max: MAX_FAILING, ttlMs: FAILED_MS }),
  };
  return {
    ability: {
      isPossible: canSignIn,
      async begin(turn, signal) {
        const request = requestOf(turn);
        await requests.open(request);
        // An earlier process may have sent a card whose token was lost, or may have ended before it removed a card.
        await removeCards(request, () => true, handling);
        await orAborted(sendCard(request, handling), signal);
      },
      end(turn) {
        const request = requestOf(turn);
        background.run('removing a sign-in card', async () => {
          await requests.close(request);
          await removeCards(request, (card) => card.turn === request.turn, handling);
        });
      },
    } satisfies SignIn,
    /** Responds to an invoke about a sign-in; resolves with undefined for any other invoke. */
    async invoke(invoked: Invoked): Promise<InvokeAnswer | undefined> {
      switch (invoked.name) {
        case 'signin/tokenExchange':
          return takeToken(invoked, handling);
        case 'signin/verifyState':
          return signedInByHand(invoked, handling);
        case 'signin/failure':
          return noteFailure(invoked, handling);
        default:
          return undefined;
      }
    },
  };
}

interface Handling extends SignOnDeps {
  readonly requests: Requests;
  readonly seldom: ReturnType<typeof createSeldom>;
  /** Pairs of a person and a turn for which a client reported a failure. The failure is recorded after a wait. */
  readonly failing: Cache<true>;
}

async function sendCard(request: Request, { requests, places, posts, signOn, publicUrl }: Handling) {
  const place = await places.find(request.thread);
  if (place === undefined)
    throw new BridgeError('channel-unavailable', 'The app is not in the chat any more.');
  const { exchange, state } = await requests.issue(request);
  const recipient = place.targeted && (request.account ?? request.person);
  const page = signInPage(publicUrl, state);
  const sent = await posts.send(place, cardMessage(signOn.resource, exchange, page, recipient));
  if (certainlyNotDone(sent))
    throw new BridgeError('channel-unavailable', 'Teams did not accept the sign-in card.');
  if (sent.kind === 'done' && sent.id !== undefined) await requests.addCard(request, sent.id);
}

/**
 * Removes cards from the person's chat, also those that an earlier process sent. A card is forgotten only after Teams has
 * removed it, so that a crash or an outage in between leaves no card for ever.
 */
async function removeCards(
  request: Request,
  which: (card: SentCard) => boolean,
  { requests, places, posts }: Handling,
): Promise<void> {
  const signer = signerOf(request);
  const cards = (await requests.cards(signer)).filter(which);
  const place = cards.length > 0 ? await places.find(request.thread) : undefined;
  if (place === undefined) return;
  for (const card of cards) {
    const sent = await posts.remove(place, card.id);
    const isGone = sent.kind === 'done' || (sent.kind === 'refused' && sent.meaning === 'gone');
    if (isGone) await requests.dropCard(signer, card);
  }
}

/** The person who sent the invoke, in the chat from which it came. */
const senderOf = ({ place: { tenant, conversation: room }, by }: Invoked): Signer => ({
  tenant,
  room,
  person: by.id,
});

/**
 * HTTP statuses that Microsoft's own bots use after a sign-in: 404 if its state is missing, and 412 if the state or the
 * token is refused.
 */
const NOT_FOUND = 404;
const PRECONDITION_FAILED = 412;

/**
 * Takes a token. Every client of the person sends the same id (botframework-sdk issue 5965), so only the first verified
 * token of an id is stored, even if several processes receive tokens.
 */
async function takeToken(invoked: Invoked, handling: Handling): Promise<InvokeAnswer> {
  const { host, requests } = handling;
  const { id: named, connectionName: connection, token: sent } = plain(invoked.value);
  const [id, token] = [text(named), text(sent)];
  if (id === undefined || token === undefined) return { status: 400 };
  const answer = { id, connectionName: text(connection) ?? '' };
  const failed = (failureDetail: string): InvokeAnswer => ({
    status: PRECONDITION_FAILED,
    body: { ...answer, failureDetail },
  });
  const sender = senderOf(invoked);
  const known = await requests.exchange(sender, id);
  if (known === undefined) return failed('The bot did not ask for this token.');
  if (known === 'taken') return { status: 200, body: answer };
  const verified = await verify(token, sender, handling);
  if (verified.kind !== 'verified') {
    await noteRefusal(verified, sender, handling);
    return failed('The token was refused.');
  }
  const { name, expiresAt } = verified;
  await host.askers.keep(askerOf(sender), { token, name, expiresAt });
  await requests.takeExchange(sender, id);
  return { status: 200, body: answer };
}

const askerOf = ({ tenant, person }: Signer) => ({ channel: CHANNEL, tenant, person });

/** Faults of the registration. They affect the tokens of all the person's clients. */
const LASTING: readonly WrongPart[] = ['issuer', 'audience', 'scope'];

/** Logs why a token was refused. If no other client can help, also ends the wait of the person's questions. */
async function noteRefusal(
  refusal: Exclude<Verified, { kind: 'verified' }>,
  sender: Signer,
  { host, seldom }: Handling,
): Promise<void> {
  const { log, askers, noteAct } = host;
  if (refusal.kind === 'unknown') {
    const { cause: err } = refusal;
    seldom('keys', () =>
      log.error({ err }, "Microsoft's keys could not be fetched, so no person can sign in"),
    );
    return askers.fail(askerOf(sender));
  }
  const { part } = refusal;
  seldom(part, () => log.warn({ part }, `The token of a person was refused. ${CURES[part]}`));
  const { tenant, person } = sender;
  await noteAct({ tenant, person, action: 'sign-in', outcome: 'refused', detail: part });
  if (LASTING.includes(part)) await askers.fail(askerOf(sender));
}

/**
 * Logs that a client got no token, and lets the waiting question fail unless the person can now sign in by hand. The
 * invoke names no card, so it is ignored while no question of the person waits for a token. Of the invoke, only the
 * error code goes into the log (microsoft.github.io/teams-sdk, "SSO troubleshooting"; botbuilder-dotnet issue 6824).
 */
async function noteFailure(invoked: Invoked, handling: Handling): Promise<InvokeAnswer> {
  const { host, requests, seldom, failing, background, signal } = handling;
  const sender = senderOf(invoked);
  const turn = await requests.waiting(sender);
  if (turn === undefined) return { status: 200 };
  const { code: told } = plain(invoked.value);
  const code = /^[a-z]{1,40}$/i.exec(text(told) ?? '')?.[0] ?? 'unknown';
  seldom('client', () =>
    host.log.warn(
      { code },
      'A Teams client got no token. For resourcematchfailed, compare teams.singleSignOn.resource with the Application ID URI in Microsoft Entra and in the app package; for other codes, see docs/teams.md.',
    ),
  );
  // After these two codes, the client shows the card, so that the person signs in by hand.
  if (code === 'userconsentrequired' || code === 'interactionrequired') return { status: 200 };
  const key = JSON.stringify([sender, turn]);
  if (failing.get(key)) return { status: 200 };
  failing.set(key, true);
  background.run('a failed sign-in', async () => {
    await host.clock.wait(FAILED_MS, signal);
    // Another question of the person may wait by now.
    if ((await requests.waiting(sender)) === turn) await host.askers.fail(askerOf(sender));
  });
  return { status: 200 };
}

/**
 * Called when a person has signed in on the sign-in page. Sends a new card, for which the client can now get a token.
 * TeamsFx' `TeamsBotSsoPrompt` does the same. The invoke's `state` only says that the person finished the page; it gives
 * no rights.
 */
async function signedInByHand(invoked: Invoked, handling: Handling): Promise<InvokeAnswer> {
  const { background, requests } = handling;
  const state = text(plain(invoked.value).state);
  if (state === undefined) return { status: NOT_FOUND };
  const sender = senderOf(invoked);
  const request = await requests.takeState(sender, state);
  if (request === undefined) return { status: PRECONDITION_FAILED };
  const waits = async () => (await requests.waiting(sender)) === request.turn;
  if (!(await waits())) return { status: 200 };
  background.run('another sign-in card', async () => {
    await removeCards(request, () => true, handling);
    await sendCard(request, handling);
    // The token may have arrived before this process knew the card's id.
    if (!(await waits())) await removeCards(request, (card) => card.turn === request.turn, handling);
  });
  return { status: 200 };
}
