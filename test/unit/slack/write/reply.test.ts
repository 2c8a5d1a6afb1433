import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { slackMarkdown } from '../../../../adapters/slack/render/emit.ts';
import { type Media, parse, plainBlocks } from '../../../../src/kit/ladder.ts';
import { type ReplyDocument, type Turn, turnId } from '../../../../src/kit.ts';
import { liveControls, type Message, visibleText } from '../../../fakes/slack/index.ts';
import { manifestScopes } from '../../../fakes/slack/manifest.ts';
import { plausibleText } from '../../reply/markdown/long-text.ts';
import { controlOf } from '../controls.ts';
import { EDITS, only, type Play, playIn } from './play.ts';
import { openRig, type Rig } from './rig.ts';

const { markdown } = slackMarkdown;

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterEach(() => rig.fake.clearFaults());
afterAll(() => rig.close());

const words = (text: string): string => plainBlocks(parse(text), '\n').replace(/[\s|`>#-]+/g, '');
const updates = (play: Play): number => play.families().filter((family) => family === 'update').length;
const source = (mark: number) => ({
  key: `k${mark}`,
  title: `Source ${mark}`,
  kind: 'document' as const,
  mark,
  fragments: [],
});

describe('a rewritten reply', () => {
  const answered = async () => {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'Of chairs: two years.' });
    await play.show({ state: 'done' });
    play.takeOver();
    return play;
  };
  const shown = (play: Play) => rig.messages(play.turn).map(visibleText);

  it('shows its current state until there is text', async () => {
    const play = await answered();
    await play.show({ state: 'thinking', text: '', meanwhile: 'The question was edited.' });
    expect(shown(play)).toEqual(['The question was edited.\n[Stop]']);
    await play.show({ state: 'writing', text: 'Of tables: three years.' });
    await play.show({ state: 'done' });
    expect(shown(play)).toEqual([expect.stringContaining('Of tables: three years.')]);
    expect(shown(play).join()).not.toContain('edited');
    expect(rig.messages(play.turn)[0]?.blocks.map(({ type }) => type)).toContain('context_actions');
  });

  it('is never a message of buttons only', async () => {
    const play = await answered();
    await play.show({ state: 'thinking', text: '' });
    expect(shown(play)).toEqual(['Thinking…\n[Stop]']);
    await play.show({ state: 'writing', text: '![', steps: [] });
    expect(shown(play)).toEqual(['Thinking…\n[Stop]']);
    const out = { tone: 'error', text: 'The agent is *out* of reach.' } as const;
    await play.show({ state: 'failed', text: '', notices: [out], retry: true });
    expect(shown(play)).toEqual([expect.stringMatching(/^⚠ The agent is \*out\* of reach\.\n\[Retry\]/)]);
  });
});

describe('a reply as a stream', () => {
  it('shows thinking, then the first words, grows, and ends with the blocks under it', async () => {
    const play = playIn(rig);
    await play.show({});
    await play.show({ state: 'writing', text: 'The first' });
    expect(rig.texts(play.turn)).toEqual(['The first']);
    await play.show({ text: 'The first words, and more' });
    await play.show({ text: 'The first words, and more.', state: 'done', suggestions: ['Why?'] });
    expect(play.families()).toEqual(['setStatus', 'startStream', 'appendStream', 'stopStream']);
    expect(play.moves.map(({ essential }) => essential)).toEqual([false, false, false, true]);
    expect(rig.texts(play.turn)).toEqual(['The first words, and more.']);
    const [message] = rig.messages(play.turn);
    expect(message?.stream?.state).toBe('stopped');
    expect(message?.metadata).toMatchObject({ event_payload: { turn: play.turn.id, part: 0 } });
    expect(message?.blocks.map(({ type }) => type)).toEqual([
      'actions',
      'actions',
      'context_actions',
      'context',
    ]);
    const { room, key } = play.turn.message.thread;
    const session = [...rig.fake.workspace().state.sessions.values()].find(
      ({ channel, threadTs }) => channel === room && threadTs === key,
    );
    expect(session?.changes.map(({ status }) => status)).toEqual(['processing', 'active']);
  });

  it('shows the agent’s thoughts as tasks, even before any text', async () => {
    const play = playIn(rig);
    const search = { id: 's1', name: 'Search', detail: 'the manual' };
    await play.show({ steps: [{ ...search, state: 'running' }] });
    await play.show({ steps: [{ ...search, state: 'done' }], state: 'writing', text: 'Found.' });
    await play.show({ state: 'done' });
    expect(play.families()).toEqual(['startStream', 'appendStream', 'stopStream']);
    expect(rig.messages(play.turn)[0]?.tasks).toMatchObject([
      { title: 'Search', status: 'complete', details: 'the manual' },
    ]);
  });

  it('continues in another message before it is full or too old, with fences reopened', async () => {
    const play = playIn(rig);
    const text = `Code:\n\n\`\`\`ts\n${'const answer = compute(42);\n'.repeat(700)}\`\`\`\n\nThat is all.`;
    for (let at = 1_500; at < text.length; at += 1_500)
      await play.show({ state: 'writing', text: text.slice(0, at) });
    await play.show({ text, state: 'done' });
    const texts = rig.texts(play.turn);
    expect(texts.length).toBe(2);
    for (const each of texts) expect(each.match(/^```/gm)).toHaveLength(2);
    expect(texts[1]).toMatch(/^```ts\nconst answer/);
    expect(texts.join('').match(/const answer/g)).toHaveLength(700);

    const old = playIn(rig);
    await old.show({ state: 'writing', text: 'Before' });
    old.clock.now += 235_000;
    await old.show({ text: 'Before and' });
    await old.show({ text: 'Before and after', state: 'done' });
    expect(rig.texts(old.turn)).toEqual(['Before and', ' after']);
  });

  it('is edited after an append with an unknown outcome, and never appended to again', async () => {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'One' });
    rig.fake.plant({ kind: 'reset', method: 'chat.appendStream' });
    await play.show({ text: 'One two' });
    await play.show({ text: 'One two three', state: 'done' });
    expect(play.families()).toEqual(['startStream', 'appendStream', 'stopStream', 'update', 'update']);
    expect(rig.texts(play.turn)).toEqual(['One two three']);
  });

  it('is edited if its beginning is rewritten, but not if only its held end is', async () => {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'See [the' });
    await play.show({ text: 'See [a page](https://h.example/)' });
    await play.show({ text: 'RenderContext at [a page](https://h.example/)' });
    await play.show({ state: 'done' });
    expect(play.families()).toEqual(['startStream', 'appendStream', 'stopStream', 'update', 'update']);
    expect(rig.texts(play.turn)).toEqual(['RenderContext at [a page](https://h.example/)']);
  });

  it('continues by edits after Slack or a person ended it', async () => {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'One' });
    const { room, key } = play.turn.message.thread;
    const [person] = [...rig.fake.workspace().state.people.values()].filter(({ bot }) => !bot);
    rig.fake
      .workspace()
      .known(person?.id ?? '')
      .stops(room, key);
    await play.show({ text: 'One two' });
    await play.show({ state: 'stopped' });
    expect(play.families()).toEqual(['startStream', 'appendStream', 'update', 'update']);
    expect(rig.texts(play.turn)).toEqual(['One two']);
  });

  it('is found again after a start with an unknown outcome', async () => {
    for (const kind of ['reset', 'refuse'] as const) {
      const play = playIn(rig);
      rig.fake.plant({ kind, method: 'chat.startStream' });
      await play.show({ state: 'writing', text: 'One' });
      await play.show({ text: 'One two', state: 'done' });
      expect(rig.texts(play.turn)).toEqual(['One two']);
    }
  });

  it('renumbers marks in every message once the sources are known', async () => {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'So [4] and [2].' });
    await play.show({ state: 'done', sources: [source(2), source(4)] });
    expect(rig.texts(play.turn)).toEqual(['So \\[1] and \\[2].']);
    expect(play.families()).toEqual(['startStream', 'stopStream', 'update']);
    const calm = playIn(rig);
    await calm.show({ state: 'writing', text: 'So [1].' });
    await calm.show({ state: 'done', sources: [source(1)] });
    expect(calm.families()).toEqual(['startStream', 'stopStream']);
  });
});

