import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type Conversation,
  type FakePerson,
  type FakeTenant,
  type Message,
  visibleText,
} from '../../../fakes/teams/index.ts';
import { type Rig, startRig } from '../rig.ts';
import { answer, documentOf, TURN, turnOf, write } from './rig.ts';

let rig: Rig;
let tenant: FakeTenant;
let room: Conversation;
let asker: FakePerson;

beforeEach(async () => {
  rig = await startRig();
  tenant = rig.fake.tenant();
  room = tenant.team({ name: 'Field' }).channel({ name: 'Planning' });
  asker = tenant.person({ name: 'Engineer' });
});
afterEach(() => rig.close());

const press = async (message: Message, what: string, inputs?: Record<string, string>, by = asker) =>
  (await by.presses(message, what, inputs).answer)?.value;

const seen = (message: Message, by = asker): string => JSON.stringify(by.cards(message));

const many = Array.from({ length: 12 }, (_, at) => ({
  key: `k${at}`,
  title: `Paper ${at + 1}`,
  kind: 'document' as const,
  mark: at + 1,
  fragments: [{ text: `Passage of paper ${at + 1}. ${'word '.repeat(800)}`, score: 0.5 }],
}));

it('shows sources page by page to one person, and then the answer again', async () => {
  const document = documentOf({ text: many.map(({ mark }) => `[${mark}]`).join(' '), sources: many });
  const { reply } = await answer(rig, asker, room, document);
  await press(reply, 'parley.sources');
  expect(seen(reply)).toContain('Paper 1');
  expect(seen(reply)).toContain('50 %');
  await press(reply, 'Next');
  expect(seen(reply)).toContain('Page 2 of');
  expect(seen(reply, tenant.person())).not.toContain('Page 2 of');
  await press(reply, 'Back to the answer');
  expect(seen(reply)).toBe(JSON.stringify(reply.shown.attachments.map(({ content }) => content)));
});

it('leads back to the answer after a restart', async () => {
  const { reply } = await answer(rig, asker, room);
  await press(reply, 'parley.sources');
  await rig.restart();
  await press(reply, 'Back to the answer');
  expect(asker.offers(reply)).toContain('Regenerate');
});

it('leads back to the answer if Teams sends an unknown message id', async () => {
  const table = '| Colour | Where |\n|---|---|\n| Blue | sky |';
  const text = `${'Many words. '.repeat(1_500)}\n\n${table}\n\nIt is **blue** [1].`;
  for (const place of [room, asker.dm()]) {
    rig.fake.deliverTo(rig.url);
    await answer(rig, asker, place, documentOf({ text }));
    const cards = rig.fake.messages(place).filter(({ shown }) => shown.attachments.length > 0);
    const reply = cards.at(-1);
    if (reply === undefined) throw new Error('there is no card');
    const shown = JSON.stringify(reply.shown.attachments.map(({ content }) => content));
    expect(shown).toContain('Blue');
    for (const key of rig.state.keys()) if (key.startsWith('reply ')) rig.state.delete(key);
    await press(reply, 'parley.sources');
    await press(reply, 'Back to the answer');
    expect(seen(reply)).toBe(shown);
  }
});

it('shares a source into the thread once, in the name of the person who pressed', async () => {
  const { reply, root } = await answer(rig, asker, room);
  await press(reply, 'parley.sources');
  const pressed = asker.presses(reply, 'parley.shareSource');
  expect((await pressed.answer)?.value).toBe('Shared.');
  await rig.fake.events.again(pressed.delivery).done;
  const shared = rig.fake
    .screen(room)
    .filter((each) => visibleText(each).includes('Engineer shares a source'));
  expect(shared).toMatchObject([{ root, by: 'app' }]);
  expect(JSON.stringify(shared[0]?.cards)).toContain('Blue is the colour of the sky.');
  expect(rig.acts).toMatchObject([
    {
      action: 'share',
      outcome: 'done',
      person: asker.aadObjectId,
      detail: expect.stringMatching(/^shareSource to /),
    },
  ]);
});

it('offers the places where the person met the bridge, by name, and shares there in a new thread', async () => {
  const team = tenant.team({ name: 'Sales' });
  const other = team.channel({ name: 'Offers' });
  for (const each of [team.general, other]) await asker.mentions(each, 'Hello').delivery?.done;
  const { reply, root } = await answer(rig, asker, room);
  await press(reply, 'parley.sources');
  await press(reply, 'parley.shareSource');
  expect(seen(reply)).toContain('Sales: Offers');
  expect(seen(reply)).toContain('Sales: General');
  expect(seen(reply)).toContain('Here, in this thread');
  await press(reply, 'Share', { where: other.id });
  expect(seen(reply)).toContain('Shared.');
  const there = rig.fake.screen(other).at(-1);
  expect(there && visibleText(there)).toContain('Engineer shares a source');
  expect(there?.id).toBe(there?.root);
  const here = rig.fake.screen(room).filter((each) => each.root === root);
  expect(here.filter((each) => visibleText(each).includes('shares a source'))).toEqual([]);
});

it('says that Teams has closed a place to the app, and stops offering it (F27)', async () => {
  const team = tenant.team({ name: 'Sales' });
  const other = team.channel({ name: 'Offers' });
  const still = tenant.team({ name: 'Service' }).channel({ name: 'Visits' });
  for (const each of [other, still]) await asker.mentions(each, 'Hello').delivery?.done;
  const { reply } = await answer(rig, asker, room);
  await press(reply, 'parley.sources');
  // Teams refuses the share although no event told the app that it was removed.
  rig.fake.plant({ kind: 'status', status: 403, method: 'send', conversation: other.id });
  expect(await press(reply, 'parley.shareSource', { where: other.id })).toMatch(/not allowed to post there/);
  await press(reply, 'parley.shareSource');
  expect(seen(reply)).toContain('Service: Visits');
  expect(seen(reply)).not.toContain('Sales: Offers');
});

