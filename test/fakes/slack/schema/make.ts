/**
 * Writes schema.json: the arguments of Slack's methods as JSON Schema, from the types that Slack publishes.
 * Run after an update of @slack/web-api or @slack/types: node test/fakes/slack/schema/make.ts
 */

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const versionOf = (name: string): string => {
  const text = readFileSync(here(`../../../../node_modules/${name}/package.json`), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
};

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/**
 * Versions and hashes of the schema's sources. Making the schema takes seconds, so a test compares only these values
 * and the hash of the schema: the same sources give the same schema.
 */
export const sources = (): Readonly<Record<string, string>> => ({
  '@slack/types': versionOf('@slack/types'),
  '@slack/web-api': versionOf('@slack/web-api'),
  generator: versionOf('ts-json-schema-generator'),
  arguments: hashOf(readFileSync(here('./arguments.ts'), 'utf8')),
  script: hashOf(readFileSync(here('./make.ts'), 'utf8')),
});

/** The hash of a schema without its comment. */
export function bodyHash({ $comment: _, ...body }: { readonly $comment?: unknown }): string {
  return hashOf(JSON.stringify(body));
}

export async function makeSchema(): Promise<string> {
  const { createGenerator } = await import('ts-json-schema-generator');
  const schema = createGenerator({
    path: here('./arguments.ts'),
    tsconfig: here('./tsconfig.json'),
    type: 'Arguments',
    skipTypeCheck: true,
    additionalProperties: false,
    jsDoc: 'none',
    // Different types have the same name, such as Channel. Named definitions would clash, so the generator repeats each
    // type in full; `shared` removes the repetition.
    expose: 'none',
  }).createSchema('Arguments');
  const body = shared(schema.definitions?.Arguments);
  const comment = { sources: sources(), body: bodyHash(body) };
  return `${JSON.stringify({ $comment: JSON.stringify(comment), ...body })}\n`;
}

/** Minimum characters of a repeated piece that becomes a definition; a reference to a shorter piece saves nothing. */
const WORTH_NAMING = 120;

/** A piece of the schema, stored once even if it is repeated. Its members are numbers of other pieces. */
interface Piece {
  readonly shape: 'plain' | 'list' | 'object';
  readonly plain: unknown;
  readonly members: readonly (readonly [string, number])[];
  readonly size: number;
  uses: number;
}

/** Returns the same schema with each repeated piece written once, as a definition. */
function shared(root: unknown): object {
  const pieces: Piece[] = [];
  const top = intern(root, pieces, new Map());
  const names = new Map<number, string>();
  const definitions: Record<string, unknown> = {};
  const write = (id: number): unknown => {
    const piece = pieces[id];
    if (piece === undefined || piece.shape === 'plain') return piece?.plain;
    // In an object of properties, `type` may be the name of a property, and its value is then an object. In a schema,
    // the value of `type` is never an object.
    const isSchema = piece.members.some(
      ([name, each]) => (name === 'type' || name === 'anyOf') && pieces[each]?.shape !== 'object',
    );
    if (id === top || !isSchema || piece.uses < 2 || piece.size < WORTH_NAMING) return unfold(piece, write);
    const known = names.get(id);
    if (known !== undefined) return { $ref: `#/definitions/${known}` };
    const name = `s${names.size + 1}`;
    names.set(id, name);
    definitions[name] = unfold(piece, write);
    return { $ref: `#/definitions/${name}` };
  };
  return { ...(write(top) as object), definitions };
}

function unfold({ shape, members }: Piece, write: (id: number) => unknown): unknown {
  if (shape === 'list') return members.map(([, id]) => write(id));
  return Object.fromEntries(members.map(([name, id]) => [name, write(id)]));
}

/** Gives each different piece a number, leaves first, so that two pieces are compared by their members' numbers. */
function intern(value: unknown, pieces: Piece[], known: Map<string, number>): number {
  const object = typeof value === 'object' && value !== null;
  const members = object
    ? Object.entries(value).map(([name, each]) => [name, intern(each, pieces, known)] as const)
    : [];
  const shape = !object ? 'plain' : Array.isArray(value) ? 'list' : 'object';
  const key = object
    ? `${shape}${members.map(([name, id]) => `${name}:${id}`).join()}`
    : JSON.stringify(value);
  const id = known.get(key) ?? pieces.length;
  const piece = pieces[id];
  if (piece !== undefined) piece.uses += 1;
  else {
    const inner = members.reduce((sum, [name, each]) => sum + name.length + 4 + (pieces[each]?.size ?? 0), 2);
    pieces.push({ shape, plain: value, members, size: object ? inner : key.length, uses: 1 });
    known.set(key, id);
  }
  return id;
}

if (process.argv[1] === here('./make.ts')) writeFileSync(here('./schema.json'), await makeSchema());
