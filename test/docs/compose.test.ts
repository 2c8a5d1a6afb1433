/** The compose file of docs/replicas.md. Docker does not run here, so the test checks only the contents of the file. */

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { channels } from '../../adapters/registry.ts';
import { variables } from '../../src/config/environment.ts';

interface Service {
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly stop_grace_period?: string;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, unknown>>;
  readonly configs: Readonly<Record<string, unknown>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const file = new URL('../../docs/compose.yaml', import.meta.url);
const compose: Compose = parse(readFileSync(file, 'utf8'), { merge: true, uniqueKeys: true });
const replicas = Object.entries(compose.services).filter(([, { image }]) => image === 'parley');

it('starts PostgreSQL and two replicas that wait for it', () => {
  expect(Object.keys(compose.services)).toEqual(['database', 'parley-one', 'parley-two']);
  expect(compose.services.database?.image).toBe('postgres:18');
  for (const [, service] of replicas) {
    expect(service.depends_on).toEqual({ database: { condition: 'service_healthy' } });
    expect(Number.parseInt(service.stop_grace_period ?? '', 10)).toBeGreaterThan(22);
  }
});

it('gives all replicas the same variables, all of which Parley reads', () => {
  const known = variables(channels).flatMap(({ name, kind }) =>
    kind === 'secret' ? [name, `${name}_FILE`] : name,
  );
  // The variables that the first parley.yaml of docs/your-agents.md names.
  const page = readFileSync(new URL('../../docs/your-agents.md', import.meta.url), 'utf8');
  const [, shown = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const named = [...shown.matchAll(/\{ env: (\w+) \}/g)].map(([, name = '']) => name);
  const [first, ...others] = replicas.map(([, { environment }]) => environment);
  expect(
    Object.keys(first ?? {}).filter((name) => !['PARLEY_CONFIG', ...named, ...known].includes(name)),
  ).toEqual([]);
  for (const name of named) expect(first).toHaveProperty([name]);
  for (const other of others) expect(other).toEqual(first);
});

it('declares every secret that a service reads, under the path that it reads', () => {
  for (const { environment, secrets } of Object.values(compose.services)) {
    const paths = Object.entries(environment).filter(([name]) => name.endsWith('_FILE'));
    expect(paths.map(([, path]) => path).toSorted()).toEqual(
      secrets.map((name) => `/run/secrets/${name}`).toSorted(),
    );
    for (const name of secrets) expect(compose.secrets).toHaveProperty([name]);
  }
});
