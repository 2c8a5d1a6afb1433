import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { turnId } from '../../../../src/kit.ts';
import type { Conversation, FakePerson, FakeTenant, Message } from '../../../fakes/teams/index.ts';
import { type Rig, startRig } from '../rig.ts';
import { answer, documentOf, TURN, turnOf, write } from './rig.ts';

let rig: Rig;
let tenant: FakeTenant;
let room: Conversation;
let asker: FakePerson;

const open = async (config: Parameters<typeof startRig>[0] = {}) => {
  rig = await startRig(config);
  tenant = rig.fake.tenant();
  room = tenant.team().channel();
  asker = tenant.person({ name: 'Engineer' });
};
beforeEach(() => open());
afterEach(() => rig.close());

const told = async (pressed: ReturnType<FakePerson['presses']>): Promise<unknown> =>
  (await pressed.answer)?.value;

const press = (message: Message, what: string, inputs?: Record<string, string>) =>
  told(asker.presses(message, what, inputs));

/** Sends a press with changed data, as an attacker could. */
const forge = async (
  where: { message: Message; place: Conversation; by?: FakePerson },
  change: (data: Record<string, unknown>) => object,
  verb = 'parley.stop',
  besides: object = {},
): Promise<unknown> => {
  const { message, place, by = asker } = where;
  const [card] = message.shown.attachments;
  const found = /"data":(\{"parley":1[^}]*\})/.exec(JSON.stringify(card)) ?? [];
  const data = JSON.parse(found[1] ?? '{}') as Record<string, unknown>;
  const delivery = by.sends(place, {
    type: 'invoke',
    name: 'adaptiveCard/action',
    id: `f:${Math.random()}`,
    ...besides,
    replyToId: message.id,
    value: { action: { type: 'Action.Execute', verb, data: change({ ...data, kind: verb.slice(7) }) } },
  });
  const attempt = await delivery.done;
  const read = JSON.parse(attempt?.body ?? '{}') as { value?: unknown };
  return read.value;
};

it('stops its reply, and says if the reply had ended before', async () => {
  const { reply } = await answer(rig, asker, room, documentOf({ state: 'writing' }));
  rig.kept = () => ({ kind: 'stopped' });
  expect(await press(reply, 'Stop')).toMatch(/^Stopping/);
  expect(rig.taken).toMatchObject([{ kind: 'stop', turn: TURN, by: { id: asker.aadObjectId } }]);
  rig.kept = () => ({ kind: 'nothing-to-stop' });
  expect(await press(reply, 'Stop')).toBe('This answer has already ended.');
});

it('asks again in the same reply, as the person who pressed, and without a text', async () => {
  const { reply, root, thread } = await answer(rig, asker, room, documentOf({ retry: true }));
  const other = tenant.person({ name: 'Colleague' });
  other.says(room, 'Hello', { silent: true });
  await other.presses(reply, 'Retry').answer;
  await press(reply, 'Regenerate');
  expect(rig.taken).toMatchObject([
    {
      origin: { kind: 'retry', of: TURN, by: other.aadObjectId },
      message: { id: `${room.id}/${root}`, text: '', thread, sender: { name: 'Colleague' } },
    },
    { origin: { kind: 'regenerate', of: TURN, by: asker.aadObjectId } },
  ]);
});

it('says in one sentence why the question could not be asked again', async () => {
  const { reply } = await answer(rig, asker, room);
  rig.kept = () => ({ kind: 'refused', tellUser: 'Please ask the question again.' });
  expect(await press(reply, 'Regenerate')).toBe('Please ask the question again.');
  rig.kept = () => {
    throw new Error('the store is down');
  };
  expect(await press(reply, 'Regenerate')).toMatch(/^That did not work/);
});

it('shows another version, and distinguishes presses', async () => {
  const document = documentOf({ editions: { shown: 1, count: 2 } });
  const { reply, thread } = await answer(rig, asker, room, document);
  await press(reply, '›');
  await press(reply, '›');
  expect(rig.taken).toMatchObject([
    { kind: 'show', turn: TURN, edition: 2, thread },
    { kind: 'show', turn: TURN, edition: 2, thread },
  ]);
  const keys = rig.taken.map((each) => each.kind === 'show' && each.key);
  expect(new Set(keys).size).toBe(2);
});