it('turns reference links into links when the stream has ended', async () => {
  const play = playIn(rig);
  await play.show({ state: 'writing', text: 'See [the docs][d].' });
  await play.show({ state: 'done', text: 'See [the docs][d].\n\n[d]: https://h.example/' });
  expect(play.families().slice(-2)).toEqual(['stopStream', 'update']);
  expect(rig.texts(play.turn).join()).toContain('See [the docs](https://h.example/).');
});

describe('a reply by edits', () => {
  it('is posted with its first words and edited', async () => {
    const play = playIn(rig, EDITS);
    await play.show({ state: 'writing', text: 'The **first' });
    expect(rig.texts(play.turn)).toEqual(['The **first**']);
    await play.show({ text: 'The **first words**' });
    await play.show({ state: 'done' });
    expect(play.families()).toEqual(['postMessage', 'update', 'update']);
    await play.show({ sources: [source(1)] });
    expect(play.moves.at(-1)).toMatchObject({ family: 'chat.update', essential: true });
    expect(rig.messages(play.turn)[0]?.blocks.some(({ text }) => String(text).includes('1. Source 1'))).toBe(
      true,
    );
  });

  it('is one post if the whole answer is known', async () => {
    const play = playIn(rig);
    await play.show({ state: 'done', text: 'All of it.' });
    expect(play.families()).toEqual(['postMessage']);
    expect(rig.messages(play.turn)[0]?.unfurls).toEqual([]);
  });

  it.each([
    ['native', undefined],
    ['edits', EDITS],
    ['once', only('chat.postMessage', 'agents.sessions.setStatus')],
  ])('shows 50,000 characters completely: %s', async (_, choose) => {
    const play = playIn(rig, choose);
    const text = plausibleText(50_000);
    for (let at = 997; at < text.length; at += 997)
      await play.show({ state: 'writing', text: text.slice(0, at) });
    await play.show({ text, state: 'done' });
    const shown = rig.messages(play.turn);
    expect(shown.length).toBeLessThanOrEqual(8);
    const rows = shown.flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'table'));
    const said = words(rig.texts(play.turn).join('\n'));
    if (rows.length === 0) expect(said.length).toBeGreaterThan(words(markdown(text)).length * 0.97);
    expect(rig.texts(play.turn).at(-1)).toContain(text.slice(-60).split('\n').at(-1));
    expect(shown.flatMap((message) => liveControls(message)).filter(({ kind }) => kind !== 'link')).toEqual(
      [],
    );
  });
});

