/** What the writer is told of the place, and remembers to be quick. */

import type { LRUCache } from 'lru-cache';
import type { Emitter } from '../../../src/kit/emission.ts';
import type { Extent } from '../../../src/kit/extent.ts';
import type { Outcome } from '../../../src/kit.ts';
import type { Look } from '../render/look.ts';

export interface Setting {
  /** Teams has streams in one-to-one chats only. */
  readonly streams: boolean;
  /** Whether a message of unknown outcome can be looked up. */
  readonly looksUp: boolean;
  /**
   * Where nothing else says that an answer is being made: from when on a message does. Channels show no typing
   * indicators (Microsoft's staff in MicrosoftDocs/msteams-docs, issue 1451). Milliseconds since the epoch.
   */
  readonly thinksAloudAt?: number;
  readonly extent: Extent;
  readonly emitter: Emitter;
  /** Without the places of images, which are found when something is sent. */
  readonly look: Look;
  /** Marks of cards that were made before, by what they show. */
  readonly marks: LRUCache<string, { readonly mark: number | undefined }>;
}

/** What came of a call. */
export interface Happened {
  readonly outcome: Outcome;
  readonly now: number;
  readonly setting: Setting;
}