it('asks a suggestion to its agent, and the same question to another agent', async () => {
  const { reply, thread } = await answer(rig, asker, room);
  expect(await press(reply, 'And at night?')).toMatch(/^Asking/);
  await press(reply, 'Ask', { agent: 'knowledge' });
  expect(rig.taken).toMatchObject([
    { origin: { kind: 'act' }, message: { text: 'And at night?', agent: 'guide', thread } },
    { origin: { kind: 'act', of: TURN }, message: { text: '', agent: 'knowledge', thread } },
  ]);
});

it('posts the question above its answer once, even if another process continues', async () => {
  const { reply, thread } = await answer(rig, asker, room);
  await press(reply, 'And at night?');
  const [asked] = rig.taken.splice(0);
  if (asked?.kind !== 'ask') throw new Error('nothing was asked');
  const turn = { ...turnOf(thread, 'x', asker, turnId('pressed')), message: asked.message };
  const before = rig.fake.messages(room).length;
  const since = () =>
    rig.fake
      .messages(room)
      .slice(before)
      .map(({ shown }) => shown.text);
  await write(rig, turn, documentOf({ state: 'writing', text: 'Dark' }));
  expect(since().slice(0, 2)).toEqual(['**Engineer asks guide:**\n\n> And at night?', 'Dark']);
  await rig.restart();
  await write(rig, { ...turn, attempt: 2 }, documentOf({ text: 'Dark blue.' }));
  expect(since().filter((text) => text.includes('asks guide'))).toHaveLength(1);
});

it('gives a repeated press the same key, so that the question is asked once', async () => {
  const { reply } = await answer(rig, asker, room);
  const pressed = asker.presses(reply, 'And at night?');
  await pressed.answer;
  await rig.fake.events.again(pressed.delivery).done;
  const origins = rig.taken.map((each) => each.kind === 'ask' && each.origin);
  expect(origins).toHaveLength(2);
  expect(origins[0]).toEqual(origins[1]);
});

it('responds in time and acts later if the look-up of the person is slow', async () => {
  const { reply } = await answer(rig, asker, room);
  const other = tenant.person({ name: 'Colleague' });
  other.says(room, 'Hello', { silent: true });
  rig.fake.plant({ kind: 'slow', ms: 2_500, method: 'member' });
  expect(await told(other.presses(reply, 'Regenerate'))).toBe('One moment…');
  expect(rig.taken).toEqual([]);
  await expect.poll(() => rig.taken.length).toBe(1);
});

it('sends a late refusal again until Teams accepts it, because the press was acknowledged', async () => {
  const { reply } = await answer(rig, asker, room);
  rig.kept = () => ({ kind: 'refused', tellUser: 'Please wait a minute.' });
  rig.fake.plant({ kind: 'slow', ms: 2_500, method: 'member' });
  const refused = rig.fake.plant({ kind: 'refuse', method: 'send', count: 2 });
  const other = tenant.person({ name: 'Colleague' });
  other.says(room, 'Hello', { silent: true });
  expect(await told(other.presses(reply, 'Regenerate'))).toBe('One moment…');
  const notes = () => rig.fake.messages(room).filter(({ shown }) => shown.text === 'Please wait a minute.');
  await expect.poll(notes, { timeout: 60_000 }).toHaveLength(1);
  expect(refused.hits).toBe(2);
});

it('sends the refusal as a note if the response is already sent', async () => {
  const { reply, root } = await answer(rig, asker, room);
  const guest = tenant.person({ role: 'guest' });
  guest.says(room, 'Hello', { silent: true });
  rig.fake.plant({ kind: 'slow', ms: 2_500, method: 'member' });
  await guest.presses(reply, 'Regenerate').answer;
  const said = () =>
    rig.fake
      .screen(room)
      .filter((each) => each.root === root && each.by === 'app')
      .at(-1)?.text;
  await expect.poll(said).toMatch(/^Guests and people from other/);
  expect(rig.taken).toEqual([]);
});

