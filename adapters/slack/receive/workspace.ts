/** One installation of the app: a Slack workspace, or a whole organisation. */
export interface Workspace {
  /** What the bridge knows it by: the workspace's id, else the organisation's. */
  readonly tenant: string;
  readonly name?: string;
  readonly enterprise?: string;
  /** The app's own person in the workspace, whom people mention. */
  readonly botUser: string;
  /** What the app's own messages carry. */
  readonly botId?: string;
  /** The bot's present token; it changes where tokens are rotated. */
  readonly token: string;
}

/** Where an event comes from, as Slack says. */
export interface Source {
  readonly team?: string | undefined;
  readonly enterprise?: string | undefined;
  readonly orgWide: boolean;
}

export interface Workspaces {
  /** From memory or the store, never over the network: an acknowledgement waits for it. */
  find(source: Source): Promise<Workspace | undefined>;
  /** By the bridge's own name of it. */
  ofTenant(tenant: string): Promise<Workspace | undefined>;
  /** The app was removed, or its token revoked: nothing is sent there any more. */
  remove(workspace: Workspace): Promise<void>;
}
