/** Makes the app package for Teams: one ZIP file to upload. Names faults for which Teams would refuse it. */

import { strToU8, zipSync } from 'fflate';
import { BridgeError } from '../../../src/kit.ts';
import type { SingleSignOn, TeamsConfig } from '../config.ts';
import { ASK_ABOUT } from '../ids.ts';
import { NO_ID, type TeamsSettings } from '../settings.ts';

/** Settings and addresses from which the app package is made. */
export type ManifestSettings = Pick<
  TeamsSettings,
  'appId' | 'name' | 'description' | 'developer' | 'prompts' | 'copilot'
> &
  Pick<TeamsConfig, 'allMessages' | 'publicUrl' | 'singleSignOn' | 'targeted'> & {
    /** Version of the app package. Teams accepts a changed package only if its version is higher. */
    readonly version: string;
  };

/**
 * Date of all files in the ZIP, the earliest possible one. It is fixed, so that equal contents give an identical file.
 */
const ZIP_DATE = new Date(1980, 0, 1);

/** Returns the manifest as it is printed, checked in and packed. */
export const manifestText = (settings: ManifestSettings): string =>
  `${JSON.stringify(teamsManifest(settings), undefined, 2)}\n`;

/**
 * Returns the app package: a ZIP of the manifest and its icons.
 * @param icons PNG images: `color` has 192 x 192 pixels; `outline` has 32 x 32 pixels, white on transparent
 * @throws BridgeError `config-invalid` that names every missing value or fault, and its cure
 */
export function teamsPackage(
  settings: ManifestSettings,
  { color, outline }: Record<keyof typeof ICONS, Uint8Array>,
): Uint8Array {
  const manifest = manifestText(settings);
  refuse('The app for Teams is not complete:', missingOf(settings));
  return zipSync(
    { 'manifest.json': strToU8(manifest), [ICONS.color]: color, [ICONS.outline]: outline },
    { mtime: ZIP_DATE, level: 9 },
  );
}

/** Returns the missing values that only an upload needs, such as the app's id. Each entry names its cure. */
export const missingOf = (settings: Pick<ManifestSettings, 'appId' | 'publicUrl'>): readonly string[] =>
  REQUIRED.filter(([name]) => settings[name] === undefined).map(([, said]) => said);

const REQUIRED = [
  ['appId', 'teams.appId is not set. Copy "Microsoft App ID" of the bot into MICROSOFT_APP_ID.'],
  [
    'publicUrl',
    'server.publicUrl is not set. Set PARLEY_PUBLIC_URL to the https address under which Teams reaches the bridge.',
  ],
] as const;

/** Stands in for the bridge's address in a manifest that is only printed, not uploaded. */
const NO_ADDRESS = 'https://parley.example.org';

const VERSION = '1.30';
const ACCENT = '#0B5F54';
export const ICONS = { color: 'color.png', outline: 'outline.png' } as const;

const ABOUT =
  'Write to the app, or mention it in a channel or a chat: an agent answers there, names the sources, and answers follow-up questions in the same conversation. Answers are written by AI, so check important facts.';
/** Microsoft requires that the description explains why the app reads messages that do not mention the app. */
const ABOUT_CONSENT =
  'Where the owners of a team or chat consent, the app reads every message there, so that follow-up questions need no mention and earlier messages are sent along with a question. The app keeps the text of a message only until the message is answered.';

/**
 * Permissions that the owners of a team or chat grant there. With them, the app receives every message, reads earlier
 * messages, and finds its own messages again.
 * https://learn.microsoft.com/microsoftteams/platform/graph-api/rsc/resource-specific-consent
 */
const CONSENT_PERMISSIONS = ['ChannelMessage.Read.Group', 'ChatMessage.Read.Chat'] as const;

function refuse(what: string, faults: readonly string[]): void {
  if (faults.length === 0) return;
  const lines = faults.map((fault) => `  ${fault}`);
  throw new BridgeError('config-invalid', [what, ...lines].join('\n'));
}

/** Returns the app's manifest. @throws BridgeError `config-invalid` that names every fault and its cure */
export function teamsManifest(settings: ManifestSettings): object {
  refuse('Teams would refuse the app:', faultsOf(settings));
  const { appId = NO_ID, name, version, description, allMessages, publicUrl, singleSignOn } = settings;
  const { targeted, copilot, developer } = settings;
  const { website = publicUrl ?? NO_ADDRESS, privacy = website, terms = website } = developer;
  return {
    $schema: `https://developer.microsoft.com/json-schemas/teams/v${VERSION}/MicrosoftTeams.schema.json`,
    manifestVersion: VERSION,
    version,
    id: appId,
    developer: { name: developer.name, websiteUrl: website, privacyUrl: privacy, termsOfUseUrl: terms },
    name: { short: name, full: `${name}: the agents of your organization` },
    description: { short: description, full: allMessages ? `${ABOUT} ${ABOUT_CONSENT}` : ABOUT },
    icons: ICONS,
    accentColor: ACCENT,
    bots: [
      {
        botId: appId,
        scopes: ['personal', 'team', 'groupChat', ...(copilot ? ['copilot'] : [])],
        supportsFiles: true,
        isNotificationOnly: false,
        // Any bot may send targeted messages, but people can send them only to a bot that asks for them.
        // https://learn.microsoft.com/microsoftteams/platform/agents-in-teams/targeted-messages
        ...(targeted && { supportsTargetedMessages: true }),
        commandLists: commandLists(settings),
      },
    ],
    composeExtensions: [{ botId: appId, commands: [ASK_COMMAND] }],
    supportsChannelFeatures: 'tier1',
    ...(copilot && { copilotAgents: { customEngineAgents: [{ id: appId, type: 'bot' }] } }),
    defaultInstallScope: 'personal',
    defaultGroupCapability: { team: 'bot', groupchat: 'bot', meetings: 'bot' },
    permissions: ['identity', 'messageTeamMembers'],
    validDomains: publicUrl === undefined ? [] : [new URL(publicUrl).host],
    ...((allMessages || singleSignOn !== undefined) && {
      webApplicationInfo: webApplicationOf(appId, singleSignOn),
    }),
    ...(allMessages && { authorization: AUTHORIZATION }),
  };
}

