/** What interactions with people work with, and the person in front of them. */

import type { Background } from '../../../src/kit/background.ts';
import type { Engagement } from '../../../src/kit/engagement.ts';
import type { ReplyRef } from '../../../src/kit/reply-ref.ts';
import type { LinkOf } from '../../../src/kit/sources.ts';
import {
  type AdapterHost,
  type Message,
  type Person,
  type PressContext,
  personOf,
  type Refused,
  type ThreadRef,
  type Welcome,
} from '../../../src/kit.ts';
import type { Workspace } from '../api/workspace.ts';
import type { People } from '../inbound/people.ts';
import type { PrivatePlaces } from '../private.ts';
import type { Actor } from '../receive/events.ts';
import type { Calls } from './calls.ts';
import type { Preferences, Shown } from './preferences.ts';
import type { Running } from './running.ts';

export interface InteractionSettings extends Welcome {
  /** Of the app, as people see it. */
  readonly name: string;
  /** What people type to ask in private, with its slash. */
  readonly command: string;
  /** Offered in the agent view; without any the agents themselves are. */
  readonly prompts: readonly Prompt[];
}

export interface Prompt {
  readonly title: string;
  /** What is asked when it is pressed. */
  readonly message: string;
}

/** Reads the question of a reply again where it stands, because nothing keeps what people wrote. */
export interface Questions {
  /** Undefined if it cannot be read: it was an act, it was deleted, or Slack does not tell. */
  read(workspace: Workspace, question: string, thread: ThreadRef): Promise<Message | undefined>;
}

export interface InteractionDeps {
  readonly host: Pick<
    AdapterHost,
    'intake' | 'agents' | 'reply' | 'sourceLink' | 'state' | 'secrets' | 'clock' | 'log'
  >;
  readonly settings: InteractionSettings;
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

/** An act of a person, where they are. */
export interface Scene {
  readonly by: Actor;
  readonly workspace: Workspace;
  readonly deps: InteractionDeps;
  /** Absent in the app's home, and in forms that were opened there. */
  readonly conversation?: string;
  /** The thread that is in front of the person. */
  readonly threadTs?: string;
}

/** A scene whose person may do what they want. */
export interface Admitted extends Scene {
  readonly kind: 'admitted';
  readonly person: Person;
}

/** Asks Slack for the person, unless that is known from the last hour. */
export function whoIn({ by, workspace, deps }: Scene): Pick<PressContext, 'channel' | 'policy' | 'person'> {
  const { people, settings, signal } = deps;
  return { channel: 'Slack', policy: settings, person: () => people.find(workspace, by.user, signal) };
}

/** Admits the person to what stands beside replies: forms, the app's home. */
export async function admit(scene: Scene): Promise<Admitted | Refused> {
  const person = await personOf(whoIn(scene));
  return 'sentence' in person ? person : { ...scene, kind: 'admitted', person };
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
