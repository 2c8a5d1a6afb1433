/** Conversions between Slack's ids and those that the bridge stores. */

export const CHANNEL = 'slack';

/**
 * Metadata types that mark messages posted on behalf of a person: a question asked with a button or form, and a share.
 */
export const ACT_MARK = 'parley_act';
export const SHARE_MARK = 'parley_share';

/**
 * Returns the bridge's id of a message. It contains the conversation, because a time stamp is unique only within a
 * conversation.
 */
export function messageId(conversation: string, ts: string): string {
  return `${conversation}/${ts}`;
}

/** Adds the workspace to the private metadata of a form or a home. */
export const withTenant = (metadata: string, tenant: string): string => `${metadata}\n${tenant}`;

/** Reads private metadata to which `withTenant` may have added the workspace. */
export function readMetadata(written: string): { readonly metadata: string; readonly tenant?: string } {
  const [, metadata = '', tenant = ''] = /^(.*)\n(T[A-Z0-9]+)$/s.exec(written) ?? [];
  return tenant === '' ? { metadata: written } : { metadata, tenant };
}

/** Returns the time stamp that a message's id contains. */
export function tsOf(id: string): string {
  return id.slice(id.indexOf('/') + 1);
}

/**
 * Converts a time stamp ("1793491200.000100") to milliseconds since the epoch, with the microseconds as a fraction,
 * because messages of one thread may differ only in the microseconds. Returns 0 if the text is not a time stamp.
 */
export function timeOf(ts: string): number {
  const [seconds = '', micros = ''] = ts.split('.');
  const ms = Number(seconds) * 1000 + Number(micros.padEnd(6, '0').slice(0, 6)) / 1000;
  return Number.isFinite(ms) ? ms : 0;
}

/**
 * Converts an edit's time stamp to microseconds. The number is exact (below 2^53), so a later edit always has a larger
 * number.
 */
export function revisionOf(edited: string): number {
  const [seconds = '', micros = ''] = edited.split('.');
  const revision = Number(seconds) * 1_000_000 + Number(micros.padEnd(6, '0').slice(0, 6));
  return Number.isSafeInteger(revision) && revision > 0 ? revision : 1;
}
