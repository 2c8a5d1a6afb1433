/** State that the parts of the fake share. */

import type { Faults } from './faults.ts';
import type { Limiter } from './limits.ts';
import type { Log } from './log.ts';
import type { World } from './world.ts';

export interface Server {
  readonly world: World;
  readonly log: Log;
  readonly limiter: Limiter;
  readonly faults: Faults;
  /** Delay of every response, in milliseconds. */
  latencyMs: number;
  readonly url: string;
}
