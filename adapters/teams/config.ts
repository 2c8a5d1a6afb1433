/** A value that is never printed; read each time it is used, because a secret kept in a file may change. */
interface Secret {
  reveal(): string;
}

/** How the bridge proves to Microsoft that it is the bot. */
export type TeamsCredential =
  | { readonly kind: 'password'; readonly password: Secret }
  /** PEM texts of the certificate and its private key. */
  | { readonly kind: 'certificate'; readonly certificate: Secret; readonly key: Secret }
  /** User-assigned managed identity: the machine it runs on is the proof. */
  | { readonly kind: 'managed-identity' };

/** As Microsoft's own SDK for Teams names its clouds: commercial with GCC, GCC High, DoD, and 21Vianet's in China. */
export type CloudName = 'Public' | 'USGov' | 'USGovDoD' | 'China';

export interface TeamsConfig {
  /** Where the bot and its organisation are registered. */
  readonly cloud: CloudName;
  readonly appId: string;
  /** The one tenant whose people may ask; requests of any other are refused. */
  readonly tenant: string;
  readonly credential: TeamsCredential;
  /** Of the app, as people see it. */
  readonly name: string;
  /** Whether guests, and people of other organisations, may ask and press. */
  readonly guests: boolean;
  readonly external: boolean;
  /** Whether answers grow as native streams in one-to-one chats; else by edits. */
  readonly streaming: boolean;
  /** Offered when the app is added in a personal chat; without any the agents are. */
  readonly prompts: readonly { readonly title: string; readonly message: string }[];
  /** Whether channels and chats send every message because their owners consented (resource-specific consent). */
  readonly allMessages: boolean;
  /** Whether private answers in channels and chats come as messages that only one person sees. */
  readonly targeted: boolean;
  /** Whether tables and headings go out in Teams' extended Markdown. */
  readonly extendedMarkdown: boolean;
  /** The address under which people's browsers reach the bridge, without a slash at the end. */
  readonly publicUrl?: string;
  /** Where Microsoft's services are, for tests on loopback; absent: those of the cloud. */
  readonly services?: TeamsServices;
}

/** Addresses without a slash at the end; plain http on loopback only. */
export interface TeamsServices {
  /** Gives tokens (login.microsoftonline.com). */
  readonly login: string;
  /** The OpenID metadata of the Bot Connector (login.botframework.com). */
  readonly openId: string;
  /** Hosts, with their ports, that a serviceUrl may name. */
  readonly connectors: readonly string[];
  /** Hosts, with their ports, from which attachments are fetched. */
  readonly attachments: readonly string[];
  /** Microsoft Graph (graph.microsoft.com). */
  readonly graph: string;
}
