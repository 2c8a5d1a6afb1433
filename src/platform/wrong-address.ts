/** Names faults of the platform's base address, with the address and the cure. */

import { BridgeError } from '../errors.ts';
import type { Base } from './base-url.ts';

/** The sentence for people in chat: asking again does not help. */
const TELL_USER =
  'The agent cannot be asked, because the bridge does not reach its platform. Please tell the operator of the bridge.';
const SET = 'Set platform.baseUrl to the address of the platform itself';

/** Faults and their cures, by the reason that the connection reports. */
const FAULTS: readonly (readonly [reason: RegExp, fault: string, cure: string])[] = [
  [
    /^(ENOTFOUND|EAI_)/,
    'its host name cannot be resolved',
    'Check the host name in platform.baseUrl, and the DNS of this machine.',
  ],
  [
    /^ECONNREFUSED$/,
    'nothing accepts connections there',
    'Check host and port in platform.baseUrl, and that the platform runs.',
  ],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|^EPROTO$/,
    'it does not answer with TLS',
    'If it uses no TLS, begin platform.baseUrl with http://, or correct the port.',
  ],
  [
    /CERT|^UNABLE_TO_VERIFY|^ERR_(SSL|TLS)_/,
    'its certificate is not accepted',
    'Check that it is valid now and for this host name. If your own authority issued it, set NODE_EXTRA_CA_CERTS to the file with the certificate of the authority.',
  ],
];
/** A platform that is only restarting also refuses connections, so asking again may help. */
const PASSING = 'ECONNREFUSED';

/** Matches what servers say if they get plain HTTP on a port for TLS: nginx, and Go's net/http. */
export const EXPECTS_TLS = /plain HTTP request was sent to HTTPS|HTTP request to an HTTPS server/i;

/**
 * Returns the error with the base address, the fault and the cure, if the address may be wrong; otherwise returns the
 * error itself.
 */
export function withAddress(base: Base, error: unknown): unknown {
  if (!(error instanceof BridgeError) || error.message.startsWith(base.address)) return error;
  const named = unreachable(base, error) ?? misdirected(base, error);
  if (named === undefined) return error;
  const { code, facts } = error;
  return new BridgeError(code, named.message, { ...named, facts, cause: error });
}

type Named = { readonly message: string; readonly tellUser?: string };

function unreachable({ address }: Base, { code, facts }: BridgeError): Named | undefined {
  const { reason } = facts;
  if (typeof reason !== 'string' || !/^platform-(unreachable|protocol)$/.test(code)) return undefined;
  const found = FAULTS.find(([pattern]) => pattern.test(reason));
  if (found === undefined) {
    const secure = address.startsWith('http:')
      ? ' If it uses TLS, begin platform.baseUrl with https://.'
      : '';
    return {
      message: `${address} cannot be reached (${reason}). Check platform.baseUrl and the network.${secure}`,
    };
  }
  const [, fault, cure] = found;
  return {
    message: `${address} cannot be reached: ${fault} (${reason}). ${cure}`,
    ...(reason !== PASSING && { tellUser: TELL_USER }),
  };
}

function misdirected({ address }: Base, { facts }: BridgeError): Named | undefined {
  const fault = faultOf(facts);
  if (fault === undefined) return undefined;
  const message = `${address} seems to be a wrong address: ${fault}. ${cureOf(address, facts)}`;
  return { message, tellUser: TELL_USER };
}

function faultOf({ page, redirect, tls, httpStatus, enveloped, operation }: BridgeError['facts']) {
  const target = operation === undefined ? 'a request' : String(operation);
  if (tls !== undefined) return 'its port expects TLS';
  if (redirect !== undefined) return `it answered ${target} with a redirect to ${redirect}`;
  if (page !== undefined) return `it answered ${target} with a web page, such as that of a sign-in`;
  return httpStatus === 404 && enveloped !== true ? `it does not know ${target} (HTTP 404)` : undefined;
}

function cureOf(address: string, { redirect, tls }: BridgeError['facts']): string {
  const secure = address.replace(/^http:/, 'https:');
  if (tls !== undefined || (secure !== address && String(redirect).startsWith(secure)))
    return 'Begin platform.baseUrl with https://.';
  const part = /\/(?:v\d+\/)?(?:openapi|webapi|lite_api)(?:\/.*)?$/.exec(address);
  if (part !== null) return `${SET}, without ${part[0]}.`;
  return `${SET}, as it is reached without a sign-in page and without the path of an operation.`;
}
