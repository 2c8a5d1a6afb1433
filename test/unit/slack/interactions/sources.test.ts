import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ReplyDocument, Source } from '../../../../src/kit.ts';
import { buttonOf, openRig, type Rig, TURN } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

const source = (mark: number, over: Partial<Source> = {}): Source => ({
  key: `k${mark}`,
  title: `Manual ${mark}`,
  kind: 'document',
  mark,
  score: 0.9,
  link: `https://docs.example.com/${mark}`,
  fragments: [
    { text: 'worse', score: 0.4 },
    { text: 'best', score: 0.91 },
  ],
  ...over,
});

const many: Partial<ReplyDocument> = {
  text: 'First [3], then [1].',
  sources: [1, 2, 3].map((mark) => source(mark)),
};

const openSources = async () => {
  const { question, reply } = await rig.answered(many);
  rig.asker.presses(reply, buttonOf(reply.blocks, 'reply:sources'));
  await rig.settled();
  return { question, reply, view: theView() };
};

const theView = () => {
  const view = rig.asker.views().at(-1);
  if (view === undefined) throw new Error('no view is open');
  return view;
};

const wordsOf = () =>
  [...JSON.stringify(theView().view).matchAll(/"text":"([^"]*)"/g)].map(([, said]) => said);

it('shows every passage with its score, best first, with the numbers of the text', async () => {
  await openSources();
  const shown = wordsOf().filter((said = '') => /^\d\. |best|worse|Passage/.test(said));
  expect(shown.slice(0, 6)).toEqual([
    '1. Manual 3',
    'Passage 1 of 2 · 91 %',
    'best',
    'Passage 2 of 2 · 40 %',
    'worse',
    '2. Manual 1',
  ]);
  expect(JSON.stringify(theView().view)).toContain('https://docs.example.com/3');
});

const raw: Partial<Source> = {
  fragments: [
    { text: 'See ![diagram](700001).\n\n| Model | Price |\n|---|---|\n| X 100 | **120** |', score: 0.9 },
    { text: '700002', score: 0.2 },
  ],
};

