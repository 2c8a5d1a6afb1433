import { z } from 'zod';
import { type Environment, secretFileSetting, secretSetting } from '../settings/secret.ts';

type SecretSetting = (description: string) => ReturnType<typeof secretSetting>;

/** Returns the settings of the credentials with which an agent signs in. */
export function credentialSettings(secret: SecretSetting) {
  const apiKey = z
    .strictObject({
      kind: z.literal('api-key'),
      key: secret("The key of the agent's key channel"),
      expiresAt: z.iso
        .datetime({
          offset: true,
          error: 'must be a date and time with its zone, such as 2027-01-31T00:00:00Z',
        })
        .optional()
        .describe('When the key expires, so that the log and `doctor` can warn two weeks before'),
    })
    .describe('An API key; it decides which agent answers');
  const clientToken = z
    .strictObject({
      kind: z.literal('client-token'),
      clientId: z.string().min(1).describe('Client id'),
      clientSecret: secret('Client secret'),
      username: z.string().min(1).describe('The associated user of the platform'),
    })
    .describe('A lite client that gets a bearer token for a user');
  const clientAccount = z
    .strictObject({
      kind: z.literal('client-account'),
      client: z.string().min(1).describe("Client id, from the platform's client management"),
      secret: secret('Client secret'),
      account: z
        .string()
        .min(1)
        .describe('The service account, used for people without a line in identity.table'),
    })
    .describe('An Open API client that signs in as an account');
  const idp = z
    .strictObject({
      kind: z.literal('idp'),
      tokenFile: secretFileSetting('Path of the file that holds the token; read again when it changes'),
    })
    .describe('A token of the identity provider, in a file that another program renews');
  const media = z
    .discriminatedUnion('kind', [clientToken, clientAccount])
    .describe('Signs in to open images and files of answers, for agents that have only an API key');
  return { apiKey, clientToken, clientAccount, idp, media };
}

/** Matches an emoji's name between colons, as in Slack. */
const EMOJI = /^:[a-z0-9_+'-]{1,100}:$/;

const icon = z
  .union([z.string().regex(EMOJI), z.url({ protocol: /^https$/ })], {
    error: 'must be an emoji such as :books:, or an https address of an image',
  })
  .optional()
  .describe(
    'Icon of its answers in Slack, with slack.agentNames: an emoji such as :books:, or the https address of an image',
  );

const ids = z.array(z.string().min(1)).min(1).max(100);

/** Returns the settings of one agent, including its chat interface and credential. */
export function agentSetting(environment: Environment) {
  const secret: SecretSetting = (description) => secretSetting(environment, description);
  const { apiKey, clientToken, clientAccount, idp, media } = credentialSettings(secret);
  const common = {
    description: z
      .string()
      .min(1)
      .max(200)
      .default('An agent of the platform')
      .describe('One line that people see'),
    icon,
  };
  const lite = {
    showToolResult: z.boolean().default(true).describe('Ask for tool results, from which sources are shown'),
    skipHint: z.boolean().default(false).describe("Skip the platform's prompt about personal data"),
    seesImages: z.boolean().default(true).describe('Whether the agent accepts images'),
    fileIds: ids.optional().describe('Ids of the only files that the agent answers from'),
    workspaceIds: ids.optional().describe('Ids of the only knowledge workspaces that the agent answers from'),
  };
  return z
    .discriminatedUnion('interface', [
      z.strictObject({
        interface: z.literal('open'),
        ...common,
        expertCode: z.string().min(1).describe("The agent's code"),
        credential: z.discriminatedUnion('kind', [clientAccount, idp]).describe('How the bridge signs in'),
        chatLanguage: z
          .string()
          .min(2)
          .optional()
          .describe('The language to answer in (BCP 47); absent lets the agent decide'),
        includeThought: z.boolean().default(true).describe("Ask for the agent's thoughts, shown as steps"),
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
        agentId: z.string().min(1).describe("The agent's uuid, from its page address"),
        credential: clientToken,
        imageKey: secret('An API key for image uploads, where the platform wants one').optional(),
        legacyImageUpload: z
          .boolean()
          .default(false)
          .describe('Upload images in the older form, to the address of the agent'),
        ...lite,
      }),
    ])
    .describe('An agent: its chat interface and credential');
}
