import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { channels } from '../../../adapters/registry.ts';
import { variables } from '../../../src/config/environment.ts';
import { jsonSchema } from '../../../src/config/schema.ts';
import { loadConfig } from '../../fakes/load-config.ts';

const read = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
const page = read('configuration.md').replace(/\s+/g, ' ');

interface Setting {
  readonly path: string;
  readonly description: string;
}

/**
 * Returns every setting of the schema with its description. Inside `oneOf` and `anyOf`, names are relative to the
 * branch.
 */
function settingsOf(schema: unknown, path = ''): readonly Setting[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const node: Record<string, unknown> = { ...schema };
  const properties = Object.entries({ ...(node.properties ?? {}) }).flatMap(([name, inner]) => [
    { path: path === '' ? name : `${path}.${name}`, description: describes(inner) },
    ...settingsOf(inner, path === '' ? name : `${path}.${name}`),
  ]);
  const branches = [node.oneOf, node.anyOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return [
    ...properties,
    ...settingsOf(node.items, `${path}[]`),
    ...settingsOf(node.additionalProperties),
    ...branches.flatMap((branch) => settingsOf(branch)),
  ];
}

function describes(schema: unknown): string {
  return typeof schema === 'object' && schema !== null && 'description' in schema
    ? String(schema.description)
    : '';
}

/** True for a group of settings, which needs no row of its own because each of its settings has one. */
const isGroup = (path: string, all: readonly Setting[]) =>
  all.some((other) => other.path.startsWith(`${path}.`));

/**
 * True for a setting such as `kind`, which the page explains once for all agents and credentials, so it needs no row.
 */
const isFixedWord = (path: string) => /(^|\.)(kind|interface|env|file)$/.test(path);

describe('the page on configuration', () => {
  const schema = JSON.parse(JSON.stringify(jsonSchema(channels)));
  // An entry of `platforms` has the settings of `platform`, so the page lists them once.
  delete schema.properties.platforms.additionalProperties;
  const all = settingsOf(schema);

  it('names every setting with its description', () => {
    const leaves = all.filter(({ path }) => path !== 'agents' && !isGroup(path, all) && !isFixedWord(path));
    expect(leaves.length).toBeGreaterThan(60);
    const missing = leaves.filter(
      ({ path, description }) =>
        !page.includes(`\`${path.replace('credential.', '')}\``) ||
        !page.includes(description.replaceAll('|', '\\|')),
    );
    expect(missing).toEqual([]);
  });

  it('gives every setting a description', () => {
    expect(all.filter(({ path, description }) => !isFixedWord(path) && description === '')).toEqual([]);
  });

  it('lists every variable with its setting', () => {
    // The variables of proxies belong to no setting.
    const page = read('configuration.md').replace(/^## Proxy and certificates$[\s\S]*?(?=^## )/m, '');
    const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (.+) \|$/gm)];
    const listed = rows.map(([, name, setting]) => `${name} ${setting}`);
    const known = variables(channels).map(({ name, path }) => `${name} \`${path.join('.')}\``);
    expect(listed.toSorted()).toEqual(['PARLEY_CONFIG the configuration file', ...known].toSorted());
  });

  it.each(channels.map((channel) => [channel.title, channel] as const))('%s has a page', (title, channel) => {
    expect(read(channel.page.replace('docs/', ''))).toMatch(new RegExp(title, 'i'));
  });

  it('shows a valid file', () => {
    const shown = /example of a small file:\s+```yaml([\s\S]*?)```/.exec(read('configuration.md'))?.[1] ?? '';
    const folder = mkdtempSync(join(tmpdir(), 'parley-docs-'));
    const key = join(folder, 'key');
    const file = join(folder, 'parley.yaml');
    writeFileSync(key, 'a key');
    writeFileSync(file, shown.replace('/run/secrets/painter-key', key));
    const { config } = loadConfig({ environment: { HANDBOOK_SECRET: 'hush' }, file });
    expect(Object.keys(config.agents)).toEqual(['handbook', 'painter']);
    rmSync(folder, { recursive: true });
  });
});

it('the schema for editors is the one that the code has', () => {
  expect(JSON.parse(read('config.schema.json'))).toEqual(JSON.parse(JSON.stringify(jsonSchema(channels))));
});
