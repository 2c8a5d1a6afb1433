/** Short-lived values that an interaction gives to the app: trigger ids and response URLs. */

import { refuse } from '../refusal.ts';
import type { World } from '../world.ts';

/**
 * Limits of a response URL, 5 uses within 30 minutes:
 * https://docs.slack.dev/interactivity/handling-user-interaction#message_responses
 */
const RESPONSE = { uses: 5, ms: 1_800_000 };

interface Trigger {
  readonly at: number;
  readonly user: string;
  readonly team: string;
  /** The modal in which the person pressed; views.push opens its view above this one. */
  readonly view?: string;
  used: boolean;
}

export interface ResponsePlace {
  readonly at: number;
  readonly team: string;
  readonly channel: string;
  readonly user: string;
  /** The message on which the person acted; absent for a command. */
  readonly message?: string;
  readonly threadTs?: string;
  uses: number;
}

interface Handed {
  readonly triggers: Map<string, Trigger>;
  readonly places: Map<string, ResponsePlace>;
}

const handed = new WeakMap<World, Handed>();

function handedBy(world: World): Handed {
  const known = handed.get(world) ?? { triggers: new Map(), places: new Map() };
  handed.set(world, known);
  return known;
}

export function newTrigger(world: World, user: string, team: string, view?: string): string {
  const id = `${world.newId('1')}.${team}.${world.newId('a').toLowerCase()}`;
  const trigger = { at: world.clock.now(), user, team, used: false, ...(view === undefined ? {} : { view }) };
  handedBy(world).triggers.set(id, trigger);
  return id;
}

export function takeTrigger(world: World, id: string, team: string): Trigger {
  const trigger = handedBy(world).triggers.get(id);
  if (trigger === undefined || trigger.team !== team) return refuse('invalid_trigger_id');
  if (trigger.used) return refuse('exchanged_trigger_id');
  if (world.clock.now() - trigger.at > world.triggerMs) return refuse('expired_trigger_id');
  trigger.used = true;
  return trigger;
}

export function newResponseUrl(world: World, url: string, place: Omit<ResponsePlace, 'at' | 'uses'>): string {
  const id = world.newId('R');
  handedBy(world).places.set(id, { ...place, at: world.clock.now(), uses: 0 });
  return `${url}/response/${place.team}/${id}`;
}

/** Counts one use of a response URL. Throws Slack's `expired_url` after 30 minutes and `used_url` after 5 uses. */
export function takePlace(world: World, id: string): ResponsePlace {
  const place = handedBy(world).places.get(id);
  if (place === undefined) return refuse('invalid_url');
  if (world.clock.now() - place.at > RESPONSE.ms) return refuse('expired_url');
  if (place.uses >= RESPONSE.uses) return refuse('used_url');
  place.uses += 1;
  return place;
}
