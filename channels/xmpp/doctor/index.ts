/** Findings of `parley doctor` about XMPP. A finding that reports a fault also names the cure. */

import { randomUUID } from 'node:crypto';
import { type Clock, type Finding, timeLimit } from 'parley/kit';
import { orAborted } from 'parley/kit/ladder';
import { accountOf } from '../account.ts';
import { createUploads } from '../files.ts';
import { domainOf, NS } from '../protocol.ts';
import type { XmppConfig } from '../settings.ts';
import { type Connection, createConnection } from '../stream/connection.ts';
import { type Account, login, type Session } from '../stream/login.ts';
import { fault, faultOfLogin, good, loginFindings } from './login.ts';
import { createEntrance, type Entrance, examineRoom, featuresOf } from './room.ts';

/** Maximum milliseconds for the sign-in, and for all checks after it. Together less than the 30 s that Parley allows. */
const LOGIN_MS = 12_000;
const CHECKS_MS = 15_000;

/**
 * Signs in with a session of its own, which gets no messages, because it sends no presence to the account's server. A
 * running bridge is not disturbed.
 */
export async function examineXmpp(config: XmppConfig, clock: Clock): Promise<readonly Finding[]> {
  const account: Account = { ...accountOf(config), resource: `parley-doctor-${randomUUID().slice(0, 8)}` };
  const signal = timeLimit(LOGIN_MS);
  let session: Session;
  try {
    session = await login(account, undefined, signal);
  } catch (thrown) {
    return faultOfLogin(thrown, account);
  }
  session.wire.close();
  session.wire.destroy();
  const found = [...loginFindings(session, account), streamManagement(session)];
  return [...found, ...(await examineServices(config, account, clock))];
}

function streamManagement({ managed }: Session): Finding {
  const what = 'XMPP stream management';
  if (managed?.id !== undefined) return good(what, 'a session continues after its connection was cut');
  const cure = 'Switch it on: mod_smacks in prosody, mod_stream_mgmt in ejabberd.';
  return fault(what, `the server does not resume sessions (XEP-0198). ${cure}`);
}

/** Examines what the bridge uses on the server once it is signed in. */
async function examineServices(
  config: XmppConfig,
  account: Account,
  clock: Clock,
): Promise<readonly Finding[]> {
  const signal = timeLimit(CHECKS_MS);
  const began = Promise.withResolvers<void>();
  const entrance = createEntrance(config.nick);
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const connection = createConnection({
    ...{ account, clock, log, began: () => began.resolve() },
    async handle(stanza) {
      entrance.presence(stanza);
    },
  });
  try {
    await orAborted(began.promise, signal);
    return [
      await archive(config, connection, signal),
      await uploads(config, connection, signal),
      ...(await rooms(config, { connection, entrance, signal })),
    ];
  } catch {
    return [fault('XMPP', 'the connection was lost during the checks. Run the command again.')];
  } finally {
    await connection.stop();
  }
}

const ignore = (): void => undefined;

interface Examining {
  readonly connection: Connection;
  readonly entrance: Entrance;
  readonly signal: AbortSignal;
}

async function rooms(config: XmppConfig, at: Examining): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  let knows = 0;
  let lacks = 0;
  for (const address of config.rooms) {
    const room = await examineRoom(address, at);
    found.push(...room.findings);
    knows += room.correcting;
    lacks += room.notCorrecting;
  }
  return [...found, ...(config.corrections ? [corrections(knows, lacks)] : [])];
}

/** Reports on corrections. Only the clients must know them; servers pass them on. */
function corrections(knows: number, lacks: number): Finding {
  const what = 'XMPP corrections';
  const all = knows + lacks;
  if (all === 0)
    return good(
      what,
      'on; the rooms contain no other client that could be asked whether it supports corrections (XEP-0308)',
    );
  if (knows > 0)
    return good(what, `on; ${knows} of ${all} clients in the rooms support corrections (XEP-0308)`);
  const cure = 'They show each correction as a new message. Set xmpp.corrections to false.';
  return fault(what, `none of the ${all} clients in the rooms supports corrections (XEP-0308). ${cure}`);
}

async function archive({ jid }: XmppConfig, connection: Connection, signal: AbortSignal): Promise<Finding> {
  const what = 'XMPP archive';
  const features = await featuresOf(jid, { connection, signal }).catch(() => undefined);
  if (features?.has(NS.archive)) return good(what, 'the server keeps direct messages');
  const lost = 'After a crash of the bridge, an answer in a direct chat may appear twice.';
  return fault(what, `the account has no archive (XEP-0313). ${lost} Switch on mod_mam.`);
}

async function uploads(config: XmppConfig, connection: Connection, signal: AbortSignal): Promise<Finding> {
  const what = 'XMPP uploads';
  const { jid, members = [domainOf(jid)] } = config;
  const service = createUploads(() => connection, domainOf(jid), members);
  const cure = 'Switch on http_file_share in prosody, or mod_http_upload in ejabberd.';
  try {
    const found = await service.look(signal);
    if (found === undefined)
      return fault(what, `the server has no upload service (XEP-0363), so answers only name images. ${cure}`);
    const { address, limit, url } = found;
    const answer = await fetch(url, { method: 'HEAD', redirect: 'manual', signal }).catch(() => undefined);
    if (answer === undefined)
      return fault(
        what,
        `${new URL(url).origin} cannot be reached. Check the network and the server's HTTP port.`,
      );
    const size = limit === undefined ? 'of any size' : `of up to ${limit.toLocaleString('en')} bytes`;
    return good(what, `${address}, for files ${size}`);
  } catch (thrown) {
    signal.throwIfAborted();
    const why = thrown instanceof Error ? thrown.message : 'unknown';
    return fault(
      what,
      `the server refuses uploads of this account (${why}). Allow the account to upload files.`,
    );
  }
}
