/** The bridge's acknowledgements of events. */

export interface Acceptance {
  /** Time of the first acknowledgement. */
  readonly at: number;
  /** Number of acknowledged copies. */
  readonly copies: number;
}

export const messageKey = (team: string, channel: string, ts: string): string => `${team} ${channel} ${ts}`;

/** Returns the acknowledgements of each message. */
export function acceptances(
  events: readonly { readonly key: string; readonly times: readonly number[] }[],
): ReadonlyMap<string, Acceptance> {
  const accepted = new Map<string, Acceptance>();
  for (const { key, times } of events) {
    if (times.length === 0) continue;
    const { at, copies } = accepted.get(key) ?? { at: Number.POSITIVE_INFINITY, copies: 0 };
    accepted.set(key, { at: Math.min(at, ...times), copies: copies + times.length });
  }
  return accepted;
}

/** An acknowledged change of a question. */
export interface Change {
  readonly key: string;
  /** The new text; absent for a deletion. */
  readonly text?: string;
  readonly times: readonly number[];
}

export interface Inbound {
  readonly accepted: ReadonlyMap<string, Acceptance>;
  readonly changes: ReadonlyMap<string, readonly Change[]>;
}

/**
 * Returns what the bridge knows of a question. This includes edits and deletions whose events came before the event of
 * the question.
 */
export function knownOf({ accepted, changes }: Inbound, key: string, ids: readonly string[]) {
  const { at, copies = 0 } = accepted.get(key) ?? {};
  const heard = (changes.get(key) ?? []).filter(({ times }) => times.length > 0);
  const isHeard = (id: string) => heard.some(({ text }) => text?.includes(id) === true);
  const edits = ids.slice(1);
  const missed = edits.findIndex((id) => !isHeard(id));
  return {
    copies,
    heardEdits: missed < 0 ? edits.length : missed,
    isDeletionHeard: heard.some(({ text }) => text === undefined),
    ...(at !== undefined && { acceptedAt: at }),
  };
}
