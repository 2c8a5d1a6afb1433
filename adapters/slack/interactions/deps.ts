/** Dependencies of interactions, and the person who acts. */

import {
  type Background,
  type InteractionHost,
  type LinkOf,
  type Once,
  type PressContext,
  personOf,
  type Refused,
  type ReplyRef,
} from '../../../src/kit/ladder.ts';
import type { AdapterHost, Person, ThreadRef } from '../../../src/kit.ts';
import type { Calls } from '../api/calls.ts';
import type { Workspace } from '../api/workspace.ts';
import type { SlackConfig } from '../config.ts';
import type { SlackLookup } from '../inbound/lookup.ts';
import type { People } from '../inbound/people.ts';
import type { PrivatePlaces } from '../private-places.ts';
import type { Actor } from '../receive/events.ts';
import type { Preferences, QuestionPosts } from './preferences.ts';

export type InteractionSettings = Pick<SlackConfig, 'name' | 'command' | 'prompts'>;

export interface InteractionDeps {
  readonly host: InteractionHost & Pick<AdapterHost, 'running'>;
  readonly settings: InteractionSettings;
  readonly calls: Calls;
  /** Base address of Slack's methods. */
  readonly apiUrl: string;
  readonly people: People;
  /** Returns a message and those that it shares as quotes, with names in place of ids. */
  readonly quotes: SlackLookup['quotes'];
  readonly places: PrivatePlaces;
  readonly background: Background;
  readonly preferences: Preferences;
  readonly questionPosts: QuestionPosts;
  readonly once: Once;
  readonly signal: AbortSignal;
}

/** A person's action and the place where it happened. */
export interface Interaction {
  readonly by: Actor;
  readonly workspace: Workspace;
  readonly deps: InteractionDeps;
  /** Absent in the app's home, and in forms that were opened there. */
  readonly conversation?: string;
  /** The thread that the person acted in. */
  readonly threadTs?: string;
}

/** An interaction whose person may use the bridge. */
export interface Admitted extends Interaction {
  readonly kind: 'admitted';
  readonly person: Person;
}

/** Returns how to look up the person in Slack. A result from the last hour is reused. */
export function whoIn({ by, workspace, deps }: Interaction): Pick<PressContext, 'channel' | 'person'> {
  const { people, signal } = deps;
  return { channel: 'Slack', person: () => people.find(workspace, by.user, signal) };
}

/** Checks whether the person may use forms and the app's home. */
export async function admit(interaction: Interaction): Promise<Admitted | Refused> {
  const { deps, workspace, conversation } = interaction;
  // The app's home and its forms count as the person's direct chat with the app.
  const kind = conversation === undefined || conversation.startsWith('D') ? 'direct' : 'room';
  const place = { channel: 'slack', tenant: workspace.tenant, room: conversation ?? '', kind } as const;
  const person = await personOf({ ...whoIn(interaction), host: deps.host }, place);
  return 'sentence' in person ? person : { ...interaction, kind: 'admitted', person };
}

export function threadAt(
  { tenant }: Workspace,
  { room, key, kind }: Pick<ThreadRef, 'room' | 'key' | 'kind'>,
): ThreadRef {
  return { channel: 'slack', tenant, room, key, kind };
}

/** Returns a function that makes the link of each source of the reply. */
export function linksOf({ workspace, deps }: Interaction, reply: ReplyRef): LinkOf {
  const thread = threadAt(workspace, reply);
  return (source, turn) => deps.host.sourceLink(source, { turn, thread });
}
