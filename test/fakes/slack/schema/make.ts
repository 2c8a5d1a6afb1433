/**
 * Writes schema.json: the arguments of Slack's methods as JSON Schema, from the types that Slack publishes.
 * Run after an update of @slack/web-api or @slack/types: node test/fakes/slack/schema/make.ts
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createGenerator } from 'ts-json-schema-generator';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const versionOf = (name: string): string => {
  const text = readFileSync(here(`../../../../node_modules/${name}/package.json`), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
};

/** What the schema was made from; a test compares it with what is installed. */
export const sources = (): Readonly<Record<string, string>> => ({
  '@slack/types': versionOf('@slack/types'),
  '@slack/web-api': versionOf('@slack/web-api'),
});

export function makeSchema(): string {
  const schema = createGenerator({
    path: here('./arguments.ts'),
    tsconfig: here('../../../../tsconfig.json'),
    type: 'Arguments',
    skipTypeCheck: true,
    additionalProperties: false,
    jsDoc: 'none',
    // Names like Channel stand for several types there; without names there is no clash, but much is said twice.
    expose: 'none',
  }).createSchema('Arguments');
  const whole = schema.definitions?.Arguments;
  const once = new Map<string, string>();
  const slim = shorten(whole, repeated(whole), once);
  const definitions = Object.fromEntries(
    [...once].map(([text, name]) => [name, JSON.parse(text) as unknown]),
  );
  return `${JSON.stringify({ $comment: JSON.stringify(sources()), ...(slim as object), definitions })}\n`;
}

/** Characters; a shorter piece is not worth a reference. */
const WORTH_NAMING = 120;

/** Pieces of a schema that are said more than once. */
function repeated(root: unknown): ReadonlySet<string> {
  const seen = new Set<string>();
  const again = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const text = JSON.stringify(value);
    if (seen.has(text)) {
      again.add(text);
      return;
    }
    seen.add(text);
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(root);
  return again;
}

/** The same schema with each repeated piece written once, as a definition. */
function shorten(value: unknown, again: ReadonlySet<string>, once: Map<string, string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => shorten(item, again, once));
  const text = JSON.stringify(value);
  const inner = Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, shorten(each, again, once)]),
  );
  const isSchema = 'type' in value || 'anyOf' in value;
  if (!isSchema || text.length < WORTH_NAMING || !again.has(text)) return inner;
  const short = JSON.stringify(inner);
  const name = once.get(short) ?? `s${once.size + 1}`;
  once.set(short, name);
  return { $ref: `#/definitions/${name}` };
}

if (process.argv[1] === here('./make.ts')) writeFileSync(here('./schema.json'), makeSchema());
