/** Findings about the way to the server, its certificate and the sign-in. */

import type { Finding } from 'parley/kit';
import type { Account, Session } from '../stream/login.ts';
import { placesOf } from '../stream/socket.ts';

export const good = (what: string, detail: string): Finding => ({ what, ok: true, detail });
export const fault = (what: string, detail: string): Finding => ({ what, ok: false, detail });

const SERVER = 'XMPP server';
const TLS = 'XMPP certificate';
const SIGN_IN = 'XMPP sign-in';

export function loginFindings({ about }: Session, { user, domain }: Account): readonly Finding[] {
  const { place, protocol, mechanism } = about;
  const tls =
    protocol === undefined
      ? good(TLS, 'not checked, because the connection to this machine is not encrypted')
      : good(TLS, `valid for ${domain}, ${protocol}`);
  return [good(SERVER, place), tls, good(SIGN_IN, `as ${user}@${domain}, with ${mechanism}`)];
}

/** Codes of Node's errors when no server answers. */
const UNREACHABLE =
  /^(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE|ABORT_ERR)$/;
/** Codes of Node's errors about certificates. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH/;
/** Codes of Node's errors if the other side does not speak TLS. */
const NOT_TLS = /^(?:ERR_SSL_|EPROTO)/;

/** Translates the reason why the sign-in failed. The parts before it have worked. */
export async function faultOfLogin(thrown: unknown, account: Account): Promise<readonly Finding[]> {
  const { domain, tls, user } = account;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const code = codeOf(error);
  const { message } = error;
  const where = await wayOf(account);
  if (CERTIFICATE.test(code)) {
    const cure = `Give the server a certificate for ${domain}. If your own authority has issued it, set NODE_EXTRA_CA_CERTS to the authority's certificate.`;
    return [good(SERVER, where), fault(TLS, `${bare(message)}. ${cure}`)];
  }
  if (NOT_TLS.test(code)) {
    const cure = tls === 'direct' ? 'Set xmpp.tls to starttls, or name the port for direct TLS.' : '';
    return [
      good(SERVER, where),
      fault(TLS, `the server speaks no TLS at this port (${code}). ${cure}`.trim()),
    ];
  }
  if (/no STARTTLS/.test(message)) {
    const cure = 'Switch TLS on at the server, or set xmpp.tls to direct and name the port for it.';
    return [good(SERVER, where), fault(TLS, `the server offers no STARTTLS. ${cure}`)];
  }
  if (/host-unknown/.test(message))
    return [
      fault(SERVER, `the server at ${where} does not serve ${domain}. Check xmpp.jid and xmpp.server.`),
    ];
  if (/not-authorized|invalid-authzid|account-disabled|credentials-expired/.test(message)) {
    const cure = 'Check that the account exists, and copy its password into XMPP_PASSWORD.';
    return [good(SERVER, where), fault(SIGN_IN, `the server refuses ${user}@${domain}. ${cure}`)];
  }
  if (UNREACHABLE.test(code) || error.name === 'TimeoutError' || error.name === 'AbortError') {
    const cure = `Start the server, check the network, or set xmpp.server to the server's host and port.`;
    return [fault(SERVER, `${where} cannot be reached (${code || 'no answer in time'}). ${cure}`)];
  }
  return [fault(SIGN_IN, `${bare(message)}. Check the settings of the server, and xmpp.jid and xmpp.tls.`)];
}

const codeOf = (error: Error): string =>
  'code' in error && typeof error.code === 'string' ? error.code : '';
const bare = (message: string): string => message.replace(/[.\s]+$/, '');

/** Returns the addresses at which the server was looked for; the domain if DNS names none. */
async function wayOf(account: Account): Promise<string> {
  const places = await placesOf(account).catch(() => []);
  return places.length === 0 ? account.domain : places.map(({ host, port }) => `${host}:${port}`).join(', ');
}
