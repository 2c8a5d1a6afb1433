/** Registers tests that need an XMPP server or OpenSSL. If the program is missing, skips them and says why. */

import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest';
import { type Authority, noCertificates, openAuthority } from './certificates.ts';
import { missing, type ServerName, type ServerOptions } from './servers.ts';

/** Registers the tests once for prosody and once for ejabberd. */
export function onServers(
  tests: (name: ServerName) => void,
  needs: Pick<ServerOptions, 'isDurable'> = {},
): void {
  describe.each<ServerName>(['prosody', 'ejabberd'])('on %s', (name) =>
    unless(missing(name, needs), () => tests(name)));
}

/** Registers the tests. If there is a reason to skip them, registers one skipped test with the reason as its name. */
export function unless(reason: string | undefined, tests: () => void): void {
  if (reason === undefined) tests();
  else test.skip(reason, () => undefined);
}

/** A certificate authority that this process does not trust at the beginning of a test. */
export interface TestAuthority extends Pick<Authority, 'certify'> {
  /** Lets this process trust the authority until the test ends. */
  trust(): void;
}

/** Registers tests that need certificates. */
export function withTls(tests: (authority: TestAuthority) => void): void {
  describe('with TLS', () =>
    unless(noCertificates(), () => {
      const trusted = getCACertificates('default');
      let authority: Authority;
      beforeAll(async () => {
        authority = await openAuthority();
      });
      afterEach(() => setDefaultCACertificates(trusted));
      afterAll(() => authority?.close());
      tests({
        certify: (domain) => authority.certify(domain),
        trust: () => setDefaultCACertificates([...trusted, authority.pem]),
      });
    }));
}
