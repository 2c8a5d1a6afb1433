/** Who may use the surfaces: as for questions, guests and people of other organisations only where the policy lets them. */

import { isWelcome } from '../../../src/kit/standing.ts';
import { BridgeError } from '../../../src/kit.ts';
import { toPerson } from '../talk/intake.ts';
import type { Admitted, Scene } from './parts.ts';
import { words } from './words.ts';

export type Admission =
  | { readonly kind: 'admitted'; readonly scene: Admitted }
  | { readonly kind: 'refused'; readonly tellUser: string };

const refusalOf = (thrown: unknown): { readonly tellUser: string } => ({
  tellUser:
    thrown instanceof BridgeError && thrown.code === 'access-denied' ? thrown.tellUser : words.whoAreYou,
});

/** Asks Teams who it is, where that is not known from the last hour. */
export async function admit(scene: Scene): Promise<Admission> {
  const { by, place, parts } = scene;
  const told = toPerson(by, parts.config.tenant);
  const found = await parts.people.find(place, told, parts.signal).catch(refusalOf);
  if ('tellUser' in found) return { kind: 'refused', ...found };
  // What the press itself says of a foreign home counts as well.
  const person = { ...found, ...(told.standing !== 'member' && { standing: told.standing }) };
  if (!isWelcome(person, parts.config)) return { kind: 'refused', tellUser: words.guests };
  return { kind: 'admitted', scene: { ...scene, person } };
}
