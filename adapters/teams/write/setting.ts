/** What the writer is told of the place, and remembers to be quick. */

import type { Emitter } from '../../../src/kit/emission.ts';
import type { Extent } from '../../../src/kit/extent.ts';
import type { Outcome } from '../../../src/kit.ts';

export interface Setting {
  /** Teams has streams in one-to-one chats only. */
  readonly streams: boolean;
  /** Whether a message of unknown outcome can be looked up. */
  readonly looksUp: boolean;
  readonly extent: Extent;
  readonly emitter: Emitter;
}

/** What came of a call. */
export interface Happened {
  readonly outcome: Outcome;
  readonly now: number;
  readonly setting: Setting;
}
