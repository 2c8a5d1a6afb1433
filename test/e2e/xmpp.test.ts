/** Tests the XMPP channel on real servers, prosody and ejabberd, with clients of another library. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missing, type ServerName } from '../fakes/xmpp/servers.ts';
import { BRIDGE, openStage, ROOM, type XmppStage } from './house/xmpp-stage.ts';

const eventually = (look: () => unknown) => expect.poll(look, { timeout: 20_000, interval: 50 });

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

  test('a mention in a room is answered by one message, which grows by corrections and ends', async () => {
    const ann = stage.person('ann');
    const { id, text } = stage.question({ ms: 2_000, chars: 900 });
    await ann.says(ROOM, `Parley: ${text}`);
    const ours = () => stage.shown(ROOM).filter(({ text: said }) => said.includes(`canary=${id}`));
    await eventually(() => ours()[0]?.text).toContain(`The end of canary=${id}.`);
    const [answer] = ours();
    expect(ours()).toHaveLength(1);
    expect(answer?.texts.length).toBeGreaterThan(2);
    expect(answer?.text.startsWith(answer.texts[0]?.slice(0, 20) ?? '-')).toBe(true);
  });

  test('a direct message is answered without a mention', async () => {
    const { id, text } = stage.question();
    await stage.person('ben').says(BRIDGE, text);
    await eventually(() => stage.shown(BRIDGE, 'ben').at(-1)?.text).toContain(`The end of canary=${id}.`);
    expect(stage.shown(BRIDGE, 'ben')).toHaveLength(1);
  });
});
