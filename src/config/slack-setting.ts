import { z } from 'zod';
import type { Fault } from './faults.ts';
import { type Environment, secretSetting } from './secret-setting.ts';
import { atLeast, KEY_CHARACTERS, slackSecret } from './secret-shape.ts';
import { isTree, type Tree, valueAt } from './tree.ts';
import { address } from './values.ts';

/** Slack's rules for the name of a command: lower case, no space, 32 characters. */
const COMMAND = /^\/[a-z0-9][a-z0-9_-]{0,30}$/;

/** Whoever sees one state can try texts against its signature (HS256), so that a short one is found. */
const STATE_CHARACTERS = 16;
const STATE_CURE = `Set SLACK_STATE_SECRET to ${STATE_CHARACTERS} random characters or more, such as what \`openssl rand -hex 32\` prints.`;

const STREAMS = ['auto', 'always', 'never'] as const;

/** What the app proves itself with, and what Slack proves itself with. */
const credentials = (environment: Environment) => ({
  botToken: secretSetting(environment, 'Bot token (xoxb-…) of the one workspace that is served')
    .superRefine(
      slackSecret({
        kind: 'bot',
        name: 'bot token (xoxb-…)',
        cure: 'Copy the "Bot User OAuth Token" from "OAuth & Permissions" of the app into SLACK_BOT_TOKEN',
      }),
    )
    .optional(),
  signingSecret: secretSetting(
    environment,
    "The app's signing secret, which proves that a request comes from Slack; not needed with Socket Mode alone",
  )
    .superRefine(
      slackSecret({
        name: 'signing secret',
        cure: 'Copy the "Signing Secret" from "Basic Information" of the app into SLACK_SIGNING_SECRET',
      }),
    )
    .optional(),
  appToken: secretSetting(
    environment,
    'App-level token (xapp-…) with connections:write; switches Socket Mode on, which needs no public address',
  )
    .superRefine(
      slackSecret({
        kind: 'app',
        name: 'app-level token (xapp-…)',
        cure: 'Copy the one of "App-Level Tokens" in "Basic Information" of the app into SLACK_APP_TOKEN',
      }),
    )
    .optional(),
  clientId: z
    .string()
    .min(1)
    .optional()
    .describe("The app's client id; lets many workspaces install the app at /slack/install"),
  clientSecret: secretSetting(environment, "The app's client secret").optional(),
  stateSecret: secretSetting(
    environment,
    'Random text of your own, 16 characters or more, that proves that an installation was begun here',
  )
    .superRefine(atLeast(STATE_CHARACTERS, STATE_CURE))
    .optional(),
});

/** Slack is on as soon as one of its settings is set. */
export const slackSetting = (environment: Environment) =>
  z
    .strictObject({
      enabled: z.boolean().default(true).describe('Whether Slack is served; false keeps the other settings'),
      ...credentials(environment),
      apiUrl: address.optional().describe("Where Slack's methods are, for tests; absent: Slack itself"),
      name: z.string().min(1).max(35).default('Parley').describe('Name of the app in Slack'),
      command: z
        .string()
        .regex(COMMAND, 'must begin with a slash, and go on with lower-case letters, digits, - and _')
        .default('/ask')
        .describe('What people type to ask in private'),
      prompts: z
        .array(
          z.strictObject({
            title: z.string().min(1).max(75).describe('What people see'),
            message: z.string().min(1).max(1_000).describe('What is asked when they press it'),
          }),
        )
        .max(4)
        .default([])
        .describe("Questions offered in the app's direct message, four at most; without any, the agents"),
      streaming: z
        .union([z.enum(STREAMS), z.boolean().transform((on) => (on ? 'auto' : 'never'))])
        .prefault('auto')
        .describe(
          "Where answers grow as Slack's native streams. auto: in direct messages and the agent view; always: in channels too, where only the asker sees them grow; never: nowhere. Elsewhere they grow by edits. true means auto, false means never",
        ),
      agentNames: z
        .boolean()
        .default(false)
        .describe(
          "Whether answers carry their agent's name and icon in place of the app's; the app then asks for the scope chat:write.customize",
        ),
      footer: z.boolean().default(true).describe('Whether answers say that they were made by AI'),
    })
    .describe('Slack');

const VARIABLES: Readonly<Record<string, string>> = {
  botToken: 'SLACK_BOT_TOKEN',
  signingSecret: 'SLACK_SIGNING_SECRET',
  clientId: 'SLACK_CLIENT_ID',
  clientSecret: 'SLACK_CLIENT_SECRET',
  stateSecret: 'SLACK_STATE_SECRET',
};

/** What of Slack's settings does not fit together. Works on unchecked trees. */
export function slackFaults(tree: Tree): readonly Fault[] {
  const { slack } = tree;
  if (!isTree(slack) || slack.enabled === false) return [];
  const missing = (name: string, cure: string): Fault => ({
    setting: `slack.${name}`,
    path: ['slack', name],
    what: 'is missing',
    cure: `${cure} (${VARIABLES[name]}).`,
  });
  const proof =
    slack.signingSecret === undefined && slack.appToken === undefined
      ? [
          missing(
            'signingSecret',
            'Copy it from "Basic Information" of the app; or use Socket Mode instead, with an app-level token in SLACK_APP_TOKEN',
          ),
        ]
      : [];
  const many = [slack.clientId, slack.clientSecret, slack.stateSecret].some((each) => each !== undefined);
  if (!many) {
    const token =
      slack.botToken === undefined ? [missing('botToken', 'Copy it from "OAuth & Permissions"')] : [];
    return [...token, ...proof];
  }
  return [...proof, ...installFaults(tree, slack, missing)];
}

/** Installations hold tokens of other people's workspaces, so that they are kept only under a key of the operator's. */
function installFaults(
  tree: Tree,
  slack: Tree,
  missing: (name: string, cure: string) => Fault,
): readonly Fault[] {
  const parts = [
    ['clientId', 'Copy it from "Basic Information" of the app'],
    ['clientSecret', 'Copy it from "Basic Information" of the app'],
    ['stateSecret', `Set it to ${STATE_CHARACTERS} random characters or more`],
  ] as const;
  const absent = parts
    .filter(([name]) => slack[name] === undefined)
    .map(([name, cure]) => missing(name, cure));
  const both: readonly Fault[] =
    slack.botToken === undefined
      ? []
      : [
          {
            setting: 'slack.botToken',
            path: ['slack', 'botToken'],
            what: 'is set beside slack.clientId',
            cure: 'Keep SLACK_BOT_TOKEN for one workspace, or SLACK_CLIENT_ID for many.',
          },
        ];
  return [...absent, ...both, ...keyFaults(tree)];
}

function keyFaults(tree: Tree): readonly Fault[] {
  const faults: Fault[] = [];
  if (valueAt(tree, ['key']) === undefined) {
    const cure = `Set PARLEY_KEY to ${KEY_CHARACTERS} random characters or more: the tokens of workspaces are encrypted with it.`;
    faults.push({ setting: 'key', path: ['key'], what: 'is missing', cure });
  }
  const path = ['server', 'publicUrl'];
  if (valueAt(tree, path) === undefined) {
    const cure = 'Set PARLEY_PUBLIC_URL: Slack sends browsers back to it after an installation.';
    faults.push({ setting: 'server.publicUrl', path, what: 'is missing', cure });
  }
  return faults;
}