it('shows passages in readable form: images by their alternative text, tables without bars, no ids', async () => {
  const { reply } = await rig.answered({ sources: [source(1, raw)] });
  rig.asker.presses(reply, buttonOf(reply.blocks, 'reply:sources'));
  await rig.settled();
  const form = JSON.stringify(theView().view);
  expect(form).toContain('See diagram.\\n\\nModel · Price\\nX 100 · 120');
  expect(form).not.toMatch(/70000[12]|\*\*|\|---|!\[/);
});

it.each([
  ['long', 60, 2_500],
  ['short', 300, 1],
])('shows %s passages page by page in the same form', async (_, count, length) => {
  const fragments = Array.from({ length: count }, (_each, at) => ({
    text: `passage ${at} ${'x'.repeat(length)}`,
  }));
  const { reply } = await rig.answered({ sources: [source(1, { fragments })] });
  rig.asker.presses(reply, buttonOf(reply.blocks, 'reply:sources'));
  await rig.settled();
  const seen = new Set<string>();
  for (let page = 1; ; page++) {
    for (const [found] of JSON.stringify(theView().view).matchAll(/passage \d+/g)) seen.add(found);
    const [, at, pages] = /Page (\d+) of (\d+)/.exec(JSON.stringify(theView().view)) ?? [];
    expect(at).toBe(String(page));
    if (at === pages) break;
    rig.asker.presses(theView(), 'sources:page:next');
    await rig.settled();
  }
  expect(seen.size).toBe(count);
  rig.asker.presses(theView(), 'sources:page:previous');
  await rig.settled();
  expect(rig.asker.views()).toHaveLength(1);
});

it('opens a form in time, and fills it once its content is ready', async () => {
  const { reply } = await rig.answered(many);
  rig.slack.plant({ kind: 'slow', method: 'users.info', ms: 3_200 });
  rig.asker.presses(reply, buttonOf(reply.blocks, 'reply:sources'));
  await rig.settled();
  const methods = rig.slack.log.calls
    .map(({ method }) => method)
    .filter((method) => method.startsWith('views.'));
  expect(methods).toEqual(['views.open', 'views.update']);
  expect(wordsOf()).toContain('1. Manual 3');
});

it('says in the form that an answer is too old for its buttons', async () => {
  const { reply } = await rig.answered(many);
  rig.replies.clear();
  rig.asker.presses(reply, buttonOf(reply.blocks, 'reply:sources'));
  await rig.settled();
  expect(wordsOf().join()).toContain('too old for its buttons');
});

const share = async (values: { what: string; where?: string }) => {
  const view = theView();
  await rig.asker.submits(view, {
    what: { what: { type: 'static_select', selected_option: { value: values.what } } },
    where: { where: { type: 'conversations_select', selected_conversation: values.where ?? null } },
  });
  await rig.settled();
};

const openShare = async () => {
  const { question, view } = await openSources();
  rig.asker.presses(view, 'sources:share:2');
  await rig.settled();
  return question;
};

it('shares a source in the thread, with the name of the person', async () => {
  const question = await openShare();
  await share({ what: '2' });
  const shared = rig.slack.thread(rig.room.id, question.ts).at(-1);
  expect(shared?.text).toBe(`<@${rig.asker.id}> shares a source: Manual 1`);
  expect(JSON.stringify(shared?.blocks)).toContain('best');
  expect(shared?.unfurls).toEqual([]);
  expect(wordsOf()).toContain('Shared in the thread.');
});

it('shares passages in readable form, without ids', async () => {
  const { question, reply } = await rig.answered({ sources: [source(1, raw)] });
  rig.asker.presses(reply, buttonOf(reply.blocks, 'reply:sources'));
  await rig.settled();
  rig.asker.presses(theView(), 'sources:share:1');
  await rig.settled();
  await share({ what: '1' });
  const blocks = JSON.stringify(rig.slack.thread(rig.room.id, question.ts).at(-1)?.blocks);
  expect(blocks).toContain('See diagram.\\n\\nModel · Price\\nX 100 · 120');
  expect(blocks).not.toMatch(/70000[12]|\*\*|\|---|!\[/);
});

it('opens the form on top of the list, with the source of the button preselected', async () => {
  await openShare();
  expect(rig.asker.views()).toHaveLength(2);
  expect(JSON.stringify(theView().view)).toContain(
    '"initial_option":{"text":{"type":"plain_text","text":"2. Manual 1"',
  );
});

it('shares in another channel only if the person and the app are members and may write', async () => {
  const both = rig.workspace.channel({ name: 'both', members: [rig.asker.id] });
  const withoutPerson = rig.workspace.channel({ name: 'not-theirs' });
  const withoutApp = rig.workspace.channel({ name: 'not-ours', members: [rig.asker.id], withApp: false });
  const closed = rig.workspace.channel({ name: 'closed', members: [rig.asker.id] });
  closed.archived = true;
  const outcomes = [
    [both, 'Shared in the channel.'],
    [withoutPerson, 'You can share only where you are a member. Nothing was shared.'],
    [withoutApp, 'I am not in that channel. Invite me there (/invite @Parley), then share again.'],
    [closed, 'I am not allowed to post there. Nothing was shared.'],
  ] as const;
  for (const [channel, outcome] of outcomes) {
    await openShare();
    await share({ what: '1', where: channel.id });
    expect(wordsOf()).toContain(outcome);
    const posted = rig.slack.messages(channel.id).filter(({ onlyFor }) => onlyFor === undefined);
    expect(posted).toHaveLength(channel === both ? 1 : 0);
  }
});

it('says that a source is gone, and refuses to share for guests', async () => {
  await openShare();
  await share({ what: '99' });
  expect(wordsOf().join()).toContain('no longer part of the answer');
  const guest = rig.workspace.person({ name: 'guest', guest: 'single-channel' });
  rig.room.members.add(guest.id);
  const { reply } = await rig.answered(many);
  guest.presses(reply, buttonOf(reply.blocks, 'reply:sources'));
  await rig.settled();
  expect(JSON.stringify(guest.views().map(({ view }) => view))).toContain('Guests');
});

it('posts a share only once if its outcome is unknown', async () => {
  const question = await openShare();
  rig.slack.plant({ kind: 'reset', method: 'chat.postMessage' });
  await share({ what: '1' });
  expect(rig.slack.thread(rig.room.id, question.ts)).toHaveLength(3);
  expect(wordsOf().join()).toContain('Slack did not confirm the share');
});

it('keeps the answer’s turn in its forms', async () => {
  const { view } = await openSources();
  expect(String(view.view.private_metadata)).toContain(TURN);
});
