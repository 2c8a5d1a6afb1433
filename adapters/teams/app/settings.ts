import type { TeamsConfig } from '../config.ts';

/** What the app for Teams is made of. */
export type ManifestSettings = Pick<TeamsConfig, 'name' | 'prompts' | 'allMessages' | 'publicUrl'> & {
  /** Without one, the manifest can be read and not uploaded. */
  readonly appId?: string | undefined;
  /** Of the app; Teams takes a changed app only under a higher one. */
  readonly version: string;
  /** One line that people see in Teams' store. */
  readonly description: string;
  readonly developer: Developer;
};

/** Who answers for the app. Addresses that are absent: the bridge's own. */
interface Developer {
  readonly name: string;
  readonly website?: string | undefined;
  readonly privacy?: string | undefined;
  readonly terms?: string | undefined;
}
