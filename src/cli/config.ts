import { readsDocuments } from '../bridge/library.ts';
import { faultsIn } from '../config/faults.ts';
import type { Loaded } from '../config/load.ts';
import { MAIN, placeOf } from '../config/platform-setting.ts';
import { jsonSchema } from '../config/schema.ts';
import { asBridgeError, exitCode } from '../errors.ts';
import { announced, brokenLine, type CommandDeps, loadSettings } from './channels.ts';
import { jsonText } from './print.ts';

interface CheckOptions {
  readonly json?: true;
  readonly config?: string;
}

/**
 * Prints a summary of the configuration. If the configuration has faults, throws the error that names them; with
 * `json`, prints them.
 */
export async function checkConfig({ json, config: name }: CheckOptions, deps: CommandDeps): Promise<number> {
  if (json) return checkAsJson(name, deps);
  const loaded = await loadSettings(deps, name);
  const { config, embedded, file } = loaded;
  const names = Object.keys(config.agents);
  const platforms = Object.entries(config.platforms);
  const state = loaded.broken.length === 0 ? 'is valid' : 'names channels that cannot be loaded';
  console.log(`The configuration ${state} (${file ?? 'no file, only variables and defaults'}).`);
  if (embedded) console.log(`Platform: the embedded sandbox, port ${config.sandbox.port}`);
  else for (const [name, { baseUrl }] of platforms) console.log(`Platform ${name}: ${baseUrl}`);
  console.log(
    `Agents: ${names.join(', ')}; ${config.defaultAgent} answers where no entry of "rooms" names another agent.`,
  );
  for (const [name] of platforms) {
    if (!readsDocuments(config, name))
      console.log(
        `Documents of platform ${name}: ${NO_DOCUMENTS} ${placeOf(name, config.platforms)}.credentials.open.`,
      );
  }
  console.log(`Rules: ${rulesLine(loaded)}.`);
  console.log(`Accounts: ${accountsLine(loaded)}.`);
  for (const { title, line } of announced(loaded)) console.log(`${title}: ${line}.`);
  for (const each of loaded.broken) console.error(brokenLine(each));
  return loaded.broken.length === 0 ? 0 : exitCode('config-invalid');
}

/** Said if only the lite interface is configured: no operation of it lists, searches or deletes documents. */
const NO_DOCUMENTS =
  'not possible without a client of the Open API. `search`, `files`, `undo`, *Correct* and uploads (`files: upload`) need';

/** Prints one object. Its property names must not change. */
async function checkAsJson(name: string | undefined, deps: CommandDeps): Promise<number> {
  try {
    const loaded = await loadSettings(deps, name);
    const { config, embedded, file = null } = loaded;
    const ok = loaded.broken.length === 0;
    const { defaultAgent, agents } = config;
    const platforms = Object.fromEntries(
      Object.entries(embedded ? {} : config.platforms).map(([name, { baseUrl }]) => [name, baseUrl]),
    );
    const platform = platforms[MAIN] ?? null;
    const channels = announced(loaded);
    const faults = loaded.broken.map((each) => ({ place: each.module, what: brokenLine(each) }));
    console.log(
      jsonText({
        ok,
        file,
        platform,
        platforms,
        agents: Object.keys(agents),
        defaultAgent,
        channels,
        faults,
      }),
    );
    return ok ? 0 : exitCode('config-invalid');
  } catch (thrown) {
    const error = asBridgeError(thrown);
    const faults = faultsIn(error).map(({ place, path, what, cure }) => ({
      place,
      setting: path.join('.'),
      what,
      cure,
    }));
    if (faults.length === 0) throw thrown;
    console.log(jsonText({ ok: false, faults }));
    return exitCode(error.code);
  }
}

function rulesLine({ rulesFile, rules: { set } }: Loaded): string {
  if (rulesFile === undefined) return 'none; the settings `access` and `files` decide who may do what';
  return `${set.rules.length} rules and ${set.quotas.length} quotas in ${rulesFile.name}`;
}

function accountsLine({ accountsFile, config: { identity } }: Loaded): string {
  const table = `${identity.table.length} in identity.table`;
  return accountsFile === undefined ? table : `${table}, ${accountsFile.first.count} in ${accountsFile.name}`;
}

export async function printSchema(_options: object, deps: CommandDeps): Promise<number> {
  console.log(JSON.stringify(jsonSchema(await deps.channels()), undefined, 2));
  return 0;
}
