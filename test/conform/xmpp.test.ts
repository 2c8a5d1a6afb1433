/** Runs the checks of `parley conform` on XMPP, with each server. */

import { describe, test } from 'vitest';
import { unless } from '../fakes/xmpp/on-servers.ts';
import { missing, type ServerName } from '../fakes/xmpp/servers.ts';
import { expectConforms } from './expect-conforms.ts';
import { channel, openXmpp } from './xmpp.ts';

/** Time for all checks on a busy machine; on an idle one, they take 106 s. */
const TEST_MS = 600_000;

// The checks mostly wait, so both servers are checked at the same time.
describe.concurrent.each<ServerName>(['prosody', 'ejabberd'])('on %s', (name) =>
  unless(missing(name), () =>
    test('XMPP conforms', { timeout: TEST_MS }, () =>
      expectConforms({
        channel,
        openRig: openXmpp(name),
        runs: 4,
        // No server refuses a message because of its form, and no event comes from elsewhere. The rig knows no two people
        // of one name. People read styled text as it is.
        notChecked: [
          'faults.invalid',
          'content.markdown',
          'intake.namesakes',
          'intake.forged',
          'actions.forged',
        ],
      }),
    ),
  ));
