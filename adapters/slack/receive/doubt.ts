/** Tells the operator of requests that are not proven to be Slack's: a wrong secret would refuse everything in silence. */

import { createSeldom } from '../../../src/kit/seldom.ts';
import type { Clock, Log } from '../../../src/kit.ts';

export function createDoubt(clock: Clock, log: Log): () => void {
  const seldom = createSeldom(clock);
  return () =>
    seldom('signature', () =>
      log.warn(
        {},
        'A request to /slack/events was refused: its signature does not fit SLACK_SIGNING_SECRET. If it came from Slack, copy the signing secret anew from "Basic Information" of the app.',
      ),
    );
}
