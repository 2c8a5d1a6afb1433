import type { Person } from '../core/message.ts';

/** Whether guests and people of other organisations may use what stands around answers: as the policy for questions says. */
export interface Welcome {
  readonly guests: boolean;
  readonly external: boolean;
}

export function isWelcome({ standing }: Person, { guests, external }: Welcome): boolean {
  if (standing === 'guest') return guests;
  if (standing === 'external') return external;
  return standing === 'member';
}