/**
 * The command in the menu of each message. Teams asks the bridge for its form.
 * https://learn.microsoft.com/microsoftteams/platform/messaging-extensions/how-to/action-commands/define-action-command
 */
const ASK_COMMAND = {
  id: ASK_ABOUT,
  type: 'action',
  title: 'Ask an agent about this',
  description: 'Ask an agent about this message; only you see the answer',
  context: ['message'],
  fetchTask: true,
};

/** The manifest's entry for the permissions that owners grant. */
const AUTHORIZATION = {
  permissions: { resourceSpecific: CONSENT_PERMISSIONS.map((name) => ({ name, type: 'Application' })) },
};

/**
 * Returns the manifest's entry for the app in Microsoft Entra. For single sign-on, Teams compares the resource in this
 * entry with that of the sign-in card. Without single sign-on, Teams requires a resource, but does not use it.
 * https://learn.microsoft.com/microsoftteams/platform/bots/how-to/authentication/bot-sso-manifest
 */
const webApplicationOf = (appId: string, signOn: ManifestSettings['singleSignOn']): object =>
  signOn === undefined
    ? { id: appId, resource: `api://botid-${appId}` }
    : { id: signOn.application, resource: signOn.resource };

/** Maximum commands that Teams accepts for one scope. A scope is a kind of conversation, such as one-to-one chats. */
const MAX_COMMANDS = 12;

/**
 * Commands that Teams suggests, most useful first. `help` explains those that are left out. In one-to-one chats, the
 * operator's questions come first. The last commands are left out if there are more than `MAX_COMMANDS` entries.
 */
const COMMANDS = commandsOf([
  ['help', 'List the commands'],
  ['agents', 'List the agents'],
  ['new', 'Start a new conversation'],
  ['stop', 'Stop the running answer'],
  ['instead', 'Stop the running answer and ask your waiting question now'],
  ['sources', "Show the last answer's sources again"],
  ['use', 'Choose the agent that answers: use AGENT'],
  ['search', 'Search the documents: search WORDS'],
]);
/** Commands for places in which the app receives every message. They change nothing elsewhere. */
const FOLLOW_UP_COMMANDS = commandsOf([
  ['listen', 'Take every message in this thread as a question'],
  ['quiet', 'Answer in this thread only if I am mentioned'],
]);
const OTHER_COMMANDS = commandsOf([
  ['files', 'List the documents'],
  ['language', 'Choose the language of answers: language CODE, such as de'],
  ['why', 'Show how the last answer was made'],
  ['whoami', 'Show which platform account answers for you'],
]);

function commandsOf(list: readonly (readonly [string, string])[]): readonly object[] {
  return list.map(([title, description]) => ({ title, description }));
}

/**
 * Returns the lists of commands. The operator's questions are offered in one-to-one chats only. With targeted messages,
 * teams and group chats also offer the commands after a slash, where only the person sees the command and its answer.
 * https://learn.microsoft.com/microsoftteams/platform/agents-in-teams/agent-slash-commands
 */
function commandLists({ prompts, targeted, copilot, allMessages }: ManifestSettings): readonly object[] {
  const questions = prompts.map(({ title, message }) => ({ title, type: 'prompt', prompt: message }));
  const followUp = allMessages ? FOLLOW_UP_COMMANDS : [];
  const commands = [...COMMANDS, ...followUp, ...OTHER_COMMANDS].slice(0, MAX_COMMANDS);
  const triggers = targeted && { triggers: ['mention', 'slash'] };
  return [
    {
      scopes: copilot ? ['personal', 'copilot'] : ['personal'],
      commands: [...questions, ...COMMANDS, ...OTHER_COMMANDS].slice(0, MAX_COMMANDS),
    },
    { scopes: ['team'], ...triggers, commands },
    { scopes: ['groupChat'], ...triggers, commands },
  ];
}

/** A version consists of numbers only, because Teams compares versions to find the newer package. */
const NUMBERS = /^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/;

/**
 * Returns each fault for which Teams would refuse the package although each setting keeps its own limits, as a sentence with
 * its cure.
 */
export function faultsOf({ version, publicUrl, singleSignOn }: ManifestSettings): readonly string[] {
  const isHttps = publicUrl === undefined || URL.parse(publicUrl)?.protocol === 'https:';
  return [
    ...(NUMBERS.test(version) ? [] : [`the version is "${version}". Give three numbers, such as 1.0.1.`]),
    ...(isHttps
      ? []
      : [`server.publicUrl is "${publicUrl}". Give an https address: Teams accepts no other.`]),
    ...(singleSignOn === undefined ? [] : signOnFaults(singleSignOn)),
  ];
}

/** Teams gets a token only for a resource that ends with the application's id. */
function signOnFaults({ resource, application }: SingleSignOn): readonly string[] {
  if (resource.toLowerCase().endsWith(application.toLowerCase())) return [];
  return [
    `teams.singleSignOn.resource is "${resource}". Copy the Application ID URI of the app ${application}: it ends with this id, such as api://botid-${application}.`,
  ];
}
