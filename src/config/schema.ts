import { z } from 'zod';
import type { OWN } from '../core/agents/agent.ts';
import type { Channel } from '../kit/channel.ts';
import { type Environment, secretSetting } from '../settings/secret.ts';
import {
  address,
  atLeast,
  KEY_CHARACTERS,
  numberSetting,
  switchSetting,
  textSetting,
} from '../settings/values.ts';
import { agentSetting } from './agent-setting.ts';
import { databaseSetting, KEY_CURE } from './database-setting.ts';
import { identitySetting } from './identity-setting.ts';
import { type PlatformSettings, platformSetting, platformsSetting } from './platform-setting.ts';
import { FOLLOW_UPS, followUps, roomLine } from './room-setting.ts';

const NAME = /^[a-z0-9][a-z0-9._-]{0,39}$/;
const name = (what: string) =>
  z.string().regex(NAME, 'must be 1 to 40 lower-case letters, digits, dots, dashes').describe(what);
const port = z.int().min(0).max(65_535);

const server = (environment: Environment) =>
  z
    .strictObject({
      host: textSetting(
        'Address to listen on; if it is not a loopback address, the console needs console.token or console.signIn',
      ).default('127.0.0.1'),
      port: port.default(3000).describe('Port to listen on; 0: any free port'),
      publicUrl: address
        .optional()
        .describe('Public address of the bridge, such as that of the proxy in front of it'),
      metricsToken: secretSetting(
        environment,
        'Token that a request to /metrics must send as a bearer token, 16 characters or more; if absent, /metrics is open to everyone who reaches the bridge',
      )
        .superRefine(atLeast(16, 'Make one with `openssl rand -hex 16`.'))
        .optional(),
      sourceHours: numberSetting(
        0,
        24,
        'Hours during which the link of a source in a room opens a page with its passages; after that, the page shows only the link to the document. With 0, links open the document directly. Needs publicUrl',
      ).default(24),
      trustedProxies: z
        .array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]))
        .max(50)
        .default([])
        .describe(
          'Addresses or networks (such as 10.0.0.0/8) of proxies whose X-Forwarded-For header is trusted; if absent, all people behind a proxy count as one address',
        ),
      connectionsPerAddress: numberSetting(
        16,
        5_000,
        'Maximum connections of one address, or of one client behind a trusted proxy; if absent, 2,500 of the 5,000 connections of the server. A lower value stops floods earlier',
      ).optional(),
    })
    .describe('The HTTP server');

const outsideChannel = z
  .strictObject({
    module: textSetting(
      "Path of the channel's JavaScript module or package folder, relative to the folder of this file",
    ),
    settings: z
      .record(z.string(), z.unknown())
      .prefault({})
      .describe("The channel's own settings, defined and checked by the channel"),
  })
  .describe('A channel loaded from a module; its code has all rights of the bridge');

const access = z
  .strictObject({
    guests: switchSetting('Whether guests may ask'),
    external: switchSetting('Whether people of other organizations may ask'),
    bots: switchSetting('Whether other bots may ask'),
  })
  .describe('Who may ask; members always may');

/** Default of `limits.questionsPerMinute`. */
export const QUESTIONS_PER_MINUTE = 20;

const limits = z
  .strictObject({
    questionsPerMinute: z
      .int()
      .min(1)
      .default(QUESTIONS_PER_MINUTE)
      .describe('Maximum questions of a person in a minute'),
    laneWaiting: numberSetting(1, 10_000, 'Maximum questions that wait in one thread').default(50),
    turns: numberSetting(1, 10_000, 'Maximum number of questions that are answered at the same time').default(
      500,
    ),
  })
  .describe('Limits');

const audit = z
  .strictObject({
    sources: z
      .enum(['off', 'ids', 'titles'])
      .default('ids')
      .describe("What a record contains about an answer's sources: nothing, their ids, or also their titles"),
    text: switchSetting('Whether records contain the text of questions and answers'),
  })
  .describe('The audit: one record for each turn and for each act that the rules decide');

const days = (usual: number) => z.int().min(1).max(3_650).default(usual);

const retention = z
  .strictObject({
    auditDays: days(90).describe('Time for which records of the audit are kept, in days'),
    turnDays: days(7).describe('Time for which ended turns are kept, without their text, in days'),
    sessionDays: days(30).describe(
      'Time after which an unused conversation with an agent is forgotten, in days',
    ),
    feedbackDays: days(365).describe('Time for which feedback is kept, in days'),
    fileDays: numberSetting(
      1,
      3_650,
      'Time for which files in the console are kept, in days; if absent, files are kept without a time limit',
    ).optional(),
  })
  .describe('Time until stored data is deleted');

const sandboxSettings = (environment: Environment) =>
  z
    .strictObject({
      port: port.default(3001).describe('Port of the embedded sandbox; 0: any free port'),
      knowledge: textSetting(
        'Folder with the documents that the agent `knowledge` answers from, instead of the included ones',
      ).optional(),
      model: z
        .strictObject({
          baseUrl: address.describe('Address of an OpenAI-compatible interface'),
          key: secretSetting(environment, 'Key of that interface').optional(),
          name: textSetting('Name of the model'),
        })
        .optional()
        .describe(
          'Model that writes the answers of the agent `knowledge`; if absent, they are assembled from the documents',
        ),
    })
    .describe('The local agent platform, which starts if platform.baseUrl is not set');

