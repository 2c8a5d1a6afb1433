import { afterEach, beforeEach, expect, it } from 'vitest';
import { readCommand } from '../../../../adapters/slack/interactions/command.ts';
import { createPrivatePlaces, isPrivate } from '../../../../adapters/slack/private-places.ts';
import { actionValue } from '../../../../adapters/slack/render/actions.ts';
import type { Plain } from '../../../../src/kit/json.ts';
import { commandList } from '../../../../src/kit/ladder.ts';
import type { Message } from '../../../../src/kit.ts';
import { memoryKeyed } from '../keyed.ts';
import { documentOf, openRig, type Rig, TURN } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

const type = async (typed: string) => {
  const delivery = rig.asker.types(rig.room, typed);
  await rig.settled();
  return JSON.parse(delivery.attempts[0]?.body || '{}') as Plain;
};

const asked = (): Message => {
  const event = rig.intakes.at(-1);
  if (event?.kind !== 'ask') throw new Error('nothing was asked');
  return event.message;
};

it('asks in private at once, and stores the place of the answer', async () => {
  const said = await type('/ask What now?');
  expect(said).toEqual({ response_type: 'ephemeral', text: 'Asking. Only you will see the answer.' });
  const { thread, text, sender } = asked();
  expect({ text, kind: thread.kind, room: thread.room, by: sender.id }).toEqual({
    text: 'What now?',
    kind: 'direct',
    room: rig.room.id,
    by: rig.asker.id,
  });
  expect(isPrivate(thread)).toBe(true);
  const place = await createPrivatePlaces(memoryKeyed(rig.secrets)).find(thread);
  expect(place).toMatchObject({ user: rig.asker.id });
  expect(place?.responseUrl).toMatch(/\/response\//);
  expect([...rig.state]).toEqual([]);
});

it('is stored without the network', async () => {
  const before = rig.slack.log.calls.length;
  await type('/ask What now?');
  expect(rig.slack.log.calls.slice(before)).toEqual([]);
});

it('asks the agent that it names, in both notations', async () => {
  for (const typed of ['/ask ledger What now?', '/ask Ledger: What now?', '/ask @ledger What now?']) {
    expect((await type(typed)).text).toBe('Asking ledger. Only you will see the answer.');
    expect(asked()).toMatchObject({ agent: 'ledger', text: 'What now?' });
  }
  expect(readCommand('ledger', ['ledger'])).toEqual({ question: 'ledger' });
  expect(readCommand('somebody: What?', ['ledger'])).toEqual({ question: 'somebody: What?' });
});

it('answers with help if it contains no question', async () => {
  for (const typed of ['/ask', '/ask   ', '/ask help']) {
    expect(String((await type(typed)).text)).toContain('/ask agent question');
  }
  expect(rig.intakes).toEqual([]);
});

it('names every command in its help', async () => {
  const help = String((await type('/ask help')).text);
  const [, listed = ''] = /Commands in a thread or in our direct message: (.*)\./.exec(help) ?? [];
  expect(listed.replaceAll('&lt;', '<').replaceAll('&gt;', '>').split(', ')).toEqual(
    commandList.map(({ say }) => say),
  );
  expect(listed).toContain('search &lt;query&gt;');
});

it('answers with the reason of a refusal', async () => {
  rig.keeps = () => ({ kind: 'refused', tellUser: 'Use <@U0OTHER> & wait.' });
  expect((await type('/ask What now?')).text).toBe('Use &lt;@U0OTHER&gt; &amp; wait.');
});

it('answers with an error if the store is down', async () => {
  rig.secrets.set = () => {
    throw new Error('the store is down');
  };
  expect((await type('/ask What now?')).text).toMatch(/^That did not work/);
  expect(rig.intakes).toEqual([]);
});

it('starts a separate thread for each command', async () => {
  await type('/ask One?');
  const one = asked().thread.key;
  await type('/ask One?');
  expect(asked().thread.key).not.toBe(one);
});

it('shares the private answer in the channel on behalf of the asker', async () => {
  await type('/ask Which <!here> colour?');
  const { thread } = asked();
  const text = `It is **blue**. <!channel>\n\n${'Long. '.repeat(4_000)}`;
  rig.replies.set(TURN, documentOf({ text, question: 'Which <!here> colour?' }));
  const reply = {
    turn: TURN,
    question: asked().id,
    room: thread.room,
    key: thread.key,
    kind: 'direct',
  } as const;
  await pressPrivate('reply:share', actionValue(reply));
  const view = rig.asker.views().at(-1);
  if (view === undefined) throw new Error('no form');
  await rig.asker.submits(view, { what: { what: { selected_option: { value: 'answer' } } } });
  await rig.settled();
  const posted = rig.slack.messages(rig.room.id).filter(({ onlyFor }) => onlyFor === undefined);
  expect(posted).toHaveLength(3);
  expect(posted[0]?.text).toBe(`<@${rig.asker.id}> asks guide: Which &lt;!here&gt; colour?`);
  expect(posted.slice(1).map(({ threadTs }) => threadTs)).toEqual([posted[0]?.ts, posted[0]?.ts]);
  expect(JSON.stringify(posted.map(({ blocks }) => blocks))).not.toMatch(/<!(here|channel)>/);
});

it('answers a press on a private answer at the response URL of the press', async () => {
  await type('/ask What now?');
  const { thread, id } = asked();
  const places = createPrivatePlaces(memoryKeyed(rig.secrets));
  const before = await places.find(thread);
  const reply = { turn: TURN, question: id, room: thread.room, key: thread.key, kind: 'direct' } as const;
  await pressPrivate('reply:retry', actionValue(reply));
  expect(rig.intakes.at(-1)).toMatchObject({ origin: { kind: 'retry' }, message: { thread, text: '' } });
  const after = await places.find(thread);
  expect(after?.responseUrl).not.toBe(before?.responseUrl);
});

it('does not share an answer that is no longer stored', async () => {
  const reply = {
    turn: TURN,
    question: 'x',
    room: rig.room.id,
    key: `private-${rig.asker.id}-1`,
    kind: 'direct',
  } as const;
  await pressPrivate('reply:share', actionValue(reply));
  expect(JSON.stringify(rig.asker.views())).toContain('too old for its buttons');
});

it('accepts presses on a private answer in the direct message', async () => {
  rig.replies.set(TURN, documentOf());
  const reply = {
    turn: TURN,
    question: 'x',
    room: 'C0OTHER',
    key: `private-${rig.asker.id}-1`,
    kind: 'direct',
  } as const;
  await pressPrivate('reply:share', actionValue(reply), rig.asker.dm());
  expect(JSON.stringify(rig.asker.views())).toContain('The answer');
  await pressPrivate('reply:share', actionValue({ ...reply, key: '1793491200.000100' }), rig.asker.dm());
  expect(JSON.stringify(rig.asker.views())).toContain(
    'This button belongs to an answer in another conversation',
  );
});

/** Presses a button in an ephemeral message. Slack sends such a press without the message. */
async function pressPrivate(actionId: string, value: string, room = rig.room): Promise<void> {
  const { workspace, slack, asker } = rig;
  const button = { type: 'button', action_id: actionId, text: { type: 'plain_text', text: 'Share' }, value };
  const answer = await fetch(`${slack.apiUrl}chat.postEphemeral`, {
    method: 'POST',
    headers: { authorization: `Bearer ${workspace.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      channel: room.id,
      user: asker.id,
      text: 'An answer',
      blocks: [{ type: 'actions', elements: [button] }],
    }),
  });
  const { message_ts: ts } = (await answer.json()) as { message_ts: string };
  const message = slack.messages(room.id).find((each) => each.ts === ts);
  if (message === undefined) throw new Error('the note is not there');
  asker.presses(message, actionId);
  await rig.settled();
}
