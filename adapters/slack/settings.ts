/** Slack's settings in the configuration, and checks of their combinations. */

import { z } from 'zod';
import type { Fault, Tree } from '../../src/kit/ladder.ts';
import {
  address,
  atLeast,
  type Environment,
  enabledSetting,
  promptsSetting,
  secretSetting,
  switchSetting,
  valueAt,
} from '../../src/kit.ts';

/** Slack's rules for a command's name: lower case, no spaces, at most 32 characters. */
const COMMAND = /^\/[a-z0-9][a-z0-9_-]{0,30}$/;

/**
 * Minimum characters of the secret that signs the OAuth state (HS256). A shorter secret can be guessed from one signed
 * state.
 */
const STATE_CHARACTERS = 16;
const STATE_CURE = `Set SLACK_STATE_SECRET to ${STATE_CHARACTERS} random characters or more, such as the output of \`openssl rand -hex 32\`.`;

const STREAMS = ['auto', 'always', 'never'] as const;

/**
 * Kinds of tokens (Slack's page "Tokens"). With token rotation, tokens begin with `xoxe.`. The first kind that matches
 * applies. `variable` names the environment variable that should contain a token of this kind.
 */
const TOKENS: readonly { beginning: RegExp; name: string; variable?: string }[] = [
  { beginning: /^(?:xoxe\.)?xoxb-/, name: 'a bot token (xoxb-…)', variable: 'SLACK_BOT_TOKEN' },
  { beginning: /^xapp-/, name: 'an app-level token (xapp-…)', variable: 'SLACK_APP_TOKEN' },
  { beginning: /^(?:xoxe\.)?xoxp-/, name: "a person's token (xoxp-…)" },
  { beginning: /^xoxe-/, name: 'a refresh token (xoxe-…)' },
  { beginning: /^xox[a-z]?[-.]/, name: 'another kind of Slack token' },
];

/**
 * Refuses a value that is clearly another kind of Slack token. Any other value is sent to Slack, which accepts or
 * refuses it.
 * @param place where Slack's settings show the right value
 */
const slackSecret = (
  setting: ReturnType<typeof secretSetting>,
  variable: string,
  name: string,
  place: string,
) =>
  setting
    .superRefine((secret, context) => {
      const found = TOKENS.find(({ beginning }) => beginning.test(secret.reveal()));
      if (found === undefined || found.variable === variable) return;
      const hint = found.variable === undefined ? '' : ` This one belongs in ${found.variable}.`;
      const cure = `Copy ${place} of the app into ${variable}.${hint}`;
      context.addIssue({ code: 'custom', message: `holds ${found.name}, not the ${name}`, params: { cure } });
    })
    .optional();

/** The app's credentials, and the secrets that authenticate Slack's requests. */
const credentials = (environment: Environment) => ({
  botToken: slackSecret(
    secretSetting(environment, 'Bot token (xoxb-…) of the one workspace that is served'),
    'SLACK_BOT_TOKEN',
    'bot token (xoxb-…)',
    'the "Bot User OAuth Token" from "OAuth & Permissions"',
  ),
  signingSecret: slackSecret(
    secretSetting(
      environment,
      "The app's signing secret, which proves that a request comes from Slack; not needed if the app uses only Socket Mode",
    ),
    'SLACK_SIGNING_SECRET',
    'signing secret',
    'the "Signing Secret" from "Basic Information"',
  ),
  appToken: slackSecret(
    secretSetting(
      environment,
      'App-level token (xapp-…) with connections:write; switches Socket Mode on, which needs no public address',
    ),
    'SLACK_APP_TOKEN',
    'app-level token (xapp-…)',
    'the token under "App-Level Tokens" in "Basic Information"',
  ),
  clientId: z
    .string()
    .min(1)
    .optional()
    .describe("The app's client id; lets many workspaces install the app at /slack/install"),
  clientSecret: secretSetting(environment, "The app's client secret").optional(),
  stateSecret: secretSetting(
    environment,
    'Random text of at least 16 characters; proves that this bridge started the installation',
  )
    .superRefine(atLeast(STATE_CHARACTERS, STATE_CURE))
    .optional(),
});

