/** The channel's ids as the bridge keeps them. */

export const CHANNEL = 'slack';

/** Marks on messages that the app posts with a person's words: a question that was pressed, and what was shared. */
export const ACT_MARK = 'parley_act';
export const SHARE_MARK = 'parley_share';

/** A message's time stamp is unique in its conversation only, so the conversation stands before it. */
export function messageId(conversation: string, ts: string): string {
  return `${conversation}/${ts}`;
}

/** The time stamp inside a message's id. */
export function tsOf(id: string): string {
  return id.slice(id.indexOf('/') + 1);
}

/**
 * Converts a time stamp ("1793491200.000100") to milliseconds since the epoch, with the microseconds as a fraction,
 * because messages of one thread may differ only in those. Returns 0 if the text is not a time stamp.
 */
export function timeOf(ts: string): number {
  const [seconds = '', micros = ''] = ts.split('.');
  const ms = Number(seconds) * 1000 + Number(micros.padEnd(6, '0').slice(0, 6)) / 1000;
  return Number.isFinite(ms) ? ms : 0;
}

/** Of two edits the later has the larger number: the edit's own time in microseconds, exact below 2^53. */
export function revisionOf(edited: string): number {
  const [seconds = '', micros = ''] = edited.split('.');
  const revision = Number(seconds) * 1_000_000 + Number(micros.padEnd(6, '0').slice(0, 6));
  return Number.isSafeInteger(revision) && revision > 0 ? revision : 1;
}
