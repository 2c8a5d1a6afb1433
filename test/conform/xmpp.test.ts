/** Runs the checks of `parley conform` on XMPP, with each server. */

import { test } from 'vitest';
import { onServers } from '../fakes/xmpp/on-servers.ts';
import { expectConforms } from './expect-conforms.ts';
import { channel, openXmpp } from './xmpp.ts';

onServers((name) => {
  test('XMPP conforms', () =>
    expectConforms({
      channel: channel(),
      openRig: openXmpp(name),
      // No server refuses a message because of its form.
      notChecked: ['faults.invalid'],
    }));
});