export const slackSettings = (environment: Environment) =>
  z
    .strictObject({
      enabled: enabledSetting('Slack'),
      ...credentials(environment),
      apiUrl: address.optional().describe("Address of Slack's API, for tests; if absent, Slack itself"),
      name: z.string().min(1).max(35).default('Parley').describe('Name of the app in Slack'),
      command: z
        .string()
        .regex(COMMAND, 'must be a slash, then lower-case letters, digits, - and _')
        .default('/ask')
        .describe('Command that people type to ask in private'),
      prompts: promptsSetting(
        4,
        75,
        "Questions offered in the app's direct message, four at most; if none are set, the agents are offered",
      ),
      streaming: z
        .union([z.enum(STREAMS), z.boolean().transform((on) => (on ? 'auto' : 'never'))])
        .prefault('auto')
        .describe(
          "Where answers grow as Slack's native streams. auto: in direct messages and the agent view; always: in channels too, where only the asker sees them grow; never: not at all. Without a stream, the bridge edits the message. true means auto, false means never",
        ),
      agentNames: switchSetting(
        "Whether answers carry their agent's name and icon instead of the app's; the app then needs the scope chat:write.customize",
      ),
      linkBySignIn: switchSetting(
        'Whether people who have signed in to the console can connect themselves to their platform account by signing in to Slack too; needs clientId, clientSecret, server.publicUrl and identity.linkDays',
      ),
      footer: switchSetting('Whether answers say that they were written by AI', true),
    })
    .describe('Slack');

export type SlackSettings = z.output<ReturnType<typeof slackSettings>>;

export const slackVariables = {
  SLACK_BOT_TOKEN: { setting: 'botToken', kind: 'secret' },
  SLACK_SIGNING_SECRET: { setting: 'signingSecret', kind: 'secret' },
  SLACK_APP_TOKEN: { setting: 'appToken', kind: 'secret' },
  SLACK_CLIENT_ID: { setting: 'clientId', kind: 'text' },
  SLACK_CLIENT_SECRET: { setting: 'clientSecret', kind: 'secret' },
  SLACK_STATE_SECRET: { setting: 'stateSecret', kind: 'secret' },
  SLACK_API_URL: { setting: 'apiUrl', kind: 'text' },
} as const;

const BASIC = 'Copy it from "Basic Information" of the app';

/** Settings that may be missing, with their cures. */
const CURES = {
  botToken: 'Copy it from "OAuth & Permissions"',
  signingSecret: `${BASIC}; or use Socket Mode instead, with an app-level token in SLACK_APP_TOKEN`,
  clientId: BASIC,
  clientSecret: BASIC,
  stateSecret: `Set it to ${STATE_CHARACTERS} random characters or more`,
} as const;

function missing(name: keyof typeof CURES): Fault {
  const [variable] = Object.entries(slackVariables).find(([, { setting }]) => setting === name) ?? [];
  return { path: ['slack', name], what: 'is missing', cure: `${CURES[name]} (${variable}).` };
}

/** Settings that only installation by other workspaces needs. */
const INSTALL = ['clientId', 'clientSecret', 'stateSecret'] as const;

/** Settings outside Slack's own. The tokens of workspaces that install the app are stored encrypted. */
const KEY = [
  ['key'],
  'Set PARLEY_KEY, for example to the output of `openssl rand -hex 32`: the tokens of workspaces are encrypted with it.',
] as const;
const ADDRESS = [
  ['server', 'publicUrl'],
  'Set PARLEY_PUBLIC_URL: Slack sends browsers back to it after an installation or a sign-in.',
] as const;
const LINK_DAYS = [
  ['identity', 'linkDays'],
  'Set it to the number of days that a link lasts, or remove slack.linkBySignIn.',
] as const;

/** Requires a signing secret or Socket Mode: without either, the bridge would have to accept requests from anyone. */
export function slackFaults(slack: Tree, whole: Tree): readonly Fault[] {
  const isLinking = slack.linkBySignIn === true;
  // With a bot token, the client id and the client secret serve only the sign-in.
  const own = isLinking && slack.botToken !== undefined ? (['stateSecret'] as const) : INSTALL;
  const isInstalled = own.some((name) => slack[name] !== undefined);
  const needed = new Set([
    ...(isInstalled ? INSTALL : (['botToken'] as const)),
    ...(slack.appToken === undefined ? (['signingSecret'] as const) : []),
    ...(isLinking ? (['clientId', 'clientSecret'] as const) : []),
  ]);
  const others = new Set([
    ...(isInstalled ? [KEY, ADDRESS] : []),
    ...(isLinking ? [ADDRESS, LINK_DAYS] : []),
  ]);
  const both: Fault = {
    path: ['slack', 'botToken'],
    what: 'is set together with slack.clientId',
    cure: 'Keep SLACK_BOT_TOKEN for one workspace, or SLACK_CLIENT_ID for many.',
  };
  return [
    ...[...needed].filter((name) => slack[name] === undefined).map(missing),
    ...(isInstalled && slack.botToken !== undefined ? [both] : []),
    ...[...others]
      .filter(([path]) => valueAt(whole, path) === undefined)
      .map(([path, cure]) => ({ path, what: 'is missing', cure })),
  ];
}
