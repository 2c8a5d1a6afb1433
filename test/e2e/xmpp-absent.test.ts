/** Tests on real servers that a direct answer is completed although the person has gone offline. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { onServers } from '../fakes/xmpp/on-servers.ts';
import { connectPerson, shownIn } from '../fakes/xmpp/person.ts';
import { DOMAIN } from '../fakes/xmpp/servers.ts';
import { BRIDGE, openStage, type XmppStage } from './house/xmpp-stage.ts';

const eventually = (look: () => unknown) => expect.poll(look, { timeout: 30_000, interval: 100 });

onServers((name) => {
  let stage: XmppStage;
  beforeAll(async () => {
    stage = await openStage(name);
  });
  afterAll(() => stage?.close());

  test('a direct answer is complete in the archive if its person goes offline while it grows', async () => {
    const { id, text } = stage.question({ ms: 3_000, everyMs: 50, chars: 900 });
    const ben = stage.person('ben');
    await ben.says(BRIDGE, text);
    await eventually(() => stage.shown(BRIDGE, 'ben').at(-1)?.text ?? '').toContain(`canary=${id}`);
    await ben.close();
    const reader = await connectPerson(stage.server.port, 'ben', false);
    const archived = async () =>
      shownIn(await reader.archive(`ben@${DOMAIN}`), BRIDGE).filter((each) => each.text.includes(id));
    await expect
      .poll(async () => (await archived()).at(-1)?.text, { timeout: 30_000, interval: 500 })
      .toContain(`The end of canary=${id}.`);
    expect(await archived()).toHaveLength(1);
    await reader.close();
  });
});
