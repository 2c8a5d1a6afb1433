/** Rate limits of a channel, as its documentation states them. */

/** The tenant, room and thread of a call. Channels have separate limits for each. */
export interface CallPlace {
  readonly tenant: string;
  /** Empty if the call does not concern a room. */
  readonly room: string;
  /** Unique in the tenant; absent if the whole room is one thread. */
  readonly thread?: string;
}

/** Rate limit of a family of API methods in one room: a sustained rate, and a burst that is allowed after a pause. */
export interface RoomRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** At most `calls` calls in any period of `ms` milliseconds. */
export interface CallWindow {
  readonly calls: number;
  readonly ms: number;
}

/**
 * A limit that several families share: each of them lists it under the same `name`. Their calls count together, per
 * thread, per room or per tenant.
 */
export interface SharedWindows {
  readonly name: string;
  readonly of: 'thread' | 'room' | 'tenant';
  readonly windows: readonly CallWindow[];
}

/**
 * Limits of a family of API methods: calls per minute for a tenant, and the minimum gap between two calls of one
 * reply.
 */
export interface FamilyLimit {
  readonly perMinute?: number;
  readonly gapMs: number;
  /** A shorter gap, used while most of the tenant's calls per minute are unused. */
  readonly spareGapMs?: number;
  /**
   * Set if the channel itself enforces the gap. The gap then starts when the response to a call arrives, and even the
   * last calls of a reply respect it.
   */
  readonly strict?: true;
  /** Set for optional calls. They are made only while every shared window is at least half free. */
  readonly yields?: true;
  readonly perRoom?: RoomRate;
  readonly shared?: readonly SharedWindows[];
}