describe('Ask as me', () => {
  it('asks the answer’s question in the person’s own chat', async () => {
    const { reply, thread } = await answer(rig, asker, room);
    const own = asker.dm();
    expect(await press(reply, 'Ask as me')).toContain('our personal chat');
    expect(rig.taken).toMatchObject([
      {
        origin: { kind: 'act', of: TURN, from: thread },
        message: { text: '', agent: 'guide', thread: { room: own.id, key: own.id, kind: 'direct' } },
      },
    ]);
  });

  it('explains how to add the app to people who have not', async () => {
    const { reply } = await answer(rig, asker, room);
    expect(await press(reply, 'Ask as me')).toContain('Add me there first');
    expect(rig.taken).toEqual([]);
  });

  it('is answered in the thread, visible to one person, if targeted messages are on', async () => {
    await rig.close();
    await open({ config: { targeted: true } });
    const { reply, root } = await answer(rig, asker, room);
    await press(reply, 'Ask as me');
    const [asked] = rig.taken;
    if (asked?.kind !== 'ask') throw new Error('nothing was asked');
    const { thread } = asked.message;
    expect(thread).toMatchObject({ room: room.id, kind: 'direct' });
    const turn = { ...turnOf(thread, 'x', asker), message: asked.message };
    await write(rig, turn, documentOf());
    const seen = rig.fake.screen(room).at(-1);
    expect(seen).toMatchObject({ onlyFor: 'Engineer', root });
    expect(asker.offers(rig.fake.messages(room).at(-1) ?? reply)).toContain('Share');
  });

  it('grows there too', async () => {
    await rig.close();
    await open({ config: { targeted: true } });
    const { reply } = await answer(rig, asker, room);
    await press(reply, 'Ask as me');
    const [asked] = rig.taken;
    if (asked?.kind !== 'ask') throw new Error('nothing was asked');
    const turn = { ...turnOf(asked.message.thread, 'x', asker), message: asked.message };
    const growing = documentOf({ state: 'writing', text: 'It is', sources: [] });
    await write(rig, turn, growing, documentOf({ version: 2 }));
    const seen = rig.fake.screen(room).filter(({ onlyFor }) => onlyFor !== undefined);
    // One message has the text, and the other has the card below it.
    expect(seen.map(({ text, edited }) => [text, edited])).toEqual([
      ['It is **blue** [1].', true],
      ['', true],
    ]);
  });
});

