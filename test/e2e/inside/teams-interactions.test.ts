/** Tests button presses in a strict fake Teams, with the whole bridge and the embedded sandbox. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Conversation,
  type FakePerson,
  type FakeTeams,
  type Message,
  startFakeTeams,
  visibleText,
} from '../../fakes/teams/index.ts';
import { openStage, type Stage, shown } from '../house/teams-stage.ts';

const QUESTION = 'what is the data retention policy?';
const ANSWER = 'how it is deleted';
/** The agent repeats this question at 50 ms per character, so the answer takes half a minute unless it is stopped. */
const SLOW_QUESTION = `slow-demo: tell me everything at length, please${'. Take your time'.repeat(25)}`;
const WITHIN_MS = 90_000;

const eventually = (look: () => unknown) => expect.poll(look, { timeout: WITHIN_MS, interval: 100 });

describe('around an answer', () => {
  let fake: FakeTeams;
  let stage: Stage;
  let room: Conversation;
  let chat: Conversation;
  let engineer: FakePerson;
  let colleague: FakePerson;

  beforeAll(async () => {
    fake = await startFakeTeams();
    stage = await openStage(fake);
    const tenant = fake.tenant();
    room = tenant.team().channel();
    engineer = tenant.person({ name: 'Engineer' });
    colleague = tenant.person({ name: 'Colleague' });
    chat = tenant.chat({ members: [engineer, colleague] });
    colleague.says(room, 'Good morning.');
  });
  afterAll(async () => {
    await stage?.close();
    await fake?.close();
  });

  const ours = (place: Conversation, root?: string): readonly Message[] =>
    fake
      .messages(place)
      .filter(({ person, deletedAt }) => person === undefined && deletedAt === undefined)
      .filter((each) => root === undefined || each.root === root);

  /** Asks a question in a channel and returns the finished reply. */
  async function answered(question: string, place = room): Promise<{ root: string; reply: Message }> {
    const { message } = engineer.mentions(place, question);
    const finished = () =>
      ours(place, message.id).find((each) => engineer.offers(each).some((title) => title === 'Regenerate'));
    await eventually(finished).toBeDefined();
    const reply = finished();
    if (reply === undefined) throw new Error('there is no reply');
    return { root: message.id, reply };
  }

  const told = async (pressed: ReturnType<FakePerson['presses']>): Promise<string> =>
    String((await pressed.answer)?.value ?? '');

  test('the sources are shown to one person, one is shared into the thread, and the answer returns', async () => {
    const { root, reply } = await answered(QUESTION);
    const title = engineer.offers(reply).find((each) => each.startsWith('Sources')) ?? '';
    await engineer.presses(reply, title).answer;
    expect(JSON.stringify(engineer.cards(reply))).toContain('Passage 1 of');
    expect(JSON.stringify(colleague.cards(reply))).not.toContain('Passage 1 of');
    const pressed = engineer.presses(reply, 'parley.shareSource');
    expect(await told(pressed)).toBe('Shared.');
    const last = () => fake.screen(room).findLast((seen) => seen.root === root);
    await eventually(() => JSON.stringify(last()?.cards)).toContain('Engineer shares a source');
    await engineer.presses(reply, 'Back to the answer').answer;
    expect(engineer.offers(reply)).toContain('Regenerate');
  });

  test('Regenerate by a colleague shows a second version in the same message, with arrows back', async () => {
    const { root, reply } = await answered(QUESTION);
    expect(await told(colleague.presses(reply, 'Regenerate'))).toContain('Asking again');
    await eventually(() => JSON.stringify(engineer.cards(reply))).toContain('Version 2 of 2');
    engineer.presses(reply, '‹');
    await eventually(() => JSON.stringify(engineer.cards(reply))).toContain('Version 1 of 2');
    expect(shown(fake, room, root)).toHaveLength(1);
    expect(ours(room, root)).toHaveLength(2);
  });

  test('both buttons of the personal-data prompt work for the asker only, with and without the data', async () => {
    // Uses its own channel, because all threads of a channel share one rate limit.
    const own = fake.tenant().team().channel();
    const { root, reply } = await answered('privacy-demo: write to ada@example.org', own);
    const told = () => shown(fake, own, root).join('\n');
    expect(told()).toContain('seems to hold personal data');
    await engineer.presses(reply, 'Send it anyway').answer;
    await eventually(told).toContain('24 characters with the personal data that you chose to send');
    await engineer.presses(reply, 'Ask without it').answer;
    await eventually(told).toContain('18 characters and found no personal data');
    const said = await colleague.presses(reply, 'Send it anyway').answer;
    expect(said?.value).toMatch(/^Only the person who asked can choose here/);
    expect(told().match(/that you chose to send/g)).toHaveLength(1);
  });

  test('another agent answers the same question below, in the name of the person who chose it', async () => {
    const { root, reply } = await answered(QUESTION);
    const offered = JSON.stringify(engineer.cards(reply));
    const [, other = ''] = /"value":"([a-z]+-demo)"/.exec(offered) ?? [];
    expect(await told(colleague.presses(reply, 'Ask', { agent: other }))).toContain('Asking');
    await eventually(() => shown(fake, room, root)[1]).toContain(`Colleague asks ${other} the same question`);
    expect(shown(fake, room, root)[1]).toContain('data retention policy');
    await eventually(() => shown(fake, room, root)[2]).toContain('retention');
  });

  test('Ask as me is answered in the own chat, and shared to places of which the person is a member', async () => {
    const { root, reply } = await answered(QUESTION);
    engineer.mentions(chat, QUESTION);
    const own = engineer.dm();
    expect(await told(engineer.presses(reply, 'Ask as me'))).toContain('our personal chat');
    await eventually(() => shown(fake, own)[0]).toContain('answered in private');
    const finished = () => ours(own).find((each) => engineer.offers(each).includes('Share'));
    await eventually(finished).toBeDefined();
    const answer = finished();
    if (answer === undefined) throw new Error('there is no answer');
    expect(shown(fake, own).join()).toContain(ANSWER);
    await engineer.presses(answer, 'Share').answer;
    await engineer.presses(answer, 'Share', { where: room.id }).answer;
    expect(JSON.stringify(engineer.cards(answer))).toContain('Shared.');
    expect(shown(fake, room).at(-1)).toContain('Engineer shares an answer');
    expect(shown(fake, room).at(-1)).toContain(`> ${QUESTION}`);
    expect(shown(fake, room, root)).toHaveLength(1);
  });

  test('Stop ends a growing answer and keeps its text', async () => {
    const { message } = engineer.mentions(room, SLOW_QUESTION);
    const growing = () => ours(room, message.id).find((each) => engineer.offers(each).includes('Stop'));
    await eventually(growing).toBeDefined();
    const reply = growing();
    if (reply === undefined) throw new Error('nothing grows');
    expect(await told(engineer.presses(reply, 'Stop'))).toContain('Stopping');
    await eventually(() => JSON.stringify(fake.screen(room).find(({ id }) => id === reply.id))).toMatch(
      /stopped/i,
    );
  });

  test('a note says that a question waits, and its button asks this question instead of the running one', async () => {
    const person = fake.tenant().person({ name: 'Hasty Engineer' });
    person.mentions(chat, SLOW_QUESTION);
    const growing = () => ours(chat).findLast((each) => person.offers(each).includes('Stop'));
    await eventually(growing).toBeDefined();
    person.mentions(chat, QUESTION);
    const note = () => ours(chat).find((each) => person.offers(each).includes('Ask this instead'));
    await eventually(note).toBeDefined();
    const notes = () => fake.screen(chat).filter((each) => /^I have your question\./.test(visibleText(each)));
    expect(notes()).toHaveLength(1);
    const found = note();
    if (found === undefined) throw new Error('there is no note');
    expect(await told(colleague.presses(found, 'Ask this instead'))).toContain('Only the person who asked');
    expect(notes()).toHaveLength(1);
    expect(await told(person.presses(found, 'Ask this instead'))).toContain('Your question comes next');
    await eventually(notes).toEqual([]);
    await eventually(() => shown(fake, chat).at(-1)).toContain('data retention');
  });

  test('thumbs, the form and reactions are counted', async () => {
    const { root } = await answered(QUESTION);
    const [reply] = ours(room, root);
    if (reply === undefined) throw new Error('there is not a text');
    const rated = engineer.rates(reply, { reaction: 'dislike', inputs: { reasons: '0', note: 'No.' } });
    expect(JSON.stringify(await rated.form)).toContain('What was wrong?');
    expect(await rated.answer).toEqual({});
    expect((await colleague.reacts(reply, 'like')?.done)?.status).toBe(200);
  });

  test('Teams found no fault in any call', () => {
    expect(fake.log.violations).toEqual([]);
  });
});
