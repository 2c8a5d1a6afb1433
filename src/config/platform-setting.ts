import { z } from 'zod';
import { type Environment, secretFileSetting, secretSetting } from '../settings/secret.ts';
import { address } from '../settings/values.ts';
import { credentialSettings } from './agent-setting.ts';

/** Matches the name of a JSON field. */
const MEMBER = /^[A-Za-z]\w*$/;

const milliseconds = (fallback: number, what: string) =>
  z.int().min(1).max(3_600_000).default(fallback).describe(`${what}, in milliseconds`);

const timeouts = z
  .strictObject({
    connectMs: milliseconds(10_000, 'Until a connection is established'),
    firstByteMs: milliseconds(120_000, 'Until the first byte of an answer'),
    idleMs: milliseconds(60_000, 'Longest silence within an answer; heartbeats do not end it'),
    answerMs: milliseconds(570_000, 'A whole answer'),
    callMs: milliseconds(30_000, 'Any other call'),
    uploadMs: milliseconds(300_000, 'An upload'),
  })
  .describe('How long the platform may take');

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

/** Returns the settings of credentials that only `parley platform` uses; chat does not. */
function commandCredentials(environment: Environment) {
  const secret = (description: string) => secretSetting(environment, description);
  const { clientToken, clientAccount } = credentialSettings(secret);
  return z
    .strictObject({
      apiKey: secret('An API key, for the operations that take one').optional(),
      lite: clientToken.omit({ kind: true }).optional().describe('A client of the lite interface'),
      open: clientAccount.omit({ kind: true }).optional().describe('A client of the Open API'),
      idpTokenFile: secretFileSetting(
        'Path of a file with a token of the identity provider, instead of an Open API client',
      ).optional(),
      adminToken: secret("The administrator's token, for the clients of the lite interface").optional(),
    })
    .describe('Credentials for `parley platform`; absent: those of an agent');
}

/** Settings for what differs between a deployment and the platform's documents. */
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
        .regex(MEMBER, 'must be the name of a member')
        .default('chat_account')
        .describe('In the lite interface'),
      open: z
        .string()
        .regex(MEMBER, 'must be the name of a member')
        .default('chatAccount')
        .describe('In the Open API'),
    })
    .prefault({})
    .describe("The deployment's names of the messaging account"),
  idsIn: z
    .enum(['body', 'query'])
    .default('body')
    .describe('Place of the ids in requests that delete workspaces and types'),
  enableById: z.boolean().default(false).describe('Whether workspace types are switched one by one, by id'),
  getDetailBody: z
    .boolean()
    .default(false)
    .describe('Whether file details are asked for with an empty JSON object'),
  liteAdminPrefix: z
    .enum(['', '/webapi'])
    .optional()
    .describe('Path prefix of the lite administration; absent: both are tried'),
};

/** Returns the settings of the platform's address and client. */
export const platformSetting = (environment: Environment) =>
  z
    .strictObject({
      baseUrl: address
        .optional()
        .describe('Base address of the agent platform; without it the sandbox is started'),
      allowInsecureHttp: z
        .boolean()
        .default(false)
        .describe('Allow http to another machine; credentials are then sent unencrypted'),
      authScheme: z
        .enum(['auto', 'openapi', 'Bearer'])
        .default('auto')
        .describe("Prefix of the Open API's authorization header; auto: found out by trying"),
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
          'Regular expression for messages of the platform that mean "sign in again", instead of the usual ones',
        ),
      maxUploadBytes: z.int().min(1).default(104_857_600).describe('Largest file that is uploaded, in bytes'),
      rateLimit: z
        .strictObject({
          perMinute: z.int().min(1).max(100_000).describe('Requests in a minute'),
          burst: z
            .int()
            .min(1)
            .max(10_000)
            .default(10)
            .describe('Requests that may be sent at once after a pause'),
          queue: z
            .int()
            .min(0)
            .max(10_000)
            .default(100)
            .describe('Requests that may wait; one more is refused'),
        })
        .optional()
        .describe('Limit of the requests with one credential; absent: no limit'),
      locale: z.string().min(2).default('en-US').describe("Language of the platform's own words (BCP 47)"),
      timeouts: timeouts.prefault({}),
    })
    .describe('The agent platform');
