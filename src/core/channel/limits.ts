/** Rate limits of a channel, as its documentation states them. */

/** The place of a call. Channels limit calls by thread, room and tenant. */
export interface CallPlace {
  readonly tenant: string;
  /** Empty if the call is not made in a room. */
  readonly room: string;
  /** Unique in the tenant; absent if the whole room is one thread. */
  readonly thread?: string;
}

/**
 * Rate limit for a family's calls into one room: a sustained rate, and a burst that is allowed after a pause.
 */
export interface RoomRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** At most `calls` calls in any period of `ms` milliseconds. */
export interface CallWindow {
  readonly calls: number;
  readonly ms: number;
}

/** Windows shared by all families that name them, counted per thread, per room or per tenant. */
export interface SharedWindows {
  readonly name: string;
  readonly of: 'thread' | 'room' | 'tenant';
  readonly windows: readonly CallWindow[];
}

/** Limits of a family: calls per minute for a tenant, and the minimum gap between two calls of one reply. */
export interface FamilyLimit {
  readonly perMinute?: number;
  readonly gapMs: number;
  /** A shorter gap that applies while most of the tenant's calls per minute are unused. */
  readonly spareGapMs?: number;
  /**
   * Set if the channel itself enforces the gap. The gap then starts when a call is answered, and the last
   * calls of a reply keep it too.
   */
  readonly strict?: true;
  /** Set for optional calls. They are made only while half of every shared window is free. */
  readonly yields?: true;
  readonly perRoom?: RoomRate;
  readonly shared?: readonly SharedWindows[];
}
