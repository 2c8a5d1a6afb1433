/** Each event goes to whoever handles it. */

import type { Background } from '../../../src/kit/background.ts';
import type { AdapterHost } from '../../../src/kit.ts';
import type { Invoked, Reacted, TeamsEvent, TeamsPerson, TeamsPlace } from '../activity.ts';
import { readConversation } from '../ids.ts';
import type { InvokeAnswer } from '../receive/http.ts';
import type { Places } from '../receive/places.ts';
import { type GreetingDeps, greet } from './greeting.ts';
import { type TalkDeps, takeIn } from './intake.ts';

/** What people do on messages of ours. */
export interface Surfaces {
  /** Answers at once, from memory; nothing where the invoke is not one of ours. */
  invoke(invoked: Invoked): Promise<InvokeAnswer | undefined>;
  react(reacted: Reacted): Promise<void>;
  /** Takes note of who is where. */
  noteRoom(place: TeamsPlace, person: TeamsPerson): void;
  /** Resolves when nobody is known to have been there. */
  left(tenant: string, room: string): Promise<void>;
}

export interface DispatchDeps {
  readonly host: AdapterHost;
  readonly places: Places;
  readonly talk: TalkDeps;
  readonly greeting: GreetingDeps;
  readonly surfaces: Surfaces;
  readonly background: Background;
}

/** Resolves when the event is kept, with the answer of an invoke. */
export async function dispatch(event: TeamsEvent, deps: DispatchDeps): Promise<InvokeAnswer | undefined> {
  const { places, talk, surfaces, background } = deps;
  switch (event.kind) {
    case 'said':
    case 'edited':
      await places.remember(event.message.place);
      surfaces.noteRoom(event.message.place, event.message.sender);
      await takeIn(event, talk);
      return undefined;
    case 'deleted':
      await takeIn(event, talk);
      return undefined;
    case 'reacted':
      await surfaces.react(event);
      return undefined;
    case 'installed':
      await places.remember(event.place);
      background.run('a greeting', () => greet(event.place, deps.greeting));
      return undefined;
    case 'removed':
      await remove(event, deps);
      return undefined;
    case 'invoked':
      surfaces.noteRoom(event.place, event.by);
      return (await surfaces.invoke(event)) ?? { status: 501 };
  }
}

/** All that is known of the conversations goes (privacy: within 60 s). */
async function remove(
  { place, from }: { readonly place: TeamsPlace; readonly from: 'room' | 'team' },
  { host, places, surfaces }: DispatchDeps,
): Promise<void> {
  const { room } = readConversation(place.conversation);
  const { team = room } = place;
  // With the team itself, under whose id its channels are listed.
  const inTeam = from === 'team' ? [...(await places.ofTeam(place)), team] : [];
  for (const each of new Set([...inTeam, room])) {
    await places.forget(place.tenant, each);
    await surfaces.left(place.tenant, each);
    await host.forgetRoom(place.tenant, each);
  }
}