describe('a reply in one or two posts', () => {
  it('posts the settled text, then the rest', async () => {
    const play = playIn(rig, only('chat.postMessage'));
    await play.show({ state: 'writing', text: 'A first paragraph.' });
    expect(rig.texts(play.turn)).toEqual([]);
    await play.show({ text: 'A first paragraph.\n\nAnd a sec' });
    expect(rig.texts(play.turn)).toEqual(['A first paragraph.\n\n']);
    await play.show({ text: 'A first paragraph.\n\nAnd a second.', state: 'done' });
    expect(rig.texts(play.turn)).toEqual(['A first paragraph.\n\n', 'And a second.']);
    expect(play.families()).toEqual(['postMessage', 'postMessage']);
  });

  it('ends in its one message if an edit is available at the end', async () => {
    let choose = only('chat.postMessage');
    const play = playIn(rig, (moves) => choose(moves));
    await play.show({ state: 'writing', text: 'One.\n\nTwo' });
    choose = EDITS;
    await play.show({ state: 'done', text: 'One.\n\nTwo.' });
    expect(play.families()).toEqual(['postMessage', 'update']);
    expect(rig.texts(play.turn)).toEqual(['One.\n\nTwo.']);
  });

  it('switches to edits of the same message when an edit becomes available', async () => {
    const play = playIn(rig, ([first, ...others]) => others.at(-1) ?? first);
    await play.show({ state: 'writing', text: 'word '.repeat(60) });
    expect(play.families()).toEqual(['postMessage']);
    await play.show({ text: 'word '.repeat(90) });
    await play.show({ state: 'done' });
    expect(play.families()).toEqual(['postMessage', 'update', 'update']);
    expect(rig.texts(play.turn)).toHaveLength(1);
  });
});

