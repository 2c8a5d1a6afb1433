/** A value that is never printed; read each time it is used, because a secret kept in a file may change. */
export interface Secret {
  reveal(): string;
}

/**
 * Places where answers grow as native streams if the workspace has them; elsewhere they grow by edits. `auto`: in
 * direct messages and the agent view, because in a channel only the stream's one recipient sees it grow: the others see
 * its first words, then the whole answer at its end.
 */
export type StreamsIn = 'auto' | 'always' | 'never';

export interface SlackConfig {
  /** Proves that a request comes from Slack; absent where everything comes through Socket Mode. */
  readonly signingSecret?: Secret;
  /** Of the one workspace; absent where workspaces install the app themselves. */
  readonly botToken?: Secret;
  /** Switches Socket Mode on. */
  readonly appToken?: Secret;
  /** Lets workspaces install the app themselves. */
  readonly oauth?: OAuthConfig;
  /** Address of Slack's methods, with a slash at the end; absent: Slack itself. */
  readonly apiUrl?: string;
  /** Of the app, as people see it. */
  readonly name: string;
  /** Slash command for private questions. */
  readonly command: string;
  /** True if guests, and people of other organisations, may ask and press. */
  readonly guests: boolean;
  readonly external: boolean;
  /** Offered in the app's direct message; without any the agents are. */
  readonly prompts: readonly { readonly title: string; readonly message: string }[];
  /** True if the app's manifest asks for the scope to post under an agent's name and icon. */
  readonly agentNames: boolean;
  /** True if answers say that they were made by AI. */
  readonly footer: boolean;
  readonly streaming: StreamsIn;
  /** True if people are identified by their e-mail addresses. */
  readonly email: boolean;
  /** The address under which Slack reaches the bridge, without a slash at the end. */
  readonly publicUrl?: string;
}

export interface OAuthConfig {
  readonly clientId: string;
  readonly clientSecret: Secret;
  /** Signs the state that comes back with a browser. */
  readonly stateSecret: Secret;
  /** The address under which browsers reach the bridge, without a slash at the end. */
  readonly publicUrl: string;
}

/** Slack's own address of its methods. */
export const SLACK_API = 'https://slack.com/api/';
