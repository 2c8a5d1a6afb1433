/** One installation of the app: a Slack workspace, or a whole organization. */
export interface Workspace {
  /** The tenant's id in the bridge: the workspace's id, or the organization's id if Slack names no workspace. */
  readonly tenant: string;
  /**
   * Id of the stored installation: the workspace's own id, or the id of its organization. Absent if the bot token comes
   * from the settings.
   */
  readonly installation?: string;
  readonly name?: string;
  readonly enterprise?: string;
  /** Id of the organization, if the whole organization installed the app. Its workspaces are separate tenants. */
  readonly organization?: string;
  /** Time of the installation by Slack's clock, in seconds since the epoch, if it is known. */
  readonly installedAt?: number;
  /** User id of the app's bot, which people mention. */
  readonly botUser: string;
  /** Bot id of the app's own messages. */
  readonly botId?: string;
  /** True if the app may post under other names and icons. */
  readonly customizes?: true;
  /** The bot's current token; token rotation replaces it. */
  readonly token: string;
}

/** Where an event comes from, as Slack reports it. */
export interface Source {
  readonly team?: string | undefined;
  readonly enterprise?: string | undefined;
  /** True if the installation of a whole organization gets the request. */
  readonly orgWide: boolean;
  readonly room?: string | undefined;
}

export interface Workspaces {
  /**
   * Finds the installation in memory or in the store. Never calls Slack, because Slack waits for the event's
   * acknowledgement.
   */
  find(source: Source): Promise<Workspace | undefined>;
  /**
   * Returns the tenant of the only workspace, or undefined while it is not known. Absent if the app serves many
   * workspaces.
   */
  only?(): string | undefined;
  /** Returns undefined if nothing can be sent to the tenant. */
  ofTenant(tenant: string): Promise<Workspace | undefined>;
  /**
   * Checks the workspace's token after Slack refused it. Resolves with true if Slack accepts it after all. If Slack
   * refuses it repeatedly, stops all calls with it.
   */
  disable(workspace: Workspace): Promise<boolean> | undefined;
  /** Ends all calls after the app was removed. Resolves with the tenants of the installation. */
  remove(workspace: Workspace): Promise<readonly string[]>;
}
