/** Tests `npm run supply` with the real npm and a registry of its own. */

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isAllowed } from '../tools/supply/bill.ts';

const root = new URL('..', import.meta.url).pathname;
const SUPPLY_MS = 60_000;

interface Advisory {
  readonly severity: string;
}

/**
 * Starts a registry. It responds to requests for advisories with the given ones; if `advisories` is undefined, it
 * responds with 405.
 */
async function startRegistry(advisories: Readonly<Record<string, Advisory>> | undefined): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.method !== 'POST') return response.writeHead(404).end('{}');
      if (advisories === undefined) return response.writeHead(405).end();
      const answer = Object.entries(advisories).map(([name, { severity }]) => [
        name,
        [
          {
            id: 1,
            url: 'https://advisories.example/1',
            title: 'Leaks',
            severity,
            vulnerable_versions: '<99',
          },
        ],
      ]);
      return response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify(Object.fromEntries(answer)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-supply-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function supply(
  advisories?: Readonly<Record<string, Advisory>>,
): Promise<{ readonly code: number | null; readonly printed: string }> {
  const registry = await startRegistry(advisories);
  const { port } = registry.address() as AddressInfo;
  const child = spawn(process.execPath, ['tools/supply/run.ts', folder], {
    cwd: root,
    // npm remembers advisories by their id, so each run has a cache of its own.
    env: {
      ...process.env,
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_cache: mkdtempSync(join(folder, 'cache-')),
      npm_config_fetch_retries: '0',
    },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      printed += chunk;
    });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  registry.close();
  return { code, printed };
}

describe('npm run supply', () => {
  test(
    'writes the bill of materials and the licenses, without packages for development',
    async () => {
      expect(await supply({})).toMatchObject({ code: 0, printed: expect.stringContaining('no advisory') });
      const bill = JSON.parse(readFileSync(join(folder, 'bill-of-materials.cdx.json'), 'utf8'));
      const names = bill.components.map(({ name }: { readonly name: string }) => name);
      expect(names).toContain('pino');
      expect(names).not.toContain('vitest');
      const refs = bill.dependencies.map(({ ref }: { readonly ref: string }) => ref.replace(/@[^@]*$/, ''));
      expect(refs).toContain('pino');
      expect(refs).not.toContain('vitest');
      const licenses = readFileSync(join(folder, 'licenses.md'), 'utf8');
      expect(licenses).toMatch(/^\| pino \| \d+\.\d+\.\d+ \| MIT \| yes \|$/m);
      expect(licenses).toMatch(/^\| botbuilder \| \d+\.\d+\.\d+ \| MIT \| optional \|$/m);
    },
    SUPPLY_MS,
  );

  test(
    'refuses a severe advisory, and only prints a moderate one',
    async () => {
      const severe = await supply({ pino: { severity: 'high' } });
      expect(severe.printed).toContain('high: pino (Leaks, https://advisories.example/1)');
      expect(severe).toMatchObject({ code: 1, printed: expect.stringContaining('Replace or update') });
      const moderate = await supply({ pino: { severity: 'moderate' } });
      expect(moderate).toMatchObject({ code: 0, printed: expect.stringContaining('moderate: pino') });
    },
    SUPPLY_MS,
  );

  test(
    'says that a registry does not answer about advisories',
    async () => {
      const { code, printed } = await supply();
      expect(printed).toMatch(/Advisories were not checked: 405/);
      expect(code).toBe(0);
    },
    SUPPLY_MS,
  );
});

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-or-later)', true],
  ['MIT AND Zlib', true],
  ['MIT AND GPL-3.0-only', false],
  ['GPL-3.0-only', false],
  ['none', false],
  ['(MIT OR (ISC AND MIT))', false],
])('a package with the license %s: allowed %s', (expression, allowed) => {
  expect(isAllowed(expression)).toBe(allowed);
});
