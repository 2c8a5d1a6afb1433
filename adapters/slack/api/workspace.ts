/** One installation of the app: a Slack workspace, or a whole organisation. */
export interface Workspace {
  /** Its key in the bridge: the workspace's id, else the organisation's. */
  readonly tenant: string;
  /** Whose installation it is, where that is not the tenant: the organisation of the workspace. */
  readonly installation?: string;
  readonly name?: string;
  readonly enterprise?: string;
  /** The app's own person in the workspace, whom people mention. */
  readonly botUser: string;
  /** Bot id of the app's own messages. */
  readonly botId?: string;
  /** True if the app may post under another name and icon than its own. */
  readonly customizes?: true;
  /** The bot's present token; it changes where tokens are rotated. */
  readonly token: string;
}

/** Origin of an event, as Slack says. */
export interface Source {
  readonly team?: string | undefined;
  readonly enterprise?: string | undefined;
  readonly orgWide: boolean;
}

export interface Workspaces {
  /** From memory or the store, never over the network: an acknowledgement waits for it. */
  find(source: Source): Promise<Workspace | undefined>;
  /** By the bridge's own name of it, to send something; none where nothing can be sent. */
  ofTenant(tenant: string): Promise<Workspace | undefined>;
  /** Slack refuses its token: nothing is sent there until it has another. */
  disable(workspace: Workspace): void;
  /** The app was removed: nothing is sent there any more. Resolves with the tenants that it was for. */
  remove(workspace: Workspace): Promise<readonly string[]>;
}
