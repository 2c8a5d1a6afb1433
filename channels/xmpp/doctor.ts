/** Findings of `parley doctor` about XMPP. A finding that reports a fault also names the cure. */

import { randomUUID } from 'node:crypto';
import type { Clock, Finding } from 'parley/kit';
import { orAborted, timeLimit } from 'parley/kit/ladder';
import { createUploads } from './files.ts';
import { discover, domainOf, NS } from './protocol.ts';
import { type Room, Rooms, type RoomsDeps } from './rooms.ts';
import { accountOf, type XmppConfig } from './settings.ts';
import { Connection, StanzaError } from './stream/connection.ts';
import { type Account, login, type Session } from './stream/login.ts';
import { placesOf } from './stream/wire.ts';

/** Maximum milliseconds for the sign-in, and for all checks after it. Together less than the 30 s that Parley allows. */
const LOGIN_MS = 12_000;
const CHECKS_MS = 15_000;
/** Maximum milliseconds until a room lets the account in, or refuses it. */
const ENTER_MS = 10_000;

const good = (what: string, detail: string): Finding => ({ what, ok: true, detail });
const fault = (what: string, detail: string): Finding => ({ what, ok: false, detail });
const ignore = (): void => undefined;

/**
 * Signs in with a session of its own, which gets no messages, because it sends no presence to the account's server. A
 * running bridge is not disturbed.
 */
export async function examineXmpp(config: XmppConfig, clock: Clock): Promise<readonly Finding[]> {
  const account = { ...accountOf(config), resource: `parley-doctor-${randomUUID().slice(0, 8)}` };
  let session: Session;
  try {
    session = await login(account, undefined, timeLimit(LOGIN_MS));
  } catch (thrown) {
    return faultOfLogin(thrown, account);
  }
  const found = loginFindings(session, account);
  session.wire.close();
  session.wire.destroy();
  const signal = timeLimit(CHECKS_MS);
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const connection = new Connection({ account, clock, log });
  const entered: Rooms[] = [];
  const began = Promise.withResolvers<void>();
  const handle = async (stanza: Parameters<Rooms['presence']>[0]) =>
    entered.forEach((rooms) => void rooms.presence(stanza));
  connection.start({ handle, began: began.resolve });
  try {
    await orAborted(began.promise, signal);
    found.push(await archive(config, connection, signal), await uploads(config, connection, signal));
    for (const address of config.rooms)
      found.push(await examineRoom(address, { connection, nick: config.nick, clock, log, signal }, entered));
    return found;
  } catch {
    return [...found, fault('XMPP', 'the connection was lost during the checks. Run the command again.')];
  } finally {
    await connection.stop();
  }
}

async function archive({ jid }: XmppConfig, connection: Connection, signal: AbortSignal): Promise<Finding> {
  const what = 'XMPP archive';
  const own = await discover(jid, connection, signal).catch(() => undefined);
  if (own?.features.has(NS.archive)) return good(what, 'the server keeps direct messages');
  const lost = 'After a crash of the bridge, an answer in a direct chat may appear twice.';
  return fault(what, `the account has no archive (XEP-0313). ${lost} Switch on mod_mam.`);
}

async function uploads(config: XmppConfig, connection: Connection, signal: AbortSignal): Promise<Finding> {
  const what = 'XMPP uploads';
  const domain = domainOf(config.jid);
  try {
    const found = await createUploads(connection, domain, [domain]).look(signal);
    if (found === undefined)
      return fault(
        what,
        'the server has no upload service (XEP-0363), so answers only name images. Switch on http_file_share in prosody, or mod_http_upload in ejabberd.',
      );
    const { address, limit, url } = found;
    const answer = await fetch(url, { method: 'HEAD', redirect: 'manual', signal }).catch(() => undefined);
    const cure = "Check the network and the server's HTTP port.";
    if (answer === undefined) return fault(what, `${new URL(url).origin} cannot be reached. ${cure}`);
    const size = limit === undefined ? 'of any size' : `of up to ${limit.toLocaleString('en')} bytes`;
    return good(what, `${address}, for files ${size}`);
  } catch (thrown) {
    signal.throwIfAborted();
    const why = thrown instanceof Error ? thrown.message : 'unknown';
    const cure = 'Allow the account to upload files.';
    return fault(what, `the server refuses uploads of this account (${why}). ${cure}`);
  }
}

const SERVER = 'XMPP server';
const TLS = 'XMPP certificate';
const SIGN_IN = 'XMPP sign-in';

function loginFindings({ wire, mechanism, managed }: Session, { user, domain }: Account) {
  const resumption = 'XMPP stream management';
  return [
    good(SERVER, wire.place),
    wire.protocol === undefined
      ? good(TLS, 'not checked, because the connection to this machine is not encrypted')
      : good(TLS, `valid for ${domain}, ${wire.protocol}`),
    good(SIGN_IN, `as ${user}@${domain}, with ${mechanism}`),
    managed?.id === undefined
      ? fault(
          resumption,
          'the server does not resume sessions (XEP-0198). Switch it on: mod_smacks in prosody, mod_stream_mgmt in ejabberd.',
        )
      : good(resumption, 'a session continues after its connection was cut'),
  ];
}

/** Codes of Node's errors when no server answers. */
const UNREACHABLE =
  /^(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE|ABORT_ERR)$/;
/** Codes of Node's errors about certificates. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH/;
/** Codes of Node's errors if the other side does not speak TLS. */
const NOT_TLS = /^(?:ERR_SSL_|EPROTO)/;

