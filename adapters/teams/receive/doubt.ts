/** Tells the operator of requests that are refused: a wrong setting would refuse everything in silence. */

import { createSeldom } from '../../../src/kit/seldom.ts';
import type { Clock, Log } from '../../../src/kit.ts';

const SENTENCES = {
  issuer:
    'A request to /api/messages was refused: its token is not of the Bot Connector of this cloud. If it came from Teams, check MICROSOFT_APP_CLOUD.',
  bot: 'A request to /api/messages was refused: its token is for another bot than MICROSOFT_APP_ID. If it came from Teams, compare that with the Microsoft App ID of the bot in Azure.',
  host: "A request to /api/messages was refused: it wants to be answered at an address that is none of Microsoft's Bot Connector.",
  token:
    "A request to /api/messages was refused: its token is not good. If it came from Teams, this machine's clock may be off.",
  channel: 'A request to /api/messages was refused: it comes from another channel than Teams.',
  service: 'A request to /api/messages was refused: it names another address to answer to than its token.',
  tenant:
    'A request to /api/messages was refused: it comes from another organisation than MICROSOFT_APP_TENANT_ID.',
} as const;

type Kind = keyof typeof SENTENCES;

export interface Doubt {
  refused(kind: Kind): void;
  keysMissing(cause: unknown): void;
}

export function createDoubt(clock: Clock, log: Log): Doubt {
  const seldom = createSeldom(clock);
  return {
    refused: (kind) => seldom(kind, () => log.warn({}, SENTENCES[kind])),
    keysMissing: (err) =>
      seldom('keys', () =>
        log.error({ err }, "Microsoft's keys could not be had, so that no request of Teams can be proven"),
      ),
  };
}
