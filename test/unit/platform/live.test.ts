/** Tests `parley doctor --live platform` against the sandbox, and the comparison of an answer with its description. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Evidence } from '../../../src/cli/live/evidence.ts';
import { livePlatform } from '../../../src/cli/live/platform.ts';
import { usualLimits } from '../../../src/cli/live/stage.ts';
import { systemClock } from '../../../src/clock.ts';
import { api, differences, operations } from '../../../src/platform/api.ts';
import { documentedDeployment } from '../../../src/platform/wire/deployment.ts';
import { makeDataFolder } from '../../e2e/house/running-parley.ts';

async function checked(options: { readonly allowWrites?: true; readonly only?: readonly string[] }) {
  const data = await makeDataFolder();
  try {
    const config = join(data.path, 'parley.yaml');
    await writeFile(config, JSON.stringify({ data: data.path, sandbox: { port: 0 } }));
    const out = join(data.path, 'evidence.json');
    const terminal = {
      isAttended: false,
      say: () => undefined,
      instruct: () => undefined,
      typed: () => undefined,
    };
    const deps = {
      channels: async () => [],
      packages: async () => [],
      terminal: () => Promise.reject(new Error('no terminal')),
    };
    const ports = { clock: systemClock, limits: usualLimits, terminal, signal: new AbortController().signal };
    const code = await livePlatform({ live: 'platform', config, out, ...options }, deps, ports);
    const text = await readFile(out, 'utf8');
    return { code, text, evidence: JSON.parse(text) as Evidence };
  } finally {
    await data.remove();
  }
}

test('with --allow-writes, the sandbox passes, and what the check creates is deleted again', async () => {
  const { code, text, evidence } = await checked({ allowWrites: true });
  expect(evidence.acts.filter(({ result }) => result === 'failed')).toEqual([]);
  expect(code).toBe(0);
  expect(evidence.acts).toHaveLength(operations.length);
  const passed = evidence.acts.filter(({ result }) => result === 'passed').map(({ name }) => name);
  expect(passed).toEqual(
    expect.arrayContaining(['me', 'listFiles', 'retrieve', 'createOrg', 'deleteUsers', 'deleteOrgs']),
  );
  expect(evidence.acts.flatMap(({ notes = [] }) => notes)).toEqual([]);
  expect(text).not.toMatch(/sandbox-|member-one|visitor-pass/);
}, 120_000);

test('without --allow-writes, nothing is written', async () => {
  const { evidence } = await checked({ only: ['createOrg', 'me'] });
  expect(evidence.acts.map(({ name, result, why }) => [name, result, why])).toEqual([
    ['me', 'passed', undefined],
    ['createOrg', 'skipped', 'writes; add --allow-writes'],
  ]);
}, 120_000);

test('an answer that differs from its description is reported by the names of its fields', () => {
  const item = api.listFiles.item;
  if (item === undefined) throw new Error('listFiles has no described items');
  const body = {
    code: 0,
    data: { results: [{ fileName: 7, Canary: 'a secret', 'ada@example.org': 1, fileCanPreview: 'yes' }] },
  };
  const found = differences(item, body, documentedDeployment);
  expect(found).toContain('Canary is not described');
  expect(found).toContain('fileCanPreview is a string, described as a boolean');
  expect(found.join()).toMatch(/ is missing/);
  expect(found.join()).not.toMatch(/a secret|example/);
});