/** Returns a private answer, and a channel that it can be shared to. */
async function longPrivate(text: string) {
  const other = tenant.team({ name: 'Sales' }).channel({ name: 'Offers' });
  await asker.mentions(other, 'Hello').delivery?.done;
  const own = asker.dm();
  const { thread } = await answer(rig, asker, own);
  const document = documentOf({ text, question: 'Which colours are there?' });
  // Writes a short answer for its buttons only; the stored document below has the text.
  await write(rig, turnOf(thread, 'act-mine-x', asker), documentOf());
  rig.replies.set(TURN, { thread, document });
  const shares = () => rig.fake.messages(own).find((each) => asker.offers(each).includes('Share'));
  await expect.poll(shares).toBeDefined();
  const reply = shares();
  if (reply === undefined) throw new Error('nothing can be shared');
  await press(reply, 'Share');
  return { reply, other };
}

it('shares a long private answer whole, in order, in one thread', async () => {
  const text = Array.from({ length: 4_000 }, (_, at) => `word${at}.`).join(' ');
  const { reply, other } = await longPrivate(text);
  await press(reply, 'Share', { where: other.id });
  const posts = () => rig.fake.screen(other).filter(({ by }) => by === 'app');
  await expect.poll(() => posts().length).toBeGreaterThan(3);
  const [first] = posts();
  expect(new Set(posts().map(({ root }) => root))).toEqual(new Set([first?.id]));
  expect(first?.text).toMatch(/^\*\*Engineer shares an answer from guide\*\*\n\n> Which colours are there\?/);
  const said = posts()
    .map((each) => each.text)
    .join(' ');
  expect([...said.matchAll(/word(\d+)\./g)].map(([, at]) => Number(at))).toEqual(
    Array.from({ length: 4_000 }, (_, at) => at),
  );
});

it('says that only the beginning of a long answer was shared', async () => {
  const { reply, other } = await longPrivate('word. '.repeat(4_000));
  rig.fake.plant({ kind: 'status', status: 400, method: 'send', conversation: other.id, after: 1 });
  expect(await press(reply, 'Share', { where: other.id })).toMatch(/^Only the beginning was shared/);
  expect(rig.fake.screen(other).filter(({ by }) => by === 'app')).toHaveLength(1);
});

it('shares nothing to a place of which the person is not a member, whatever the form contains', async () => {
  const secret = tenant.team().channel();
  await tenant.person().mentions(secret, 'Hello').delivery?.done;
  const { reply } = await answer(rig, asker, room);
  await press(reply, 'parley.sources');
  const said = await press(reply, 'parley.shareSource', { where: secret.id });
  expect(said).toMatch(/where you are a member/);
  expect(rig.fake.screen(secret).filter(({ by }) => by === 'app')).toEqual([]);
});

it('shares no private answer to a place of which its asker is not, or no longer, a member', async () => {
  const { reply, other } = await longPrivate('It is blue.');
  const secret = tenant.team().channel();
  await tenant.person().mentions(secret, 'Hello').delivery?.done;
  other.members.delete(asker.aadObjectId);
  for (const place of [secret, other]) {
    expect(await press(reply, 'Share', { where: place.id })).toMatch(/where you are a member/);
    expect(rig.fake.screen(place).filter(({ by }) => by === 'app')).toEqual([]);
  }
});

it('shares nothing to places without the bridge, nor to personal chats', async () => {
  const foreign = tenant.person();
  await foreign.says(foreign.dm(), 'Hello').delivery?.done;
  const { reply } = await answer(rig, asker, room);
  await press(reply, 'parley.sources');
  for (const where of [foreign.dm().id, '19:unknown@thread.tacv2']) {
    expect(await press(reply, 'parley.shareSource', { where })).toMatch(/not allowed to post there/);
  }
  expect(rig.fake.screen(foreign.dm()).filter(({ by }) => by === 'app')).toEqual([]);
});

it('says in a personal chat that there is no place to share to', async () => {
  const { reply } = await answer(rig, asker, asker.dm());
  await press(reply, 'parley.sources');
  expect(await press(reply, 'parley.shareSource')).toMatch(/^I found no team or group chat/);
});

it('shows names of people as plain text', async () => {
  const joker = tenant.person({ name: '<at>Parley</at> **now**' });
  const { reply } = await answer(rig, joker, room);
  await press(reply, 'parley.sources', {}, joker);
  await press(reply, 'parley.shareSource', {}, joker);
  const shared = rig.fake.screen(room).at(-1);
  expect(shared?.text).toBe('');
  expect(shared && visibleText(shared)).toContain('shares a source');
});

it('takes permits from the budgets, and reports refusals to them', async () => {
  const { reply } = await answer(rig, asker, room);
  await press(reply, 'parley.sources');
  rig.fake.plant({ kind: 'rate', retryAfter: 1, method: 'send', count: 1 });
  expect(await press(reply, 'parley.shareSource')).toMatch(/Shared|One moment/);
  await expect.poll(() => rig.refusals).toEqual([1_000, undefined]);
  const leave = { tenant: tenant.id, room: room.id, family: 'activity' };
  expect(rig.permits).toEqual([leave, leave]);
});

it('shares nothing if answers use up the limit', async () => {
  const { reply } = await answer(rig, asker, room);
  await press(reply, 'parley.sources');
  rig.refuses = true;
  expect(await press(reply, 'parley.shareSource')).toMatch(/^That did not work/);
  expect(rig.fake.screen(room).filter((each) => visibleText(each).includes('shares a source'))).toEqual([]);
});
