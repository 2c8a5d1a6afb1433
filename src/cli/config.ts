import { jsonSchema } from '../config/schema.ts';
import { exitCode } from '../errors.ts';
import { announced, brokenLine, type CommandDeps, loadSettings } from './channels.ts';

/** Prints a summary of the configuration. If the configuration has faults, throws the error that names them. */
export async function checkConfig(options: { readonly config?: string }, deps: CommandDeps): Promise<number> {
  const loaded = await loadSettings(deps, options.config);
  const { config, embedded, file } = loaded;
  const names = Object.keys(config.agents);
  const state = loaded.broken.length === 0 ? 'is valid' : 'names channels that cannot be loaded';
  console.log(`The configuration ${state} (${file ?? 'no file, only variables and defaults'}).`);
  console.log(
    `Platform: ${embedded ? `the embedded sandbox, port ${config.sandbox.port}` : config.platform.baseUrl}`,
  );
  console.log(
    `Agents: ${names.join(', ')}; ${config.defaultAgent} answers where no rule names another agent.`,
  );
  for (const { title, line } of announced(loaded)) console.log(`${title}: ${line}.`);
  for (const each of loaded.broken) console.error(brokenLine(each));
  return loaded.broken.length === 0 ? 0 : exitCode('config-invalid');
}

export async function printSchema(deps: CommandDeps): Promise<number> {
  console.log(JSON.stringify(jsonSchema(await deps.channels()), undefined, 2));
  return 0;
}
