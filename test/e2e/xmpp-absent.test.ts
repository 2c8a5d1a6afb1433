/** Tests on real servers what becomes of an answer when its person is away. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectPerson, shownIn } from '../fakes/xmpp/person.ts';
import { DOMAIN, missing, type ServerName } from '../fakes/xmpp/servers.ts';
import { BRIDGE, openStage, type XmppStage } from './house/xmpp-stage.ts';

const eventually = (look: () => unknown) => expect.poll(look, { timeout: 30_000, interval: 100 });

describe.each<ServerName>(['prosody', 'ejabberd'])('on %s', (name) => {
  const reason = missing(name);
  if (reason !== undefined) {
    test.skip(reason, () => undefined);
    return;
  }
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