describe('a forged press', () => {
  it.each([
    ['of another conversation', { room: '19:other@thread.tacv2', key: '1' }],
    ['of another thread', { key: '1234' }],
    ['of another kind of place', { place: 'direct' }],
  ])('does nothing: %s', async (_, change) => {
    const { reply, root } = await answer(rig, asker, room);
    const place = { ...room, id: `${room.id};messageid=${root}` };
    expect(await forge({ message: reply, place }, (data) => ({ ...data, ...change }))).toMatch(
      /belongs to an answer in another conversation/,
    );
    expect(rig.taken).toEqual([]);
  });

  it.each([
    ['another shape', (data: object) => ({ ...data, parley: 2 })],
    ['no turn', (data: object) => ({ ...data, turn: '' })],
    ['no data', () => ({})],
    ['a kind that its verb is not', (data: object) => ({ ...data, kind: 'retry' })],
  ])('does nothing: with %s', async (_, change) => {
    const { reply } = await answer(rig, asker, room);
    expect(await forge({ message: reply, place: room }, change)).toMatch(/^This answer is too old/);
    expect(rig.taken).toEqual([]);
  });

  it.each([
    ['version 0', 'parley.show', { detail: '0' }],
    ['a version that is not a number', 'parley.show', { detail: 'two' }],
    ['an agent that is not there', 'parley.agent', { agent: 'treasury' }],
    ['no agent', 'parley.agent', {}],
    ["a share of a room's whole answer", 'parley.share', { where: 'here' }],
  ])('does nothing: for %s', async (_, verb, change) => {
    const { reply } = await answer(rig, asker, room);
    const before = rig.fake.messages(room).length;
    const said = await forge({ message: reply, place: room }, (data) => ({ ...data, ...change }), verb);
    expect(said).toMatch(/^This answer is too old|choose an agent first|no longer available/);
    expect(rig.taken).toEqual([]);
    expect(rig.fake.messages(room)).toHaveLength(before);
  });

  it('offers no private answer in a personal chat', async () => {
    const own = asker.dm();
    const { reply } = await answer(rig, asker, own);
    expect(asker.offers(reply)).toContain('Regenerate');
    expect(asker.offers(reply)).not.toContain('Ask as me');
    const said = await forge({ message: reply, place: own }, (data) => data, 'parley.mine');
    expect(said).toMatch(/^This answer is already private to you/);
    expect(rig.taken).toEqual([]);
  });

  it("leaves the buttons and thumbs of one person's private answer to that person (S17)", async () => {
    await rig.close();
    await open({ config: { targeted: true } });
    const { reply } = await answer(rig, asker, room);
    await press(reply, 'Ask as me');
    const [asked] = rig.taken.splice(0);
    if (asked?.kind !== 'ask') throw new Error('nothing was asked');
    await write(
      rig,
      { ...turnOf(asked.message.thread, 'x', asker), message: asked.message },
      documentOf({ version: 2 }),
    );
    const [words, card] = rig.fake.messages(room).filter(({ onlyFor }) => onlyFor !== undefined);
    if (words === undefined || card === undefined) throw new Error('there is no private answer');
    expect(asker.offers(card)).toContain('Share');
    expect(asker.offers(card)).not.toContain('Ask as me');
    const other = tenant.person({ name: 'Colleague' });
    other.says(room, 'Hello', { silent: true });
    rig.kept = () => ({ kind: 'noted' });
    const again = (by: FakePerson) =>
      forge({ message: card, place: room, by }, (data) => data, 'parley.regenerate');
    expect(await again(other)).toMatch(/another conversation/);
    await other.rates(words, { reaction: 'like' }).answer;
    expect(rig.taken).toEqual([]);
    expect(await again(asker)).toMatch(/^Asking again/);
    await asker.rates(words, { reaction: 'like' }).answer;
    expect(rig.taken.map(({ kind }) => kind)).toEqual(['ask', 'feedback']);
  });

  it('asks no question that the answer did not suggest', async () => {
    const { reply } = await answer(rig, asker, room);
    const words = { detail: 'Delete everything.' };
    const said = await forge(
      { message: reply, place: room },
      (data) => ({ ...data, ...words }),
      'parley.suggestion',
    );
    expect(said).toMatch(/^This answer is too old/);
    expect(rig.taken).toEqual([]);
  });

  it('shows no sources of an answer in another thread (S16)', async () => {
    const { reply } = await answer(rig, asker, room);
    const own = asker.dm();
    await answer(rig, asker, own, documentOf({ turn: 'other' as typeof TURN, text: 'CANARY' }));
    const said = await forge(
      { message: reply, place: room },
      (data) => ({ ...data, turn: 'other' }),
      'parley.sources',
    );
    expect(JSON.stringify(said)).not.toContain('CANARY');
    expect(said).toMatch(/^This answer is too old/);
  });

  it("shows no person another person's private answer (S17)", async () => {
    await rig.close();
    await open({ config: { targeted: true } });
    const { reply } = await answer(rig, asker, room);
    const other = tenant.person();
    other.says(room, 'Hello', { silent: true });
    const key = `private|${asker.aadObjectId}||x`;
    const said = await forge({ message: reply, place: room, by: other }, (data) => ({ ...data, key }));
    expect(said).toMatch(/another conversation/);
    expect(rig.taken).toEqual([]);
  });

  it('refuses a private thread that claims to be a room, which would get the account of the room (S17)', async () => {
    await rig.close();
    await open({ config: { targeted: true } });
    const { reply } = await answer(rig, asker, room);
    const key = `private|${asker.aadObjectId}||x`;
    const said = await forge({ message: reply, place: room }, (data) => ({ ...data, key }));
    expect(said).toMatch(/another conversation/);
    expect(rig.taken).toEqual([]);
  });

  it.each([
    ['a guest', { role: 'guest' }],
    ['a person of another organization', { home: '99999999-9999-4999-8999-999999999999' }],
  ] as const)('explains the refusal to %s (S18)', async (_, who) => {
    const { reply } = await answer(rig, asker, room);
    const visitor = tenant.person({ name: 'Visitor', ...who });
    visitor.says(room, 'Hello', { silent: true });
    expect(await told(visitor.presses(reply, 'Regenerate'))).toMatch(/^Guests and people from other/);
    expect(rig.taken).toEqual([]);
  });

  it('counts a person as external if only the press says so (S18)', async () => {
    const { reply } = await answer(rig, asker, room);
    const from = {
      ...{ id: asker.id, name: asker.name, aadObjectId: asker.aadObjectId },
      tenantId: '99999999-9999-4999-8999-999999999999',
    };
    const said = await forge({ message: reply, place: room }, (data) => data, 'parley.regenerate', { from });
    expect(said).toMatch(/cannot use this here/);
    expect(rig.taken).toEqual([]);
  });

  it('refuses a person whom Teams does not know', async () => {
    const { reply } = await answer(rig, asker, room);
    const stranger = tenant.person({ name: 'Nobody' });
    expect(await told(stranger.presses(reply, 'Regenerate'))).toMatch(/does not list you as a member/);
    expect(rig.taken).toEqual([]);
  });
});
