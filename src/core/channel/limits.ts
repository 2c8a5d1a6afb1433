/** Rate limits of a channel, as its documentation states them. */

/** The place of a call: its limits by thread, room and tenant. */
export interface CallPlace {
  readonly tenant: string;
  /** Empty if the call is made in no room. */
  readonly room: string;
  /** Unique in the tenant; absent: the room is one thread. */
  readonly thread?: string;
}

/** Calls of a family into one room: a rate, and a burst after a pause. */
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

/** Limits of a family: calls a minute for a tenant, and the minimum gap between two calls of one reply. */
export interface FamilyLimit {
  readonly perMinute?: number;
  readonly gapMs: number;
  /** The shorter gap while most of the tenant's minute is spare. */
  readonly spareGapMs?: number;
  /** The channel itself counts the gap: it begins with the answer to a call, and the end of a reply keeps it, too. */
  readonly strict?: true;
  /** Optional calls: made only while half of every shared window is free. */
  readonly yields?: true;
  readonly perRoom?: RoomRate;
  readonly shared?: readonly SharedWindows[];
}
