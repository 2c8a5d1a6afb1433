import { existsSync } from 'node:fs';
import { overrides, processEnvironment } from './environment.ts';
import { configError, type Fault, type PlacedFault } from './faults.ts';
import { noFile, readConfigFile } from './file.ts';
import { isLoopback } from './loopback.ts';
import { crossFaults, hasNoAgents } from './rules.ts';
import { type Config, type Settings, settings } from './schema.ts';
import { schemaFaults } from './schema-faults.ts';
import type { Environment } from './secret-setting.ts';
import { type Tree, valueAt, withValue } from './tree.ts';

/** The file that is read when PARLEY_CONFIG names none, where it exists. */
const USUAL_FILE = 'parley.yaml';

export interface LoadOptions {
  /** The environment; the process's own by default. */
  readonly environment?: Environment;
  /** The configuration file; by default PARLEY_CONFIG, else parley.yaml where it exists. */
  readonly file?: string;
  /** Settings (agents, identity) of the sandbox, used where no agent is configured. */
  readonly sandbox?: Tree;
}

export interface Loaded {
  readonly config: Config;
  /** Whether the sandbox is to be started, because no platform is configured. */
  readonly embedded: boolean;
  /** The file that was read. */
  readonly file?: string;
}

/**
 * Reads the file and the environment.
 * @throws BridgeError `config-invalid` or `console-token-missing` that names all faults with place and cure
 */
export function loadConfig(options: LoadOptions = {}): Loaded {
  const environment = options.environment ?? processEnvironment();
  const file = fileName(options.file ?? environment.PARLEY_CONFIG);
  const written = file === undefined ? noFile : readConfigFile(file);
  const given = overrides(environment);
  const merged = given.reduce<Tree>((tree, { path, value }) => withValue(tree, path, value), written.tree);
  const tree = usesSandbox(merged) ? withSandbox(merged, options.sandbox ?? {}) : merged;

  const variableOf = (fault: Fault) =>
    given.find(({ path }) => path.every((key, index) => fault.path[index] === key))?.name;
  const place = (fault: Fault): PlacedFault => ({
    ...fault,
    place: variableOf(fault) ?? written.placeOf(fault.path),
  });
  const schema = settings(environment);
  const checked = schema.safeParse(tree);
  const found = checked.success ? [] : schemaFaults(schema, tree);
  const faults = [...found, ...crossFaults(tree, !hasNoAgents(merged))];
  if (written.faults.length > 0) {
    const others = faults.filter((fault) => variableOf(fault) !== undefined);
    throw configError([...written.faults, ...others.map(place)]);
  }
  if (!checked.success || faults.length > 0) throw configError(faults.map(place));
  const embedded = checked.data.platform.baseUrl === undefined;
  return { config: complete(checked.data), embedded, ...(file === undefined ? {} : { file }) };
}

function complete({ platform, ...settings }: Settings): Config {
  const { baseUrl = `http://127.0.0.1:${settings.sandbox.port}`, authPattern, ...others } = platform;
  return {
    ...settings,
    platform: { ...others, baseUrl, ...(authPattern !== undefined && { authPattern }) },
    defaultAgent: settings.defaultAgent ?? Object.keys(settings.agents)[0] ?? '',
  };
}

function fileName(named: string | undefined): string | undefined {
  if (named !== undefined && named.trim() !== '') return named;
  return existsSync(USUAL_FILE) ? USUAL_FILE : undefined;
}

/** Where no agent is configured: without a platform, or with one on this machine (a sandbox started by hand). */
function usesSandbox(tree: Tree): boolean {
  if (!hasNoAgents(tree)) return false;
  const address = valueAt(tree, ['platform', 'baseUrl']);
  const url = typeof address === 'string' ? URL.parse(address) : null;
  return address === undefined || (url !== null && isLoopback(url.hostname));
}

/** The sandbox's settings under those that were written. */
function withSandbox(tree: Tree, sandbox: Tree): Tree {
  return { ...sandbox, ...tree, agents: sandbox.agents ?? {} };
}
