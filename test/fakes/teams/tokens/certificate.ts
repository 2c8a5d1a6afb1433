/** Makes a self-signed certificate with its key. Writes a minimal X.509 structure (RFC 5280). */

import { generateKeyPairSync, sign } from 'node:crypto';

export interface Certificate {
  /** The certificate in PEM. */
  readonly certificate: string;
  readonly key: string;
}

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BITS = 0x03;
const NULL = 0x05;
const OBJECT = 0x06;
const TEXT = 0x0c;
const TIME = 0x17;
/** Object identifier 1.2.840.113549.1.1.11: sha256WithRSAEncryption. */
const RSA_SHA256 = Buffer.from('2a864886f70d01010b', 'hex');
/** Object identifier 2.5.4.3: commonName. */
const COMMON_NAME = Buffer.from('550403', 'hex');

export function makeCertificate(name = 'fake-app'): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const algorithm = der(SEQUENCE, der(OBJECT, RSA_SHA256), der(NULL));
  const issuer = der(
    SEQUENCE,
    der(SET, der(SEQUENCE, der(OBJECT, COMMON_NAME), der(TEXT, Buffer.from(name)))),
  );
  const validity = der(
    SEQUENCE,
    der(TIME, Buffer.from('200101000000Z')),
    der(TIME, Buffer.from('491231235959Z')),
  );
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const body = der(SEQUENCE, der(INTEGER, Buffer.from([1])), algorithm, issuer, validity, issuer, spki);
  const signature = der(BITS, Buffer.from([0]), sign('sha256', body, privateKey));
  const lines =
    der(SEQUENCE, body, algorithm, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 + bytes.length]), bytes]);
}