describe('the agent of an answer', () => {
  const scopes = [...manifestScopes];
  afterEach(() => {
    rig.fake.workspace().grant(scopes);
    rig.installed.customizes = false;
  });

  it.each([
    ['a stream', undefined],
    ['edits', EDITS],
  ])('is shown by name and icon if the workspace allows it: %s', async (_, choose) => {
    rig.fake.workspace().grant([...scopes, 'chat:write.customize']);
    rig.installed.customizes = true;
    const play = playIn(rig, choose);
    await play.show({ state: 'writing', text: 'Half' });
    await play.show({ state: 'done', text: 'Half and whole.' });
    const [message] = rig.messages(play.turn);
    expect(message?.author).toEqual({ username: 'knowledge', emoji: ':books:' });
    expect(visibleText(message as Message)).not.toContain('Answered by');
    play.takeOver();
    await play.show({ text: 'Half and whole again.' });
    expect(rig.texts(play.turn)).toEqual(['Half and whole again.']);
  });

  it('is shown in the footer elsewhere, even after the permission was revoked', async () => {
    for (const customizes of [false, true]) {
      rig.installed.customizes = customizes;
      const play = playIn(rig, EDITS);
      await play.show({ state: 'writing', text: 'Half' });
      rig.installed.customizes = false;
      await play.show({ state: 'done', text: 'Half and whole.' });
      const [message] = rig.messages(play.turn);
      expect(message?.author).toBeUndefined();
      expect(visibleText(message as Message)).toContain(
        'Answered by knowledge · AI-generated. Please check it.',
      );
      expect(rig.messages(play.turn)).toHaveLength(1);
    }
  });
});

it('offers "Ask as me" only if it gives other rights', async () => {
  for (const others of [true, false]) {
    rig.rights.others = others;
    const play = playIn(rig);
    await play.show({ state: 'done', text: 'Said.' });
    const offered = controlOf(rig.messages(play.turn)[0]?.blocks, 'reply:mine');
    expect(offered !== undefined).toBe(others);
  }
  rig.rights.others = true;
});

