/**
 * The Teams clients of a person and the sign-in card. Each client that sees the card requests a token for the card's
 * resource, and sends it to the bot with the card's id; all clients send the same id (botframework-sdk issue 5965,
 * agents-toolkit-samples issue 1266, teams.py pull request 576). A client without a token sends `signin/failure` with a
 * code (microsoft.github.io/teams-sdk, "SSO troubleshooting"), or shows the card if the person must consent. If the bot
 * responds with 412, the client shows the card (botbuilder-js issue 2407). If the response has a body, the body must
 * repeat the id.
 */

import type { Delivery } from '../deliver/deliver.ts';
import { around, type Scene } from '../people/activity.ts';
import type { Json } from '../read.ts';
import type { Conversation, Message, Person } from '../shapes.ts';
import { newActivityId } from '../world.ts';
import { type SignInCard, signInCardIn } from './card.ts';
import { personToken } from './tokens.ts';

/** What the clients of one person do when they see a sign-in card. */
export interface Clients {
  /** Number of clients, such as desktop, phone and web; default: 1. */
  readonly devices?: number;
  /** `token`: send a token. `consent`: show the card. `nothing`: no client is open. `failure`: report `code`. */
  readonly act: 'token' | 'consent' | 'nothing' | 'failure';
  readonly code?: string;
  /** Returns the token of a client, in place of the person's own; `device` counts from 0. */
  readonly token?: (device: number) => string;
}

export interface Exchanged {
  readonly delivery: Delivery;
}

interface Seeing {
  readonly scene: Scene;
  readonly person: Person;
  readonly conversation: Conversation;
}

/** Lets the person's clients react to a message that the app posted. */
export function clientsSee(message: Message, { scene, person, conversation }: Seeing): void {
  const card = signInCardIn(message.shown);
  if (card === undefined) return;
  const { server, tenant } = scene;
  const { act, devices = 1, code, token } = server.clients.get(person.aadObjectId) ?? { act: 'token' };
  const seeing = { scene, person, conversation };
  for (let device = 0; device < devices; device += 1) {
    if (act === 'consent' || act === 'nothing') message.signIn = act === 'consent' ? 'shown' : 'hidden';
    else if (act === 'failure') sendFailure(code ?? 'tokenmissing', seeing);
    else if (card.uri !== server.world.manifest.resource) sendFailure('resourcematchfailed', seeing);
    else {
      const sent = token?.(device) ?? personToken(server.world, person, tenant.id);
      void watch(sendToken(card, sent, seeing), card, { message, seeing });
    }
  }
}

/** Shows the card if the bot refuses the token, and records a response that contradicts the documentation. */
async function watch(
  { done }: Delivery,
  { id }: SignInCard,
  { message, seeing }: { readonly message: Message; readonly seeing: Seeing },
): Promise<void> {
  const attempt = await done;
  if (attempt === undefined || attempt.status === 0) return;
  message.signIn = attempt.status === 412 ? 'shown' : (message.signIn ?? 'hidden');
  const isKnown = attempt.status === 200 || attempt.status === 412;
  if (isKnown && (attempt.body === '' || attempt.body.includes(id))) return;
  const { log } = seeing.scene.server;
  log.violations.push({
    method: 'signin/tokenExchange',
    messages: [`the response is ${attempt.status} ${attempt.body}`],
    asked: {},
  });
}

export const sendToken = (card: Pick<SignInCard, 'id' | 'connectionName'>, token: string, seeing: Seeing) =>
  sendInvoke('signin/tokenExchange', { id: card.id, connectionName: card.connectionName, token }, seeing);

const sendFailure = (code: string, seeing: Seeing): Delivery =>
  sendInvoke('signin/failure', { code, message: 'Resource match failed' }, seeing);

export function sendInvoke(name: string, value: Json, { scene, person, conversation }: Seeing): Delivery {
  const { clock } = scene.server.world;
  return scene.deliver({
    type: 'invoke',
    id: `f:${newActivityId(clock, conversation)}`,
    ...around(scene, { person, conversation }),
    name,
    value,
  });
}

/**
 * Signs in by hand: presses the card's button, follows the browser to Microsoft and back, and sends what the last page
 * tells Teams. From then on, the person's client sends a token for each card.
 */
export async function signInByHand(message: Message, seeing: Seeing): Promise<Delivery> {
  const card = signInCardIn(message.shown);
  if (card === undefined) throw new Error('The message has no sign-in card.');
  const page = await (await fetch(card.page)).text();
  const state = /data-state="([^"]+)"/.exec(page)?.[1];
  if (state === undefined || !page.includes('res.cdn.office.net/teams-js/') || page.includes('data-failed'))
    throw new Error(`The last page tells Teams nothing: ${page}`);
  seeing.scene.server.clients.set(seeing.person.aadObjectId, { act: 'token' });
  return sendInvoke('signin/verifyState', { state }, seeing);
}
