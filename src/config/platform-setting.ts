import { z } from 'zod';
import { type Environment, secretFileSetting, secretSetting } from '../settings/secret.ts';
import { address, numberSetting, switchSetting } from '../settings/values.ts';
import { credentialSettings } from './agent-setting.ts';

/** Matches the name of a JSON field. */
const MEMBER = /^[A-Za-z]\w*$/;

const milliseconds = (fallback: number, what: string) =>
  numberSetting(1, 3_600_000, `${what}, in milliseconds`).default(fallback);

const timeouts = z
  .strictObject({
    connectMs: milliseconds(10_000, 'Time to establish a connection'),
    firstByteMs: milliseconds(120_000, 'Time to the first byte of an answer'),
    idleMs: milliseconds(60_000, 'Longest time between two events of an answer, not counting heartbeats'),
    answerMs: milliseconds(570_000, 'Time for a whole answer'),
    callMs: milliseconds(30_000, 'Time for any other call'),
    uploadMs: milliseconds(300_000, 'Time for an upload'),
  })
  .describe('Time limits of calls to the platform');

const outage = z
  .strictObject({
    keepMinutes: numberSetting(
      0,
      1_440,
      'Minutes for which a question waits while the platform is down; then the question expires. With 0, questions fail immediately while the platform is down',
    ).default(120),
    resumeAtOnce: numberSetting(
      1,
      1_000,
      'Maximum number of questions that are asked at the same time after an outage, until no question waits',
    ).default(10),
    failures: numberSetting(
      1,
      1_000,
      'Number of consecutive failed questions after which the platform counts as down even if it answers probes',
    ).default(3),
  })
  .describe('What happens to questions while the platform is down');

/** The settings of `outage` for a server that has none in the configuration. */
export const DEFAULT_OUTAGE = outage.parse({});

const traceparent = switchSetting(
  'Send the id of the trace to the platform with each request (the header `traceparent`), so that the platform can continue the trace',
);

function toPattern(text: string, context: z.RefinementCtx): RegExp {
  try {
    return new RegExp(text, 'iu');
  } catch {
    context.addIssue({
      code: 'custom',
      message: 'is not a regular expression',
      params: { cure: 'Correct it.' },
    });
    return z.NEVER;
  }
}

/** Returns the settings of the credentials that only `parley platform` uses. */
function commandCredentials(environment: Environment) {
  const secret = (description: string) => secretSetting(environment, description);
  const { clientToken, clientAccount } = credentialSettings(secret);
  return z
    .strictObject({
      apiKey: secret('An API key, for the operations that accept one').optional(),
      lite: clientToken
        .omit({ kind: true })
        .optional()
        .describe("A client (id and secret) of the platform's lite interface"),
      open: clientAccount
        .omit({ kind: true })
        .optional()
        .describe("A client (id and secret) of the platform's Open API"),
      idpTokenFile: secretFileSetting(
        'Path of a file with a token of the identity provider, instead of an Open API client',
      ).optional(),
      adminToken: secret(
        "The administrator's token, with which clients of the lite interface are managed",
      ).optional(),
    })
    .describe('Credentials for `parley platform`; without them, name an agent with `--agent`');
}

/** Settings for the properties in which a deployment differs from the platform's documentation. */
const deployment = {
  idpWord: z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/, 'must be a word')
    .default('idp')
    .describe("Name of the deployment's identity provider in paths and fields"),
  chatAccountField: z
    .strictObject({
      lite: z
        .string()
        .regex(MEMBER, 'must be the name of a field')
        .default('chat_account')
        .describe('Name of the field in the lite interface'),
      open: z
        .string()
        .regex(MEMBER, 'must be the name of a field')
        .default('chatAccount')
        .describe('Name of the field in the Open API'),
    })
    .prefault({})
    .describe('Name of the field that holds the messaging account, if the deployment renamed it'),
  idsIn: z
    .enum(['body', 'query'])
    .default('body')
    .describe('Part of the request that contains the ids when workspaces and types are deleted'),
  enableById: switchSetting('Whether workspace types are enabled and disabled one at a time, by id'),
  getDetailBody: switchSetting('Send an empty JSON object when requesting file details'),
  liteAdminPrefix: z
    .enum(['', '/webapi'])
    .optional()
    .describe(
      'Path prefix of administrative operations in the lite interface; if absent, Parley tries the paths without a prefix, and then with /webapi',
    ),
};

/** Returns the settings of the platform's address and client. */
export const platformSetting = (environment: Environment) =>
  z
    .strictObject({
      baseUrl: address
        .optional()
        .describe('Base address of the agent platform; without it the sandbox is started'),
      allowInsecureHttp: switchSetting(
        'Allow http to another machine; credentials are then sent unencrypted',
      ),
      authScheme: z
        .enum(['auto', 'openapi', 'Bearer'])
        .default('auto')
        .describe("Prefix of the Open API's authorization header; auto: try both"),
      ...deployment,
      credentials: commandCredentials(environment).prefault({}),
      paths: z
        .record(z.string(), z.string().regex(/^\//, 'must begin with a slash'))
        .prefault({})
        .describe('Paths that differ from the documented ones, by operation'),
      authPattern: z
        .string()
        .transform(toPattern)
        .optional()
        .describe(
          'Regular expression for platform messages that mean "sign in again"; replaces the built-in ones',
        ),
      maxUploadBytes: z
        .int()
        .min(1)
        .default(104_857_600)
        .describe('Maximum size of an uploaded file, in bytes'),
      rateLimit: z
        .strictObject({
          perMinute: numberSetting(1, 100_000, 'Maximum requests in a minute'),
          burst: numberSetting(1, 10_000, 'Maximum requests sent at once after a pause').default(10),
          queue: numberSetting(
            0,
            10_000,
            'Maximum number of waiting requests; further requests are refused',
          ).default(100),
        })
        .optional()
        .describe('Rate limit for each credential; if absent, there is none'),
      traceparent,
      locale: z.string().min(2).default('en-US').describe("Language of the platform's own messages (BCP 47)"),
      timeouts: timeouts.prefault({}),
      outage: outage.prefault({}),
    })
    .describe('The agent platform');

/** The checked settings of a platform. */
export type PlatformSettings = Omit<
  z.output<ReturnType<typeof platformSetting>>,
  'baseUrl' | 'authPattern'
> & { readonly baseUrl: string; readonly authPattern?: RegExp };

/** @param name schema of a platform's name */
export const platformsSetting = (environment: Environment, name: z.ZodString) =>
  z
    .record(name, platformSetting(environment))
    .refine((all) => Object.keys(all).length > 0, 'must name at least one platform')
    .describe(
      'Several agent platforms by name, each with the settings of `platform`; the environment variables set those of `main`',
    );

/**
 * Name of the platform that `platform` and the environment variables configure, and that has the accounts of people.
 */
export const MAIN = 'main';

/** Returns the setting with the platform's settings: `platform`, or, if there are several, the entry of `platforms`. */
export const placeOf = (name: string, platforms: object): string =>
  name === MAIN && Object.keys(platforms).length === 1 ? 'platform' : `platforms.${name}`;

/** Returns the name of the platform that runs the agents without the setting `platform`. */
export const defaultPlatform = (names: readonly string[]): string =>
  names.length === 1 ? (names[0] ?? MAIN) : MAIN;
