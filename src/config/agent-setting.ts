import { z } from 'zod';
import { HISTORY_LENGTH } from '../core/agents/history.ts';
import { type Environment, secretFileSetting, secretSetting } from '../settings/secret.ts';
import { address, numberSetting, switchSetting, textSetting } from '../settings/values.ts';

type SecretSetting = (description: string) => ReturnType<typeof secretSetting>;

/** Returns the settings of the credentials with which an agent signs in. */
export function credentialSettings(secret: SecretSetting) {
  const apiKey = z
    .strictObject({
      kind: z.literal('api-key'),
      key: secret(
        "The agent's API key. The console of the agent platform shows it once, when the key is created",
      ),
      expiresAt: z.iso
        .datetime({
          offset: true,
          error: 'must be a date and time with its zone, such as 2027-01-31T00:00:00Z',
        })
        .optional()
        .describe('When the key expires; the log and `doctor` warn two weeks before'),
    })
    .describe('An API key. Each key belongs to one agent');
  const clientToken = z
    .strictObject({
      kind: z.literal('client-token'),
      clientId: textSetting('Id of the client'),
      clientSecret: secret('Secret of the client'),
      username: textSetting('The platform user that the token represents'),
    })
    .describe(
      "A client (id and secret) of the platform's lite interface, which gets a token for a platform user",
    );
  const clientAccount = z
    .strictObject({
      kind: z.literal('client-account'),
      client: textSetting("Id of the client, from the platform's client management"),
      secret: secret('Secret of the client'),
      account: textSetting('The service account, used for people without an entry in identity.table'),
    })
    .describe("A client (id and secret) of the platform's Open API, which signs in as a platform account");
  const idp = z
    .strictObject({
      kind: z.literal('idp'),
      tokenFile: secretFileSetting(
        'Path of the file that contains the token; the file is read again when it changes',
      ),
    })
    .describe('A token of the identity provider, from a file that another program keeps up to date');
  const open = openCredential(clientAccount, idp);
  const media = z
    .discriminatedUnion('kind', [clientToken, clientAccount])
    .describe('Credential that opens images and files of answers, because an API key cannot open them');
  return { apiKey, clientToken, clientAccount, open, media };
}

/**
 * Returns the setting of a credential for the Open API. With the kinds `client` and `token`, one credential serves all
 * people. With the kind `asker`, each person uses their own token.
 */
function openCredential<
  Client extends z.core.$ZodTypeDiscriminable,
  Token extends z.core.$ZodTypeDiscriminable,
>(client: Client, token: Token) {
  const asker = z
    .strictObject({
      kind: z.literal('asker'),
      elsewhere: z
        .discriminatedUnion('kind', [client, token])
        .optional()
        .describe(
          'Credential for rooms, and for channels without single sign-on; if absent, the agent answers only where a person can sign in',
        ),
    })
    .describe(
      "The asker's own token of the identity provider, in private chats of a channel with single sign-on",
    );
  return z.discriminatedUnion('kind', [client, token, asker]).describe('How the bridge signs in');
}

/** Matches an emoji's name between colons, as in Slack. */
const EMOJI = /^:[a-z0-9_+'-]{1,100}:$/;

const icon = z
  .union([z.string().regex(EMOJI), z.url({ protocol: /^https$/ })], {
    error: 'must be an emoji such as :books:, or an https address of an image',
  })
  .optional()
  .describe(
    'Icon of the agent in Slack, shown if slack.agentNames is on: an emoji such as :books:, or the https address of an image',
  );

const workspace = textSetting(
  "Name of the knowledge workspace that receives corrected answers of the agent; if absent, the room's workspace",
).optional();

const platform = textSetting(
  "Name of the agent's platform in `platforms`; if absent, `main`, or the only platform",
).optional();

const description = z
  .string()
  .min(1)
  .max(200)
  .default('An agent of the platform')
  .describe('One line that tells people what the agent does');

const group = z
  .string()
  .min(1)
  .max(40)
  .optional()
  .describe('Heading of a group below which the console lists the agent; if absent, above all groups');

const questions = z
  .array(z.string().min(1).max(200))
  .max(5)
  .optional()
  .describe('Questions that the console offers as buttons in an empty room or conversation');

/** Ids of files or knowledge workspaces, as the platform's lite interface takes them. */
export const ids = z.array(z.string().min(1)).min(1).max(100);

/** Returns the settings of one agent, including its chat interface and credential. */
export function agentSetting(environment: Environment) {
  const secret: SecretSetting = (description) => secretSetting(environment, description);
  const { apiKey, clientToken, open, media } = credentialSettings(secret);
  const card = { description, icon, group, questions };
  const common = { ...card, workspace, platform };
  const lite = {
    showToolResult: switchSetting('Request tool results, which contain the sources', true),
    skipHint: switchSetting("Skip the platform's prompt about personal data"),
    seesImages: switchSetting('Whether the agent accepts images', true),
    fileIds: ids.optional().describe('Limit the agent to files with these ids'),
    workspaceIds: ids.optional().describe('Limit the agent to knowledge workspaces with these ids'),
  };
  return z
    .discriminatedUnion('interface', [
      z.strictObject({
        interface: z.literal('open'),
        ...common,
        expertCode: textSetting("The agent's code"),
        credential: open,
        chatLanguage: z
          .string()
          .min(2)
          .optional()
          .describe('Language of the answers (BCP 47); if absent, the agent decides'),
        includeThought: switchSetting("Request the agent's thoughts, which are shown as steps", true),
      }),
      z.strictObject({
        interface: z.literal('lite-key'),
        ...common,
        credential: apiKey,
        mediaCredential: media.optional(),
        ...lite,
      }),
      z.strictObject({
        interface: z.literal('lite-token'),
        ...common,
        agentId: textSetting("The agent's uuid, from the address of its page on the platform"),
        credential: clientToken,
        imageKey: secret('An API key for image uploads, if the platform requires one').optional(),
        legacyImageUpload: switchSetting(
          "Upload images with the platform's older operation, whose path contains the agent's id",
        ),
        ...lite,
      }),
      z.strictObject({ interface: z.literal('openai'), ...card, ...openaiSettings(secret) }),
      z.strictObject({ interface: z.literal('function'), ...card }),
    ])
    .describe('An agent: its chat interface and credential');
}

/** Returns the settings of an agent that a language model answers. */
function openaiSettings(secret: SecretSetting) {
  return {
    baseUrl: address.describe(
      "Address of the server's OpenAI-compatible interface, which usually ends with /v1",
    ),
    model: textSetting('Name of the model'),
    key: secret('Key of that interface; if absent, none is sent').optional(),
    system: z
      .string()
      .min(1)
      .max(50_000)
      .optional()
      .describe('What the model is told before every question, such as how to answer'),
    temperature: z
      .number()
      .min(0)
      .max(2)
      .optional()
      .describe("How varied the answers are; if absent, the server's usual value"),
    seesImages: switchSetting('Whether the model accepts images', true),
    historyChars: numberSetting(
      0,
      HISTORY_LENGTH,
      'Maximum characters of earlier questions and answers of the thread that the model gets; 0: none',
    ).default(HISTORY_LENGTH),
    allowInsecureHttp: switchSetting(
      'Allow http to another machine; questions and the key are then sent unencrypted',
    ),
  };
}
