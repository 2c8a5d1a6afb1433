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
  readonly orgWide: boolean;
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
  /** Stops all calls with the workspace's token after Slack refused it, until the workspace gets a new token. */
  disable(workspace: Workspace): void;
  /** Ends all calls after the app was removed. Resolves with the tenants of the installation. */
  remove(workspace: Workspace): Promise<readonly string[]>;
}
