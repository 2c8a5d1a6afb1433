/** Logs in: TLS, SASL, then a resumed or a new session (RFC 6120, XEP-0198). */

import { mechanismFor } from './sasl.ts';
import { CLIENT, type ServerAddress, unavailable, Wire } from './wire.ts';
import { childOf, childrenOf, childText, type Element, element, elementsOf, textOf } from './xml.ts';

const SASL = 'urn:ietf:params:xml:ns:xmpp-sasl';
const STARTTLS = 'urn:ietf:params:xml:ns:xmpp-tls';
const BIND = 'urn:ietf:params:xml:ns:xmpp-bind';
export const SM = 'urn:xmpp:sm:3';

/** Maximum stanzas before stream management is enabled. ejabberd keeps 5,000 for a session (`max_ack_queue`). */
const MAX_EARLY = 5_000;

export interface Account extends ServerAddress {
  readonly user: string;
  readonly password: { reveal(): string };
  readonly resource: string;
}

/** A session that the server may resume after its connection was cut. */
export interface Resumable {
  readonly id: string;
  readonly jid: string;
  /** Number of stanzas of the server that were handled. */
  readonly handled: number;
}

export interface Session {
  readonly wire: Wire;
  /** Mechanism of the login. */
  readonly mechanism: string;
  readonly jid: string;
  /** Set if the server resumed the session: the number of our stanzas that it has handled. */
  readonly resumedAt?: number;
  /** Set if the server numbers stanzas; `id` is set if it will resume the session. */
  readonly managed?: { readonly id?: string };
  /** Stanzas that arrived before the server began to number stanzas. */
  readonly early?: readonly Element[];
}

/** True for a message, a presence or a request, and false for an element of the stream itself. */
export const isStanza = ({ name, ns }: Element): boolean =>
  ns === CLIENT && ['message', 'presence', 'iq'].includes(name);

/** Returns the server's reason for ending the login, such as `host-unknown` or `not-authorized`. */
function refusedBy(answer: Element): Error {
  const condition = elementsOf(answer).find(({ name }) => name !== 'text')?.name ?? answer.name;
  const text = elementsOf(answer).find(({ name }) => name === 'text');
  const cause = text === undefined ? condition : `${condition}: ${textOf(text)}`;
  return unavailable(`The XMPP server refused the login (${cause}).`);
}

/** Logs in. Rejects with the reason if the server cannot be reached, is not trusted, or refuses the account. */
export async function login(
  account: Account,
  before: Resumable | undefined,
  signal: AbortSignal,
): Promise<Session> {
  const wire = await Wire.open(account, signal);
  try {
    let features = await restart(wire);
    if (account.tls === 'starttls') {
      await startTls(wire, features);
      features = await restart(wire);
    }
    const mechanism = await authenticate(wire, features, account);
    features = await restart(wire);
    const isManaged = childOf(features, 'sm', SM) !== undefined;
    const resumed = isManaged && before ? await resume(wire, before) : undefined;
    return { wire, mechanism, ...(resumed ?? (await begin(wire, account, isManaged))) };
  } catch (thrown) {
    wire.destroy();
    throw thrown;
  }
}

async function restart(wire: Wire): Promise<Element> {
  const features = await wire.restart();
  if (features.name !== 'features') throw refusedBy(features);
  return features;
}

async function startTls(wire: Wire, features: Element): Promise<void> {
  if (childOf(features, 'starttls', STARTTLS) === undefined)
    throw unavailable('The XMPP server offers no STARTTLS, so no password is sent to it.');
  wire.write(element('starttls', STARTTLS));
  const answer = await wire.next();
  if (answer.name !== 'proceed') throw refusedBy(answer);
  await wire.secure();
}

/** Signs in. Resolves with the name of the mechanism. */
async function authenticate(wire: Wire, features: Element, account: Account): Promise<string> {
  const { user, password, tls } = account;
  const mechanisms = childOf(features, 'mechanisms', SASL);
  const offered = childrenOf(mechanisms, 'mechanism', SASL).map(textOf);
  // `connect` has checked that a connection without TLS leads to this machine.
  const isSafe = wire.protocol !== undefined || tls === 'none';
  const mechanism = mechanismFor(offered, user, password.reveal(), isSafe);
  if (mechanism === undefined)
    throw unavailable(`The XMPP server offers no way to log in that the bridge uses: ${offered.join(', ')}.`);
  const { name } = mechanism;
  wire.write(element('auth', SASL, { mechanism: name }, base64(mechanism.first)));
  for (;;) {
    const answer = await wire.next();
    const text = Buffer.from(textOf(answer), 'base64').toString();
    if (answer.name === 'success') {
      mechanism.verify(text);
      return name;
    }
    if (answer.name !== 'challenge') throw refusedBy(answer);
    wire.write(element('response', SASL, {}, base64(await mechanism.respond(text))));
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

type Begun = Omit<Session, 'wire' | 'mechanism'>;

async function resume(wire: Wire, { id, jid, handled }: Resumable): Promise<Begun | undefined> {
  wire.write(element('resume', SM, { previd: id, h: `${handled}` }));
  const answer = await wire.next();
  return answer.name === 'resumed' ? { jid, resumedAt: Number(answer.attrs.h), managed: { id } } : undefined;
}

async function begin(wire: Wire, { resource }: Account, isManaged: boolean): Promise<Begun> {
  const bind = element('bind', BIND, {}, element('resource', BIND, {}, resource));
  wire.write(element('iq', CLIENT, { type: 'set', id: 'bind' }, bind));
  const answer = await wire.next();
  const jid = childText(childOf(answer, 'bind', BIND), 'jid');
  if (answer.attrs.type !== 'result' || jid === undefined) throw refusedBy(answer);
  if (!isManaged) return { jid };
  wire.write(element('enable', SM, { resume: 'true' }));
  const early: Element[] = [];
  let enabled = await wire.next();
  // ejabberd may first send what an earlier session of this account has not confirmed.
  for (; isStanza(enabled); enabled = await wire.next()) {
    if (early.length >= MAX_EARLY) throw new Error('The server did not enable stream management.');
    early.push(enabled);
  }
  if (enabled.name !== 'enabled') return { jid, early };
  const { id, resume: mayResume } = enabled.attrs;
  const canResume = id !== undefined && /^(?:true|1)$/.test(mayResume ?? '');
  return { jid, early, managed: canResume ? { id } : {} };
}