/** Translates the reason why the sign-in failed. The parts before it have worked. */
async function faultOfLogin(thrown: unknown, account: Account): Promise<readonly Finding[]> {
  const { domain, tls, user } = account;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const code = 'code' in error ? String(error.code) : '';
  const reason = error.message.replace(/[.\s]+$/, '');
  const places = await placesOf(account).catch(() => []);
  // The domain, if DNS names no server.
  const where = places.map(({ host, port }) => `${host}:${port}`).join(', ') || domain;
  const wrongTls = (detail: string) => [good(SERVER, where), fault(TLS, detail.trim())];
  if (CERTIFICATE.test(code))
    return wrongTls(
      `${reason}. Give the server a certificate for ${domain}. If your own authority has issued it, set NODE_EXTRA_CA_CERTS to the authority's certificate.`,
    );
  if (NOT_TLS.test(code)) {
    const cure = tls === 'direct' ? 'Set xmpp.tls to starttls, or name the port for direct TLS.' : '';
    return wrongTls(`the server speaks no TLS at this port (${code}). ${cure}`);
  }
  if (/no STARTTLS/.test(reason))
    return wrongTls(
      'the server offers no STARTTLS. Switch TLS on at the server, or set xmpp.tls to direct and name the port for it.',
    );
  if (/host-unknown/.test(reason))
    return [
      fault(SERVER, `the server at ${where} does not serve ${domain}. Check xmpp.jid and xmpp.server.`),
    ];
  if (/not-authorized|invalid-authzid|account-disabled|credentials-expired/.test(reason)) {
    const cure = 'Check that the account exists, and copy its password into XMPP_PASSWORD.';
    return [good(SERVER, where), fault(SIGN_IN, `the server refuses ${user}@${domain}. ${cure}`)];
  }
  if (!UNREACHABLE.test(code) && error.name !== 'TimeoutError' && error.name !== 'AbortError')
    return [fault(SIGN_IN, `${reason}. Check the settings of the server, and xmpp.jid and xmpp.tls.`)];
  const cure = `Start the server, check the network, or set xmpp.server to the server's host and port.`;
  return [fault(SERVER, `${where} cannot be reached (${code || 'no answer in time'}). ${cure}`)];
}

/** Why a room does not let the account in, by the condition of its error (XEP-0045, section 7.2), with the cure. */
const refusals: Readonly<Record<string, string>> = {
  'registration-required': 'only members may enter. Make the account a member of the room.',
  forbidden: 'the account is banned. Lift the ban.',
  'not-authorized': 'a password is needed, which the bridge cannot give. Remove it, and admit members only.',
  'service-unavailable': 'the room is full. Raise its limit.',
  'not-allowed': 'the account may not enter. Check the rules of the room and of its server.',
};

type Examining = Pick<RoomsDeps, 'connection' | 'nick' | 'clock' | 'log' | 'signal'>;

/** Joins a room as the bridge does. Adds the rooms that need the presences to `entered`. Rejects with `StanzaError`. */
function enter(address: string, at: Examining, entered: Rooms[]): Promise<Room> {
  const { promise, resolve, reject } = Promise.withResolvers<Room>();
  const signal = AbortSignal.any([at.signal, timeLimit(ENTER_MS)]);
  const joined = async (room: Room) => resolve(room);
  const refused = (condition: string) => reject(new StanzaError(condition));
  const rooms = new Rooms({ ...at, addresses: [address], signal, joined, refused });
  entered.push(rooms);
  rooms.joinAll();
  return orAborted(promise, signal);
}

async function examineRoom(address: string, at: Examining, entered: Rooms[]): Promise<Finding> {
  const { connection, nick, signal } = at;
  const what = `XMPP room ${address}`;
  let why = whyUnknown;
  try {
    // Joining a room that does not exist would create it.
    await discover(address, connection, signal);
    why = whyOutside;
    const room = await enter(address, at, entered);
    if (room.nick === nick) return inRoom(what, room);
    return fault(
      what,
      `someone else has the nickname ${nick}. The bridge uses ${room.nick} meanwhile; choose another xmpp.nick.`,
    );
  } catch (thrown) {
    signal.throwIfAborted();
    return fault(what, why(thrown instanceof StanzaError ? thrown.condition : 'no answer'));
  }
}

function inRoom(what: string, { role, features }: Room): Finding {
  if (role === 'visitor')
    return fault(what, 'the account may read but not write. Give it voice, or make it a member of the room.');
  const seesPeople = features.has('muc_nonanonymous') || role === 'moderator';
  if (!seesPeople && !features.has(NS.occupant)) {
    const cure = 'Make the account a moderator, or let the room show addresses to everyone.';
    return fault(
      what,
      `the room hides addresses and has no occupant ids, so the bridge refuses questions there. ${cure}`,
    );
  }
  const lost = 'After an outage, messages that people wrote meanwhile are not answered.';
  const cure = 'Switch on muc_mam in prosody, mod_mam in ejabberd.';
  if (!features.has(NS.archive)) return fault(what, `the room has no archive (XEP-0313). ${lost} ${cure}`);
  return good(what, `joined; people are known by ${seesPeople ? 'their addresses' : 'occupant ids'}`);
}

function whyUnknown(condition: string): string {
  return condition === 'item-not-found' || condition === 'gone'
    ? 'the room does not exist. Create it, or correct xmpp.rooms.'
    : `the room's server does not answer for it (${condition}). Check the address in xmpp.rooms.`;
}

const whyOutside = (condition: string): string =>
  refusals[condition] ?? `the room does not let the account in (${condition}). Check its configuration.`;
