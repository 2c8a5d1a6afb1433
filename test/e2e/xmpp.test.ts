/** Tests the XMPP channel on real servers, prosody and ejabberd, with clients of another library. */

import { xml } from '@xmpp/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onServers } from '../fakes/xmpp/on-servers.ts';
import { connectPerson, shownIn } from '../fakes/xmpp/person.ts';
import { DOMAIN } from '../fakes/xmpp/servers.ts';
import { BRIDGE, openStage, ROOM, type XmppStage } from './house/xmpp-stage.ts';

const eventually = (look: () => unknown) => expect.poll(look, { timeout: 60_000, interval: 50 });

onServers((name) => {
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

  const ends = (id: string) => `The end of canary=${id}.`;
  const said = (place: string, id: string, user?: 'ann' | 'ben') =>
    stage.shown(place, user).filter(({ text }) => text.includes(`canary=${id}`));
  const answered = async (place: string, id: string, user?: 'ann' | 'ben') => {
    await eventually(() => said(place, id, user).at(-1)?.text ?? '').toContain(ends(id));
    return said(place, id, user);
  };

  test('answers of two people in a room run at the same time and refer to their questions', async () => {
    const [one, other] = [stage.question(), stage.question()];
    await stage.person('ann').says(ROOM, `Parley: ${one.text}`);
    await stage.person('ben').says(ROOM, `@Parley ${other.text}`);
    const [first, second] = [await answered(ROOM, one.id), await answered(ROOM, other.id)];
    expect([first.length, second.length]).toEqual([1, 1]);
    const asked = stage
      .person('ann')
      .seen(ROOM)
      .filter(({ text }) => text.includes('say {'));
    const idOf = (id: string) => asked.find(({ text }) => text.includes(id))?.stanzaId;
    expect(first[0]?.replyTo).toBe(idOf(one.id));
    expect(second[0]?.replyTo).toBe(idOf(other.id));
  });

  test('an answer to an answer, and a message in its thread, are follow-up questions without a mention', async () => {
    const [root, next, third] = [stage.question(), stage.question(), stage.question()];
    const ann = stage.person('ann');
    await ann.says(ROOM, `Parley: ${root.text}`, { thread: 'ideas' });
    const [answer] = await answered(ROOM, root.id);
    expect(answer?.thread).toBe('ideas');
    const reply = xml('reply', {
      xmlns: 'urn:xmpp:reply:0',
      to: answer?.from,
      id: answer?.stanzaId ?? answer?.id,
    });
    await stage.person('ben').says(ROOM, next.text, { extra: [reply] });
    expect((await answered(ROOM, next.id))[0]?.thread).toBe('ideas');
    await ann.says(ROOM, third.text, { thread: 'ideas' });
    await answered(ROOM, third.id);
  });

  test('what people say to each other is not answered', async () => {
    const [other, own] = [stage.question(), stage.question()];
    const ann = stage.person('ann');
    await ann.says(ROOM, `ben: ${other.text}`);
    await ann.says(ROOM, `I like Parley. ${other.text}`);
    await ann.says(ROOM, `Parley: ${own.text}`);
    await answered(ROOM, own.id);
    expect(stage.shown(ROOM).filter(({ text }) => text.includes(`canary=${other.id}`))).toEqual([]);
  });

  test('a corrected question is answered again in place, and a retracted one takes its answer back', async () => {
    const [one, other] = [stage.question(), stage.question()];
    const ann = stage.person('ann');
    const id = await ann.says(BRIDGE, one.text);
    await answered(BRIDGE, one.id);
    await ann.says(BRIDGE, other.text, {
      extra: [xml('replace', { xmlns: 'urn:xmpp:message-correct:0', id })],
    });
    await eventually(() => said(BRIDGE, other.id).at(-1)?.text ?? '').toContain(ends(other.id));
    expect(said(BRIDGE, one.id)).toEqual([]);
    const retract = xml('retract', { xmlns: 'urn:xmpp:message-retract:1', id });
    await ann.send(xml('message', { to: BRIDGE, type: 'chat', id: `${id}-gone` }, retract));
    await eventually(() => said(BRIDGE, other.id)).toEqual([]);
  });

  test('a question is retracted in a room by its author, and by nobody else', async () => {
    const { id, text } = stage.question();
    const ann = stage.person('ann');
    await ann.says(ROOM, `Parley: ${text}`);
    await answered(ROOM, id);
    const question = ann.seen(ROOM).find((each) => each.text.includes(`"${id}"`));
    const retract = (from: 'ann' | 'ben') =>
      stage
        .person(from)
        .send(
          xml(
            'message',
            { to: ROOM, type: 'groupchat', id: `${from}-${id}` },
            xml('retract', { xmlns: 'urn:xmpp:message-retract:1', id: question?.stanzaId }),
            xml('body', {}, 'I take this back'),
          ),
        );
    await retract('ben');
    const next = stage.question();
    await stage.person('ben').says(ROOM, `Parley: ${next.text}`);
    await answered(ROOM, next.id);
    expect(said(ROOM, id)).toHaveLength(1);
    await retract('ann');
    await eventually(() => said(ROOM, id)).toEqual([]);
  });

  test('nicknames are no identity: another person with the same nickname corrects nothing', async () => {
    const { id, text } = stage.question();
    const [ann, robot] = [stage.person('ann'), stage.person('robot')];
    const sent = await ann.says(ROOM, `Parley: ${text}`);
    await answered(ROOM, id);
    await ann.send(xml('presence', { to: `${ROOM}/ann-away` }));
    await robot.sees(({ attrs }) => attrs.from === `${ROOM}/ann-away`);
    await robot.join(ROOM, 'ann');
    const replace = xml('replace', { xmlns: 'urn:xmpp:message-correct:0', id: sent });
    await robot.says(ROOM, 'Parley: something else', { extra: [replace] });
    const next = stage.question();
    await ann.says(ROOM, `Parley: ${next.text}`);
    await answered(ROOM, next.id);
    expect(said(ROOM, id)).toHaveLength(1);
    expect(said(ROOM, next.id)).toHaveLength(1);
    await robot.join(ROOM, 'robot');
    await ann.join(ROOM, 'ann');
  });

  test('a reaction counts as feedback, and a receipt is sent', async () => {
    const { id, text } = stage.question();
    const ann = stage.person('ann');
    const sent = await ann.says(BRIDGE, text, { extra: [xml('request', { xmlns: 'urn:xmpp:receipts' })] });
    const [answer] = await answered(BRIDGE, id);
    await ann.sees((each) => each.getChild('received', 'urn:xmpp:receipts')?.attrs.id === sent);
    const reactions = xml(
      'reactions',
      { xmlns: 'urn:xmpp:reactions:0', id: answer?.id },
      xml('reaction', {}, '👍🏽'),
    );
    await ann.send(xml('message', { to: BRIDGE, type: 'chat', id: `${sent}-up` }, reactions));
    await eventually(() => stage.feedback()).toContain('up');
  });

  test('regenerate asks again, and the new answer replaces the old one', async () => {
    const { id, text } = stage.question();
    await stage.person('ben').says(BRIDGE, text);
    const [first] = await answered(BRIDGE, id, 'ben');
    const before = stage.platform.askings.length;
    await stage.person('ben').says(BRIDGE, 'regenerate');
    await eventually(() => stage.platform.askings.length).toBe(before + 1);
    await eventually(() => said(BRIDGE, id, 'ben').at(-1)?.text ?? '').toContain('Version 2 of 2');
    expect(said(BRIDGE, id, 'ben').map((each) => each.id)).toEqual([first?.id]);
  });

  test('a program that answers every message is answered five times, then told, then ignored', async () => {
    const robot = stage.person('robot');
    const asked: string[] = [];
    const ask = async () => {
      const { id, text } = stage.question({ ms: 100, chars: 100 });
      asked.push(id);
      await robot.says(BRIDGE, `${text} and so on, because this is what I say to everything`);
    };
    await ask();
    for (let nth = 1; nth < 7; nth += 1) {
      await eventually(() => stage.shown(BRIDGE, 'robot').length).toBeGreaterThanOrEqual(nth);
      const isOver = stage.shown(BRIDGE, 'robot').some(({ text }) => text.includes('as a program does'));
      if (isOver) break;
      const last = asked.at(-1) ?? '';
      await eventually(() => stage.shown(BRIDGE, 'robot').at(-1)?.text ?? '').toMatch(
        new RegExp(`end of canary=${last}|as a program`),
      );
      await ask();
    }
    const notes = stage.shown(BRIDGE, 'robot').filter(({ text }) => text.includes('as a program does'));
    expect(notes).toHaveLength(1);
    const answers = stage.shown(BRIDGE, 'robot').filter(({ text }) => text.includes('The end of'));
    expect(answers.length).toBeLessThanOrEqual(6);
  });

  test('a direct answer is complete in the archive if its person goes offline while it grows', async () => {
    const { id, text } = stage.question({ ms: 3_000, everyMs: 50, chars: 900 });
    const ben = stage.person('ben');
    await ben.says(BRIDGE, text);
    await eventually(() => said(BRIDGE, id, 'ben').length).toBe(1);
    await ben.close();
    const reader = await connectPerson(stage.server.port, 'ben', false);
    const archived = async () =>
      shownIn(await reader.archive(`ben@${DOMAIN}`), BRIDGE).filter((each) => each.text.includes(id));
    await expect
      .poll(async () => (await archived()).at(-1)?.text, { timeout: 30_000, interval: 500 })
      .toContain(ends(id));
    expect(await archived()).toHaveLength(1);
    await reader.close();
  });

  test('a cut connection and a restarted server lose no question and double no answer', async () => {
    const { id, text } = stage.question({ ms: 6_000, chars: 900 });
    await stage.person('ann').says(ROOM, `Parley: ${text}`);
    await eventually(() => said(ROOM, id).length).toBe(1);
    await stage.server.restart();
    await stage.reconnect();
    const history = () => stage.archived(ROOM, id);
    await expect
      .poll(history, { timeout: 60_000, interval: 500 })
      .toMatchObject({ text: expect.stringContaining(ends(id)), posts: 1 });
  });

  test('after a kill of the bridge, the running answer ends in its message, and questions asked meanwhile are answered', async () => {
    const [running, meanwhile] = [stage.question({ ms: 3_000, chars: 900 }), stage.question()];
    const ann = stage.person('ann');
    await ann.says(ROOM, `Parley: ${running.text}`);
    await eventually(() => said(ROOM, running.id).length).toBe(1);
    await stage.parley().kill();
    await ann.says(ROOM, `Parley: ${meanwhile.text}`);
    await stage.startBridge();
    await answered(ROOM, meanwhile.id);
    await eventually(() => said(ROOM, running.id)[0]?.text ?? '').toMatch(/interrupted|The end of/);
    expect(said(ROOM, running.id)).toHaveLength(1);
    expect(said(ROOM, meanwhile.id)).toHaveLength(1);
    expect(stage.platform.askings.filter(({ id }) => id === meanwhile.id)).toHaveLength(1);
  });
});