describe('a reply with failing calls', () => {
  it.each([
    'reset',
    'refuse',
  ] as const)('makes one message of a post whose outcome is unknown (%s)', async (kind) => {
    const play = playIn(rig, EDITS);
    rig.fake.plant({ kind, method: 'chat.postMessage' });
    await play.show({ state: 'done', text: 'Once.' });
    expect(rig.texts(play.turn)).toEqual(['Once.']);
    expect(play.families().slice(0, 2)).toEqual(['postMessage', 'conversations.replies']);
  });

  it('finds a message that an earlier process posted without recording it', async () => {
    const first = playIn(rig, EDITS);
    first.change({ state: 'writing', text: 'Some' });
    await first.step();
    const again = playIn(rig, EDITS, { ...first.turn, attempt: 2 });
    await again.show({ state: 'partial', text: 'Some more' });
    expect(rig.texts(first.turn)).toEqual(['Some more']);
  });

  it('finds a message of unknown outcome that was posted before the question was edited', async () => {
    const first = playIn(rig, EDITS);
    rig.fake.plant({ kind: 'reset', method: 'chat.postMessage' });
    first.change({ state: 'writing', text: 'Some' });
    await first.step();
    const id = turnId(`${first.turn.id}-edited`);
    const edited = playIn(rig, EDITS, { ...first.turn, id, reply: first.turn.id });
    edited.screen = first.screen;
    edited.takeOver();
    await edited.show({ state: 'done', text: 'Other words' });
    expect(rig.texts(first.turn)).toEqual(['Other words']);
  });

  it('finds the right message among several after a post with an unknown outcome', async () => {
    const play = playIn(rig, EDITS);
    rig.fake.plant({ kind: 'reset', method: 'chat.postMessage', after: 1 });
    await play.show({ state: 'done', text: `${'word '.repeat(3_000)}end` });
    expect(rig.texts(play.turn)).toHaveLength(2);
    expect(rig.texts(play.turn)[1]).toMatch(/end$/);
    expect(rig.texts(play.turn).join('').match(/word/g)).toHaveLength(3_000);
  });

  it('shows a status while the look-up for messages of the earlier process waits for the rate limit', async () => {
    const play = playIn(rig, only('agents.sessions.setStatus'));
    play.takeOver();
    await play.show({ state: 'thinking' });
    expect(play.families()).toEqual(['setStatus']);
    const then = playIn(rig, undefined, play.turn);
    then.screen = play.screen;
    await then.show({ state: 'done', text: 'Two years.' });
    expect(then.families()).toEqual(['conversations.replies', 'postMessage', 'setStatus']);
  });

  it('shows the status line if the rate limit allows no session status after a takeover', async () => {
    const play = playIn(rig, only('assistant.threads.setStatus'));
    play.takeOver();
    await play.show({ state: 'thinking' });
    expect(play.families()).toEqual(['assistant.threads.setStatus']);
    const then = playIn(rig, undefined, play.turn);
    then.screen = play.screen;
    await then.show({ state: 'done', text: 'Two years.' });
    expect(then.families()).toEqual(['conversations.replies', 'postMessage', 'setStatus']);
  });

  it.each([
    ['the earlier process set the status line', false],
    ['this process set the status line', true],
  ])('clears the session status and the line of a deleted question if %s', async (_name, isTakenOver) => {
    const play = playIn(rig, only('assistant.threads.setStatus'));
    const stored = play.screen;
    if (isTakenOver) play.takeOver();
    await play.show({ state: 'thinking' });
    if (!isTakenOver) {
      play.screen = stored;
      play.takeOver();
    }
    const then = playIn(rig, undefined, play.turn);
    then.screen = play.screen;
    await then.show({ state: 'withdrawn' });
    expect(then.families()).toEqual(['conversations.replies', 'assistant.threads.setStatus', 'setStatus']);
  });

  it('looks for messages that the earlier process posted after it stored the screen', async () => {
    const play = playIn(rig, EDITS);
    const stored = play.screen;
    play.change({ state: 'writing', text: 'Some' });
    await play.step();
    play.screen = stored;
    play.takeOver();
    await play.show({ state: 'partial', text: 'Some more' });
    expect(rig.texts(play.turn)).toEqual(['Some more']);
  });

  it('ends an open stream before it edits its message', async () => {
    const play = playIn(rig, EDITS);
    await play.show({ state: 'writing', text: 'One' });
    rig.fake.plant({ kind: 'error', error: 'streaming_state_conflict', method: 'chat.update' });
    play.change({ text: 'One two', state: 'done' });
    await play.step();
    expect(play.next().map(({ family }) => family)).toEqual(['chat.stopStream']);
    const stop = playIn(rig, undefined, play.turn);
    stop.screen = play.screen;
    await stop.show(play.document);
    expect(rig.texts(play.turn)).toEqual(['One two']);
  });

  it.each([
    ['image', 'image', ['markdown', 'markdown', 'markdown', 'button', 'overflow', 'thumbs', 'context']],
    [
      'thumbs',
      'context_actions',
      ['markdown', 'markdown', 'markdown', 'button', 'button', 'button', 'context'],
    ],
    [
      'overflow menu',
      'overflow',
      ['markdown', 'markdown', 'markdown', 'button', 'button', 'button', 'context'],
    ],
    ['buttons', 'actions', ['markdown', 'markdown', 'markdown', 'context']],
    ['markdown', 'markdown', []],
  ])('keeps as much as possible if Slack refuses its %s', async (_, type, kept) => {
    for (const choose of [EDITS, undefined]) {
      const { unsupported } = rig.fake.workspace().state;
      unsupported.add(type);
      const play = playIn(rig, choose);
      const media: Media = { id: '1', kind: 'image', name: 'Chart', ref: { kind: 'file-id', id: '1' } };
      await play.show({ state: 'writing', text: 'Words' });
      await play.show({ state: 'done', text: 'Words.', sources: [source(1)], media: [media] });
      unsupported.delete(type);
      const [message] = rig.messages(play.turn);
      const shown = message?.blocks.flatMap((block) => {
        if (block.type === 'context_actions') return ['thumbs'];
        return block.type === 'actions'
          ? (block.elements as { type: string }[]).map((each) => each.type)
          : [block.type];
      });
      expect(shown).toEqual(kept);
      expect(visibleText(message as Message)).toContain('Words.');
    }
  });

  it('keeps all of a long text if Slack accepts no blocks', async () => {
    const text = plausibleText(9_000);
    const { unsupported } = rig.fake.workspace().state;
    for (const choose of [EDITS, undefined]) {
      rig.fake.plant({ kind: 'error', error: 'invalid_arguments', method: 'chat.startStream', count: 1 });
      const play = playIn(rig, choose);
      await play.show({ state: 'writing', text: 'Once' });
      for (const type of ['markdown', 'context', 'actions']) unsupported.add(type);
      await play.show({ state: 'writing', text });
      await play.show({ state: 'done', text });
      unsupported.clear();
      const shown = rig.messages(play.turn).map(visibleText).join('\n');
      expect(shown).toContain(' (https://');
      const withoutAddresses = words(shown.replace(/ \(https:[^)]*\)/g, ''));
      expect(withoutAddresses).toContain(words(text).slice(0, 2_000));
      expect(withoutAddresses).toContain(words(text).slice(-2_000));
    }
  });

  it.each([1, 3, 99])('takes no shown words back if Slack refuses the blocks of %i edits', async (count) => {
    const text = Array.from({ length: 500 }, (_, at) => `Sentence ${at} of it. `).join('');
    const play = playIn(rig, EDITS);
    const answer = words(text);
    const shownWords = () => {
      const shown = words(rig.messages(play.turn).map(visibleText).join('\n'));
      return [...answer].findIndex((char, at) => shown[at] !== char);
    };
    await play.show({ state: 'writing', text: text.slice(0, 7_000) });
    const edits = updates(play);
    rig.fake.plant({ kind: 'error', error: 'invalid_blocks', method: 'chat.update', count });
    play.change({ text: text.slice(0, 8_000) });
    for (let before = shownWords(); await play.step(); before = shownWords())
      expect(shownWords()).toBeGreaterThanOrEqual(before);
    await play.show({ state: 'done', text });
    expect(words(rig.messages(play.turn).map(visibleText).join('\n'))).toContain(answer.slice(-2_000));
    expect(updates(play) - edits).toBeLessThanOrEqual(5);
  });

  it('posts the text again if its edits never succeed', async () => {
    const play = playIn(rig, EDITS);
    await play.show({ state: 'writing', text: 'Half' });
    rig.fake.plant({ kind: 'status', status: 500, method: 'chat.update', count: 5 });
    await play.show({ state: 'done', text: 'Half and whole' });
    expect(rig.texts(play.turn)).toEqual(['Half and whole']);
  });

  it('shows a complete answer once if its message is too old for an edit', async () => {
    const play = playIn(rig, EDITS);
    await play.show({ state: 'writing', text: 'One.' });
    rig.fake.plant({ kind: 'error', error: 'edit_window_closed', method: 'chat.update', count: 50 });
    await play.show({ text: 'One. Two.' });
    const edits = updates(play);
    for (const more of [' Three.', ' Four.']) await play.show({ text: play.document.text + more });
    expect(rig.texts(play.turn)).toEqual(['One.']);
    await play.show({ state: 'done', text: 'One. Two. Three. Four. Five.' });
    expect(rig.texts(play.turn)).toEqual(['One. Two. Three. Four. Five.']);
    expect(updates(play)).toBe(edits);
  });

  it('does not edit a message again if it is too old, even if the reply should have only one message', async () => {
    let choose = only('chat.postMessage');
    const play = playIn(rig, (moves) => choose(moves));
    await play.show({ state: 'writing', text: 'One.\n\nTwo' });
    choose = EDITS;
    rig.fake.plant({ kind: 'error', error: 'edit_window_closed', method: 'chat.update', count: 50 });
    await play.show({ text: 'One.\n\nTwo and three' });
    const edits = updates(play);
    await play.show({ state: 'done', text: 'One.\n\nTwo and three.' });
    expect(rig.texts(play.turn)).toEqual(['One.\n\nTwo and three.']);
    expect(updates(play)).toBe(edits);
  });

  it('does not repeat a post that a person removed', async () => {
    for (const choose of [EDITS, undefined]) {
      const play = playIn(rig, choose);
      await play.show({ state: 'writing', text: 'Half' });
      rig.remove(play.turn);
      play.change({ text: 'Half and more' });
      while (play.moves.at(-1)?.outcome.kind !== 'refused' || play.next().length > 0) await play.step();
      expect(play.moves.at(-1)?.outcome).toEqual({ kind: 'refused', why: 'gone' });
      expect(play.next()).toEqual([]);
      expect(play.screen).toMatchObject({ parts: [], finished: true });
    }
  });

  it('deletes its messages and its status when the question was deleted', async () => {
    const play = playIn(rig);
    await play.show({});
    await play.show({ state: 'writing', text: 'Half' });
    await play.show({ state: 'withdrawn' });
    expect(rig.messages(play.turn)).toEqual([]);
    expect(play.families().slice(-2)).toEqual(['stopStream', 'delete']);
    const never = playIn(rig);
    await never.show({});
    await never.show({ state: 'withdrawn' });
    expect(never.families()).toEqual(['setStatus', 'setStatus']);
  });

  it('is finished once its text is complete, even if its status could not be cleared', async () => {
    const play = playIn(rig);
    await play.show({});
    rig.fake.plant({ kind: 'status', status: 500, method: 'agents.sessions.setStatus', count: 9 });
    rig.fake.plant({ kind: 'error', error: 'invalid_arguments', method: 'chat.startStream', count: 1 });
    await play.show({ state: 'writing', text: 'All of it' });
    await play.show({ state: 'done', text: 'All of it.' });
    expect(play.screen.finished).toBe(true);
    expect(play.families().filter((family) => family === 'setStatus')).toHaveLength(4);
  });

  it('clears its status if nothing was posted, by the older method if there are no sessions', async () => {
    rig.fake.plant({ kind: 'error', error: 'not_allowed_token_type', method: 'agents.sessions.setStatus' });
    const play = playIn(rig);
    await play.show({});
    await play.show({ state: 'withdrawn' });
    expect(play.families()).toEqual([
      'setStatus',
      'assistant.threads.setStatus',
      'assistant.threads.setStatus',
    ]);
  });

  it.each([
    undefined,
    EDITS,
  ])('suspends the session while a person must decide, and goes on then', async (choose) => {
    const ask = async (turn: Turn, change: Partial<ReplyDocument>) => {
      const play = playIn(rig, choose, turn);
      await play.show({});
      await play.show({ state: 'writing', text: 'May I send it?' });
      return play.show({ state: 'done', ...change });
    };
    const turn = rig.ask();
    await ask(turn, { suggestions: ['Send it anyway', 'Ask without it'] });
    const { room, key } = turn.message.thread;
    const session = [...rig.fake.workspace().state.sessions.values()].find(
      ({ channel, threadTs }) => channel === room && threadTs === key,
    );
    expect(session?.status).toBe('suspended');
    await ask({ ...turn, id: turnId('chosen') }, {});
    expect(session?.changes.map(({ status }) => status)).toEqual([
      'processing',
      'suspended',
      'processing',
      'active',
    ]);
  });

  it('shows a failure with Retry if there is no text', async () => {
    const play = playIn(rig);
    await play.show({});
    await play.show({ state: 'failed', retry: true, notices: [{ tone: 'error', text: 'It broke.' }] });
    expect(play.families()).toEqual(['setStatus', 'postMessage', 'setStatus']);
    expect(JSON.stringify(rig.messages(play.turn)[0]?.blocks)).toMatch(/It broke\..*reply:retry/);
  });
});

describe('images of an answer', () => {
  const image = (id: string): Media => ({
    id,
    kind: 'image',
    name: `Chart ${id}`,
    ref: { kind: 'file-id', id },
  });

  it.each([
    ['a stream', undefined, ['startStream', 'appendStream']],
    ['edits', EDITS, ['postMessage', 'update']],
  ])('are shown at the end of %s in order, and a lost one is named', async (_, choose, first) => {
    const play = playIn(rig, choose);
    await play.show({ state: 'writing', text: 'See' });
    await play.show({ state: 'done', text: 'See these.', media: [image('1'), image('lost'), image('2')] });
    expect(play.families().slice(0, 2)).toEqual(first);
    const blocks = rig.messages(play.turn)[0]?.blocks ?? [];
    expect(blocks.filter(({ type }) => type === 'image').map(({ alt_text: alt }) => alt)).toEqual([
      'Chart 1',
      'Chart 2',
    ]);
    expect(JSON.stringify(blocks)).toContain('- Chart lost');
    expect(play.families().at(-1)).toBe(choose === undefined ? 'stopStream' : 'update');
  });
});
