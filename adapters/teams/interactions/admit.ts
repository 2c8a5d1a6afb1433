/** Who may use the surfaces: as for questions, guests and people of other organisations only where the policy lets them. */

import type { ReplyRef } from '../../../src/kit/reply-ref.ts';
import type { LinkOf } from '../../../src/kit/sources.ts';
import { isWelcome } from '../../../src/kit/standing.ts';
import { BridgeError, type ReplyDocument, type ThreadRef } from '../../../src/kit.ts';
import type { TeamsPlace } from '../activity.ts';
import { CHANNEL } from '../ids.ts';
import { toPerson } from '../inbound/intake.ts';
import type { Admitted, Press, Scene } from './deps.ts';
import { words } from './words.ts';

type Admission =
  | { readonly kind: 'admitted'; readonly scene: Admitted }
  | { readonly kind: 'refused'; readonly tellUser: string };

const refusalOf = (thrown: unknown): { readonly tellUser: string } => ({
  tellUser:
    thrown instanceof BridgeError && thrown.code === 'access-denied' ? thrown.tellUser : words.whoAreYou,
});

/** Asks Teams who it is, where that is not known from the last hour. */
export async function admit(scene: Scene): Promise<Admission> {
  const { by, place, deps } = scene;
  const told = toPerson(by, deps.config.tenant);
  const found = await deps.people.find(place, told, deps.signal).catch(refusalOf);
  if ('tellUser' in found) return { kind: 'refused', ...found };
  // What the press itself says of a foreign home counts as well.
  const person = { ...found, ...(told.standing !== 'member' && { standing: told.standing }) };
  if (!isWelcome(person, deps.config)) return { kind: 'refused', tellUser: words.guests };
  return { kind: 'admitted', scene: { ...scene, person } };
}

export function threadAt({ tenant }: TeamsPlace, { room, key, kind }: ReplyRef): ThreadRef {
  return { channel: CHANNEL, tenant, room, key, kind };
}

/** Returns a function that links each source of the reply. */
export function linksOf({ deps }: Scene, { thread }: Press): LinkOf {
  return (source, turn) => deps.host.sourceLink(source, { turn, thread });
}

/** The reply that a press names. It comes back from outside, so that it counts only in its own thread (attack S16). */
export function replyOf({ deps }: Scene, { reply, thread }: Press): Promise<ReplyDocument | undefined> {
  return deps.host.reply(reply.turn, thread);
}
