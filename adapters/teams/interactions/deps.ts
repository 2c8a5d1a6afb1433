/** Dependencies of interactions, and the person who acts. */

import type {
  AcceptedPresses,
  Background,
  InteractionHost,
  Once,
  Plain,
  Pressed,
} from '../../../src/kit/ladder.ts';
import type { ThreadRef } from '../../../src/kit.ts';
import type { Invoked, TeamsPerson, TeamsPlace } from '../activity.ts';
import type { Connector } from '../api/connector.ts';
import type { TeamsConfig } from '../config.ts';
import type { People } from '../inbound/people.ts';
import type { Posts, SendNote } from '../inbound/posts.ts';
import type { Places } from '../receive/places.ts';
import type { RenderInputs } from '../write/render-context.ts';
import type { Replies } from './replies.ts';
import type { NameOf, SharedRooms } from './shared-rooms.ts';

export interface InteractionDeps {
  readonly config: Pick<TeamsConfig, 'name' | 'tenant' | 'targeted'>;
  readonly host: InteractionHost;
  readonly connector: Pick<Connector, 'openChat' | 'channels'>;
  readonly places: Places;
  readonly people: People;
  readonly posts: Posts;
  readonly sendNote: SendNote;
  readonly background: Background;
  readonly once: Once;
  readonly presses: AcceptedPresses<StoredPress>;
  readonly replies: Replies;
  readonly sharedRooms: SharedRooms;
  readonly nameOf: NameOf;
  /** Dependencies from which the render context of a reply's card is made. */
  readonly renderInputs: RenderInputs['deps'];
  /** Aborts when the adapter stops. */
  readonly signal: AbortSignal;
}

/** A press that may be handled by another process. */
export type StoredPress = Omit<Invoked, 'kind' | 'name'>;

/** A person's action on one of the app's messages. */
export interface Interaction {
  readonly by: TeamsPerson;
  readonly place: TeamsPlace;
  /** Key of the action, unique in the organization. */
  readonly key: string;
  /** Id of the message that the person acted on. */
  readonly message?: string | undefined;
  readonly deps: InteractionDeps;
}

/** Answer to a press, shown only to the person who pressed: a sentence, or a card that replaces the message's card. */
export type PressAnswer = (
  | Pressed
  | {
      readonly kind: 'card';
      readonly card: Plain;
      /**
       * The content of the card as a sentence. If it is set and the response to the press has already been sent, the
       * person gets the sentence as a note.
       */
      readonly sentence?: string;
    }
) & {
  /** Thread to which the note is sent; absent if that is the conversation of the press. */
  readonly thread?: ThreadRef;
};
