/** What every surface works with, and what it knows of the person in front of it. */

import type { Background } from '../../../src/kit/background.ts';
import type { Engagement } from '../../../src/kit/engagement.ts';
import type { ReplyRef } from '../../../src/kit/reply-ref.ts';
import type { LinkOf } from '../../../src/kit/sources.ts';
import type { AdapterHost, Person, ThreadRef } from '../../../src/kit.ts';
import type { Workspace } from '../api/workspace.ts';
import type { People } from '../inbound/people.ts';
import type { PrivatePlaces } from '../private.ts';
import type { Actor } from '../receive/events.ts';
import type { Calls } from './calls.ts';
import type { Preferences, Shown } from './preferences.ts';
import type { Questions } from './questions.ts';
import type { Running } from './running.ts';

export interface SurfaceSettings {
  /** Of the app, as people see it. */
  readonly name: string;
  /** What people type to ask in private, with its slash. */
  readonly command: string;
  readonly guests: boolean;
  readonly external: boolean;
  /** Offered in the agent view; without any the agents themselves are. */
  readonly prompts: readonly Prompt[];
}

export interface Prompt {
  readonly title: string;
  /** What is asked when it is pressed. */
  readonly message: string;
}

export interface SurfaceDeps {
  readonly host: Pick<
    AdapterHost,
    'intake' | 'agents' | 'reply' | 'sourceLink' | 'state' | 'secrets' | 'clock' | 'log'
  >;
  readonly settings: SurfaceSettings;
  readonly calls: Calls;
  /** Sends a message to a response address; whether Slack took it. */
  respond(url: string, body: object): Promise<boolean>;
  readonly people: People;
  readonly places: PrivatePlaces;
  readonly questions: Questions;
  readonly engagement: Engagement;
  readonly background: Background;
  readonly preferences: Preferences;
  readonly running: Running;
  readonly shown: Shown;
  readonly signal: AbortSignal;
}

/** Somebody does something somewhere. */
export interface Scene {
  readonly by: Actor;
  readonly workspace: Workspace;
  readonly deps: SurfaceDeps;
  /** Absent in the app's home, and in forms that were opened there. */
  readonly conversation?: string;
  /** The thread that is in front of the person. */
  readonly threadTs?: string;
}

/** A scene whose person may do what they want. */
export interface Admitted extends Scene {
  readonly person: Person;
}

export function threadAt(
  { tenant }: Workspace,
  { room, key, kind }: Pick<ThreadRef, 'room' | 'key' | 'kind'>,
): ThreadRef {
  return { channel: 'slack', tenant, room, key, kind };
}

/** Returns a function that links each source of the reply. */
export function linksOf({ workspace, deps }: Scene, reply: ReplyRef): LinkOf {
  const thread = threadAt(workspace, reply);
  return (source, turn) => deps.host.sourceLink(source, { turn, thread });
}
