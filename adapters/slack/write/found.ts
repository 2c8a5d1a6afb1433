/** How a looked-up message is told: its time stamp, and whether it may be a stream that is still open. */

const LIVE = 'live ';

export interface Hit {
  readonly ts: string;
  readonly live: boolean;
}

export const hitId = ({ ts, live }: Hit): string => (live ? `${LIVE}${ts}` : ts);

export const foundIn = (id: string): Hit =>
  id.startsWith(LIVE) ? { ts: id.slice(LIVE.length), live: true } : { ts: id, live: false };
