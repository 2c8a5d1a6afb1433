/** Who may use the surfaces: as for questions, guests and people of other organisations only where the policy lets them. */

import { isWelcome } from '../../../src/kit/standing.ts';
import type { Admitted, Scene } from './deps.ts';
import { words } from './words.ts';

export type Admission =
  | { readonly kind: 'admitted'; readonly scene: Admitted }
  | { readonly kind: 'refused'; readonly tellUser: string };

/** Asks Slack who it is, where that is not known from the last hour. */
export async function admit(scene: Scene): Promise<Admission> {
  const { by, workspace, deps } = scene;
  const person = await deps.people.find(workspace, by.user, deps.signal).catch(() => undefined);
  if (person === undefined) return { kind: 'refused', tellUser: words.whoAreYou };
  if (!isWelcome(person, deps.settings)) return { kind: 'refused', tellUser: words.guests };
  return { kind: 'admitted', scene: { ...scene, person } };
}
