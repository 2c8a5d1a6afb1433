/** Tells the operator of requests that are not proven to be Slack's: a wrong secret would refuse everything in silence. */

import type { Clock, Log } from '../../../src/kit.ts';

/** Anybody can send such requests, so a line stands for all of a minute. */
const TOLD_EVERY_MS = 60_000;

export function createDoubt(clock: Clock, log: Log): () => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock.now();
    if (Math.abs(now - toldAt) < TOLD_EVERY_MS) return;
    toldAt = now;
    log.warn(
      {},
      'A request to /slack/events was refused: its signature does not fit SLACK_SIGNING_SECRET. If it came from Slack, copy the signing secret anew from "Basic Information" of the app.',
    );
  };
}