const log = z
  .strictObject({
    level: z.enum(['debug', 'info', 'warn', 'error']).default('info').describe('Lowest level that is logged'),
    format: z
      .enum(['auto', 'json', 'pretty'])
      .default('auto')
      .describe('auto: pretty on a terminal, JSON elsewhere'),
  })
  .describe('The log');

/**
 * Returns the schema of all settings. Channels check their own settings.
 * @param environment the variables in which `{ env: NAME }` secrets are looked up
 * @param slices the schemas of the channels' settings, by channel name
 */
export function settings(
  environment: Environment,
  channels: readonly Channel[],
  slices: Readonly<Record<string, z.ZodType>> = {},
) {
  const usual = channels.find(({ on }) => on === 'unless-disabled')?.name ?? '';
  return z.strictObject({
    server: server(environment).prefault({}),
    data: textSetting('Folder for all data of the bridge').default('.parley'),
    key: secretSetting(
      environment,
      'Key that encrypts tokens and stored answers, 32 random characters or more; required with database.url; if absent, the bridge makes a key in the data folder',
    )
      .superRefine(atLeast(KEY_CHARACTERS, KEY_CURE))
      .optional(),
    database: databaseSetting(environment).optional(),
    ...slices,
    channels: z.array(outsideChannel).max(20).prefault([]).describe('Channels from outside Parley'),
    platform: platformSetting(environment).prefault({}),
    platforms: platformsSetting(environment, name('Name by which agents name the platform')).optional(),
    agents: z
      .record(name('Name by which people ask the agent'), agentSetting(environment))
      .prefault({})
      .describe('The agents by name; if there are none, the sandbox provides agents'),
    defaultAgent: z
      .string()
      .optional()
      .describe('The agent that answers where no entry of `rooms` names another; if absent, the first agent'),
    rooms: z
      .array(roomLine(usual))
      .max(10_000)
      .prefault([])
      .describe('Agents, accounts and knowledge workspaces of rooms; the first matching entry applies'),
    threads: followUps.default('alone').describe(FOLLOW_UPS),
    rules: textSetting(
      'Path of the rules file, which says who may do what, and where; if absent, the settings `access` and `files` decide',
    ).optional(),
    access: access.prefault({}),
    identity: identitySetting.prefault({}),
    files: z
      .enum(['off', 'upload'])
      .default('off')
      .describe(
        "Documents that people attach to a question: pass only the words of text files on (off), or upload them to the room's knowledge workspace (upload)",
      ),
    limits: limits.prefault({}),
    audit: audit.prefault({}),
    retention: retention.prefault({}),
    sandbox: sandboxSettings(environment).prefault({}),
    log: log.prefault({}),
  });
}

export type Settings = z.output<ReturnType<typeof settings>>;

/** The settings as parley.yaml contains them, without those of channels. */
export type WrittenSettings = z.input<ReturnType<typeof settings>>;

type WrittenAgent = Settings['agents'][string];

/** An agent that runs without a platform. */
export type OwnAgentSettings = Extract<WrittenAgent, { interface: 'openai' | 'function' }> & {
  readonly platform: typeof OWN;
};

/** `platform`: name of the platform that runs the agent. */
export type PlatformAgentSettings = Exclude<WrittenAgent, { interface: 'openai' | 'function' }> & {
  readonly platform: string;
};
export type AgentSettings = OwnAgentSettings | PlatformAgentSettings;
export type CredentialSettings = PlatformAgentSettings['credential'];

/** Returns the credential with which an agent signs in to its platform; undefined if it runs without a platform. */
export const credentialOf = (agent: AgentSettings): CredentialSettings | undefined =>
  'credential' in agent ? agent.credential : undefined;

/** The checked configuration, with all defaults filled in. */
export interface Config extends Omit<Settings, 'platform' | 'platforms' | 'agents' | 'defaultAgent'> {
  /** The platforms by name. The platform of the setting `platform` has the name `main`. */
  readonly platforms: Readonly<Record<string, PlatformSettings>>;
  readonly agents: Readonly<Record<string, AgentSettings>>;
  readonly defaultAgent: string;
}

/** Returns the configuration with changed settings of every platform. */
export const withPlatforms = (
  config: Config,
  change: (settings: PlatformSettings) => Partial<PlatformSettings>,
): Config => ({
  ...config,
  platforms: Object.fromEntries(
    Object.entries(config.platforms).map(([name, each]) => [name, { ...each, ...change(each) }]),
  ),
});

/** Top-level names of the configuration. A channel must not have one of these names. */
export const settingNames: readonly string[] = Object.keys(settings({}, []).shape);

/** Returns the schema of all settings, including those of the channels. */
export function wholeSchema(environment: Environment, channels: readonly Channel[]): z.ZodType {
  const slices = channels.map((channel) => {
    const slice = channel.schema(environment);
    return [channel.name, channel.on === 'unless-disabled' ? slice.prefault({}) : slice.optional()];
  });
  return settings(environment, channels, Object.fromEntries(slices));
}

/** Returns the JSON schema of the configuration file, for editors. */
export function jsonSchema(channels: readonly Channel[]): object {
  const schema = z.toJSONSchema(wholeSchema({}, channels), { io: 'input', target: 'draft-7' });
  return { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Configuration of Parley', ...schema };
}
