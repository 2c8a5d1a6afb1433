/** Makes certificates with the program `openssl`: an authority of the test, and server certificates of it. */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PROGRAM = '/usr/bin/openssl';

/** Returns why certificates cannot be made here; undefined if they can. */
export const noCertificates = (): string | undefined =>
  existsSync(PROGRAM) ? undefined : `${PROGRAM} is missing, so the tests of TLS are skipped.`;

export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

export interface Authority {
  /** The authority's own certificate, as PEM. */
  readonly pem: string;
  readonly own: CertificateFiles;
  /** Makes a certificate for a domain. */
  certify(domain: string): Promise<CertificateFiles>;
  close(): Promise<void>;
}

export async function openAuthority(): Promise<Authority> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-certificates-'));
  const file = (name: string) => join(folder, name);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const own = ['-keyout', file('ca.key'), '-out', file('ca.pem')];
  await run(PROGRAM, ['req', '-x509', ...key, ...own, '-subj', '/CN=Authority of the tests', '-days', '2']);
  return {
    pem: await readFile(file('ca.pem'), 'utf8'),
    own: { certificate: file('ca.pem'), key: file('ca.key') },
    async certify(domain) {
      const [request, certificate] = [file(`${domain}.csr`), file(`${domain}.pem`)];
      const files = { certificate, key: file(`${domain}.key`) };
      const names = file(`${domain}.ext`);
      await writeFile(names, `subjectAltName=DNS:${domain}\n`);
      await run(PROGRAM, ['req', ...key, '-keyout', files.key, '-out', request, '-subj', `/CN=${domain}`]);
      const authority = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial'];
      const made = ['-in', request, '-out', certificate, '-days', '2', '-extfile', names];
      await run(PROGRAM, ['x509', '-req', ...authority, ...made]);
      return files;
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
