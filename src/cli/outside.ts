/** Loads channels that are not part of Parley: `channels: [{ module: ./my-channel.js, settings: { … } }]`. */

import { readFile, stat } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { reasonOf, within } from '../bridge/guarded.ts';
import { overrides, variables } from '../config/environment.ts';
import type { OutsideChannel, Written } from '../config/load.ts';
import { settingNames } from '../config/schema.ts';
import * as door from '../kit/channel.ts';
import { type Fault, isTree, type Tree, valueAt, withValue } from '../settings/tree.ts';
import { openEntries } from './own-entries.ts';
import { projectVersion } from './project.ts';

/** Maximum time to load a module, in milliseconds. */
export const LOAD_MS = 5_000;
/**
 * Names that channels from outside must not have, because Parley itself uses these names: `terminal` for the terminal's
 * threads, `reply` for lanes of the inbox.
 */
export const RESERVED = ['terminal', 'reply'];

/** The names that a channel may have. */
export const CHANNEL_NAME = /^[a-z][a-z0-9-]{0,39}$/;

/** An entry of `channels` whose module could not be loaded. */
export interface Broken {
  readonly module: string;
  /** Index of the entry in `channels`. */
  readonly index: number;
  /** Why it could not be loaded, on one line. */
  readonly why: string;
}

/**
 * Loads all modules that the configuration names. Never throws: a module that cannot be loaded is listed in `broken`.
 */
export async function loadOutside(written: Written, registered: readonly door.Channel[], clock: door.Clock) {
  const { content, file = '' } = written;
  const modules = modulesOf(content.tree);
  const folder = dirname(resolve(file));
  const loads = modules.map(({ module, index }) =>
    within(LOAD_MS, () => load(resolve(folder, module), index, written), { clock }),
  );
  const loaded = await Promise.allSettled(loads);
  const outside: OutsideChannel[] = [];
  const broken: Broken[] = [];
  /** Faults about names and variables that something else already uses. */
  const faults: Fault[] = [];
  for (const [at, { module, index }] of modules.entries()) {
    const result = loaded[at];
    if (result?.status === 'rejected') broken.push({ module, index, why: whyOf(result.reason) });
    if (result?.status !== 'fulfilled') continue;
    const known = [...registered, ...outside.map(({ channel }) => channel)];
    const fault = inUse(result.value, index, known, content.tree);
    if (fault === undefined) outside.push({ channel: result.value, index });
    else faults.push(fault);
  }
  return { outside, broken, faults };
}

/**
 * Returns why an import failed. Omits the name of the importing file, which is Parley's own and does not help the
 * operator.
 */
export const whyOf = (thrown: unknown): string => reasonOf(thrown).replace(/ imported from \S+$/, '');

function modulesOf(tree: Tree): readonly { readonly module: string; readonly index: number }[] {
  const entries = Array.isArray(tree.channels) ? tree.channels : [];
  return entries.flatMap((entry: unknown, index) => {
    const module = valueAt(entry, ['module']);
    return typeof module === 'string' && module !== '' ? [{ module, index }] : [];
  });
}

/** Schema of a channel's definition. The definition comes from JavaScript, so its types must be checked. */
export const definition = z.looseObject({
  api: z.literal(1),
  name: z.string().regex(CHANNEL_NAME),
  title: z.string().min(1),
  on: z.enum(['when-configured', 'unless-disabled']),
  page: z.string(),
  variables: z.record(
    z.string().regex(/^[A-Z][A-Z0-9_]*$/),
    z.object({ setting: z.string(), kind: z.enum(['text', 'number', 'secret']) }),
  ),
});

/**
 * Imports a module, or the package in a folder, and returns the channel that it defines. Throws an error that says what
 * to correct.
 */
export async function importChannel(path: string) {
  /** Everything that the module exports. */
  const exports = await importModule(path);
  const made = exports.channel;
  if (made === undefined) throw new Error('It exports no "channel".');
  const channel: unknown = typeof made === 'function' ? await made(await import('../kit/argument.ts')) : made;
  if (!door.isChannel(channel))
    throw new Error('Its "channel" must be what defineChannel returns, or a function that returns this.');
  const [issue] = definition.safeParse(channel).error?.issues ?? [];
  if (issue !== undefined)
    throw new Error(`Its definition has a fault in ${issue.path.join('.')}: ${issue.message}`);
  return { channel, exports };
}

/** Imports a module, or the package in a folder, and returns what it exports. */
export async function importModule(path: string): Promise<Tree> {
  openEntries();
  const entry = await entryOf(path);
  await checkRange(entry);
  const module: unknown = await import(pathToFileURL(entry).href);
  return { ...(typeof module === 'object' && module) };
}

