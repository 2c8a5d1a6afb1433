/** What a channel allows us to send, as its documentation tells. */

/** How many calls a family may make into one room: so many a second, after a rest so many at once. */
export interface RoomRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** So many calls in any stretch of so many milliseconds. */
export interface CallWindow {
  readonly calls: number;
  readonly ms: number;
}

/** Windows that all families which name them fill together: each thread, each room or the whole tenant its own. */
export interface SharedWindows {
  readonly name: string;
  readonly of: 'thread' | 'room' | 'tenant';
  readonly windows: readonly CallWindow[];
}

/** What a channel allows of a family: calls a minute and tenant, and the gap between two of one reply. */
export interface FamilyLimit {
  readonly perMinute?: number;
  readonly gapMs: number;
  /** The shorter gap while most of the tenant's minute is spare. */
  readonly spareGapMs?: number;
  /** The channel itself counts the gap: it begins with the answer to a call, and the end of a reply keeps it, too. */
  readonly strict?: true;
  /** What nobody misses: it is done only while half of every shared window is free. */
  readonly yields?: true;
  readonly perRoom?: RoomRate;
  readonly shared?: readonly SharedWindows[];
}
