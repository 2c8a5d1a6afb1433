import { loadConfig } from '../config/load.ts';
import { jsonSchema } from '../config/schema.ts';
import { embeddedSettings } from './embedded.ts';
import { slackLine } from './slack-settings.ts';
import { teamsLine } from './teams-settings.ts';

/** Every fault comes as the error of loading; without one, what counts is said. */
export async function checkConfig(options: { readonly config?: string }): Promise<number> {
  const { config, embedded, file } = loadConfig({
    sandbox: embeddedSettings(),
    ...(options.config !== undefined && { file: options.config }),
  });
  const names = Object.keys(config.agents);
  console.log(`The configuration is good (${file ?? 'no file, environment and defaults'}).`);
  console.log(
    `Platform: ${embedded ? `the embedded sandbox, port ${config.sandbox.port}` : config.platform.baseUrl}`,
  );
  console.log(`Agents: ${names.join(', ')}; ${config.defaultAgent} answers where no rule says otherwise.`);
  console.log(`Slack: ${slackLine(config)}.`);
  console.log(`Teams: ${teamsLine(config)}.`);
  return 0;
}

export async function printSchema(): Promise<number> {
  console.log(JSON.stringify(jsonSchema(), undefined, 2));
  return 0;
}