/** Throws an error that tells the remedy if the package of a module needs another Parley (`peerDependencies.parley`). */
async function checkRange(entry: string): Promise<void> {
  const file = findPackageJSON(pathToFileURL(entry));
  const { name, peerDependencies } = file === undefined ? {} : await manifestOf(dirname(file));
  const range = valueAt(peerDependencies, ['parley']);
  if (typeof range !== 'string') return;
  const version = projectVersion();
  const { satisfies } = await import('semver');
  if (satisfies(version, range, { includePrerelease: true })) return;
  throw new Error(
    `${name} needs Parley ${range}, and this is Parley ${version}. Install a version of ${name} for Parley ${version}, or a Parley in that range.`,
  );
}

async function load(path: string, index: number, { content, environment }: Written): Promise<door.Channel> {
  const { channel } = await importChannel(path);
  tryOut(
    channel,
    { ...content.tree, [channel.name]: valueAt(content.tree, ['channels', index, 'settings']) ?? {} },
    environment,
  );
  return channel;
}

/**
 * Runs the channel's own checks once, to find out whether one of them throws. Faults that the checks report are
 * reported later, with all others.
 */
export function tryOut(channel: door.Channel, written: Tree, environment: door.Environment): void {
  const given = overrides(environment, [channel]);
  const tree = given.reduce<Tree>((all, { path, value }) => withValue(all, path, value), written);
  const schema = channel.schema(environment);
  z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
  const own = tree[channel.name];
  schema.safeParse(own);
  if (isTree(own) && !Array.isArray(channel.faults(own, tree)))
    throw new Error('Its "faults" must return a list.');
}

/** Returns a fault if something else already uses the channel's name or one of its variables. */
export function inUse(
  channel: door.Channel,
  index: number,
  known: readonly door.Channel[],
  tree: Tree,
): Fault | undefined {
  const { name } = channel;
  const path = ['channels', index, 'module'];
  const cure = 'Choose another name in the module, or remove this entry.';
  if ([...known.map((each) => each.name), ...settingNames, ...RESERVED].includes(name)) {
    return { path, what: `defines the channel "${name}", which exists already`, cure };
  }
  const withFile = (each: string) => [each, `${each}_FILE`];
  const used = ['PARLEY_CONFIG', ...variables(known).map((each) => each.name)].flatMap(withFile);
  const twice = Object.keys(channel.variables).find((each) =>
    withFile(each).some((one) => used.includes(one)),
  );
  if (twice !== undefined)
    return { path, what: `uses the variable ${twice}, which another setting already uses`, cure };
  if (!Object.hasOwn(tree, name)) return undefined;
  return {
    path: [name],
    what: 'is not a setting',
    cure: `Write it under channels, in the settings of entry ${index + 1}.`,
  };
}

/** Conditions in `exports` of package.json that apply to an import in Node. */
const CONDITIONS = ['node', 'import', 'module-sync', 'default'];
/** Files that are tried if a folder's package.json names no entry file. */
const USUAL = ['index.js', 'index.mjs'];

/**
 * Returns the path of the file to import. For a folder, that is the entry in `exports` or `main` of its package.json,
 * else its index.js or index.mjs. Throws an error that tells the remedy if there is no such file.
 */
async function entryOf(path: string): Promise<string> {
  if (!(await stat(path).catch(() => undefined))?.isDirectory()) return path;
  const { exports, main } = await manifestOf(path);
  const named = exports === undefined ? main : targetOf(exports);
  const candidates = typeof named === 'string' ? [named] : exports === undefined ? USUAL : [];
  for (const candidate of candidates) {
    const entry = join(path, candidate);
    if (await isFile(entry)) return entry;
  }
  const member = exports === undefined ? 'main' : 'exports';
  if (typeof named === 'string')
    throw new Error(
      `Its package.json names the file "${named}", which does not exist. Build the package, or correct "${member}".`,
    );
  throw new Error(
    `The folder ${path} has no entry. Add index.js, or name the file in "exports" of its package.json.`,
  );
}

async function manifestOf(folder: string): Promise<Tree> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}');
  try {
    const manifest: unknown = JSON.parse(text);
    return isTree(manifest) ? manifest : {};
  } catch (cause) {
    throw new Error(`${join(folder, 'package.json')} is not valid JSON`, { cause });
  }
}

/**
 * Returns the file that `exports` names for the package as a whole. The first condition that applies counts, as in
 * Node.
 */
function targetOf(exports: unknown): unknown {
  if (!isTree(exports)) return exports;
  const isByPath = Object.keys(exports).some((key) => key.startsWith('.'));
  if (isByPath) return targetOf(exports['.']);
  const condition = Object.keys(exports).find((key) => CONDITIONS.includes(key));
  return condition === undefined ? undefined : targetOf(exports[condition]);
}

const isFile = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isFile() ?? false;
