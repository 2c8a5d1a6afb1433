import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  feedbackForm,
  feedbackNote,
  NOTE_INPUT,
  noteCard,
  REASONS_INPUT,
  waitingNote,
} from '../../../../adapters/teams/render/forms.ts';
import { answerPosts, shareForm, sourcePost } from '../../../../adapters/teams/render/share-posts.ts';
import { sourcesCard } from '../../../../adapters/teams/render/sources-card.ts';
import { agentName } from '../../../../src/kit/ladder.ts';
import type { ReplyRef } from '../../../../src/kit/reply-ref.ts';
import { sourcesOf } from '../../../../src/kit/sources.ts';
import { type ReplyDocument, type Source, type Turn, turnId } from '../../../../src/kit.ts';
import { blank, documents } from '../../reply/markdown/documents.ts';
import { addressesIn, anything } from '../../reply/markdown/hostile.ts';
import { plausibleText } from '../../reply/markdown/long-text.ts';
import {
  buttonsIn,
  cardOf,
  context,
  expectSound,
  expectSoundCard,
  ofType,
  whole,
  wordsIn,
} from './messages.ts';

const reply: ReplyRef = { turn: turnId('turn-1'), ...context.reply };

const source = (number: number, texts: readonly string[]): Source => ({
  key: `k${number}`,
  title: `Manual ${number}`,
  kind: 'document',
  mark: number,
  score: 0.9,
  link: `https://docs.example/${number}`,
  fragments: texts.map((text) => ({ text, score: 0.5 })),
});
const answer = (sources: readonly Source[], text = 'So [1].'): ReplyDocument => ({ ...blank, text, sources });

/** Maximum UTF-16 units of a response to a press, far below the limit for messages. */
const CARD_UNITS = 30_000;

describe('the sources of an answer', () => {
  it('are shown with their passages as formatted text', () => {
    const passage =
      '## Rain\n\n- in *spring*\n\n![123456](file_id:123456)\n\n| A | B |\n| - | - |\n| 1 | 2 |';
    const card = sourcesCard(sourcesOf(answer([source(1, [passage])])), reply, 0);
    expectSoundCard(card);
    const said = wordsIn(card);
    expect(said).toContain(
      '1. |Manual 1|document · 90 %|Passage 1 of 1 · 50 %|Rain|• |in |spring|▣ image|A|B|1|2',
    );
    expect(said).not.toContain('123456');
    expect(ofType(card, 'Table')).toHaveLength(1);
    expect(buttonsIn(card)).toEqual([
      { kind: 'shareSource', title: 'Share', detail: '1' },
      { kind: 'sources', title: 'Back to the answer', detail: 'back' },
    ]);
  });

  it('are split into pages that fit', () => {
    const sources = Array.from({ length: 30 }, (_, at) =>
      source(at + 1, ['words '.repeat(300), '**b** '.repeat(60)]),
    );
    const numbered = sourcesOf(answer(sources));
    const first = sourcesCard(numbered, reply, 0);
    const last = sourcesCard(numbered, reply, 1_000);
    expect(buttonsIn(first).map(({ title }) => title)).toContain('Next');
    expect(buttonsIn(last).map(({ title }) => title)).toContain('Previous');
    const [, count = '0'] = /Page 1 of (\d+)/.exec(wordsIn(first)) ?? [];
    const pages = Array.from({ length: Number(count) }, (_, page) => sourcesCard(numbered, reply, page));
    for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(CARD_UNITS);
    const shown = pages.flatMap((page) =>
      [...wordsIn(page).matchAll(/\d+\. \|(Manual \d+)/g)].map((each) => each[1]),
    );
    expect(shown).toEqual(sources.map(({ title }) => title));
  });

  it('are replaced by a sentence if there are none', () => {
    expect(wordsIn(sourcesCard([], reply, 0))).toBe('This answer has no sources.');
  });

  it('form a valid card with any content', () => {
    const any = fc.array(fc.array(anything, { maxLength: 3 }), { maxLength: 4 });
    fc.assert(
      fc.property(any, anything, anything, fc.nat(3), (texts, title, link, page) => {
        const sources = texts.map((each, at) => ({ ...source(at + 1, each), title, link }));
        const numbered = sourcesOf(answer(sources));
        const card = sourcesCard(numbered, reply, page);
        expectSoundCard(card);
        expect(JSON.stringify(card).length).toBeLessThan(CARD_UNITS);
        for (const each of numbered) expectSound(sourcePost(each, { by: title, agent: agentName('a') }));
      }),
      { numRuns: 400 },
    );
  });
});

describe('a share', () => {
  it('shows a source with the name of the person who shared it', () => {
    const [first] = sourcesOf(answer([source(1, ['It *rains*.', 'a', 'b', 'too many'])]));
    if (first === undefined) throw new Error('a source was expected');
    const post = sourcePost(first, { by: 'An *engineer*', agent: agentName('knowledge') });
    expectSound(post);
    expect(post.text).toBe('');
    expect(wordsIn(cardOf(post))).toBe(
      'An *engineer* shares a source|Manual 1|It |rains|.|a|b|From knowledge’s answer, source 1',
    );
    expect(ofType(cardOf(post), 'Action.OpenUrl')[0]?.url).toBe('https://docs.example/1');
  });

  it('shows a whole answer below its question', () => {
    const text = `| a |\n| - |\n| 1 |\n\n${plausibleText(40_000)}`;
    const posts = answerPosts(
      answer([source(1, [])], text),
      { by: 'Engineer', agent: agentName('knowledge'), question: 'Why?\nReally <at>?' },
      context,
    );
    for (const post of posts) expectSound(post);
    // Teams shows a text and a card as two messages, so each post must have either a text or a card.
    for (const post of posts) expect(post.text === '').toBe(post.attachments.length > 0);
    expect(posts.length).toBeGreaterThan(2);
    expect(posts[0]?.text).toMatch(
      /^\*\*Engineer shares an answer from knowledge\*\*\n\n> Why\? Really &lt;at&gt;\?\n\n\*\*▦ Table 1\*\*/,
    );
    const inText = posts.flatMap((post) => [...post.text.matchAll(/▦ Table \d+/g)].map(String));
    const inCards = posts.flatMap((post) =>
      [...wordsIn(post.attachments).matchAll(/▦ Table \d+/g)].map(String),
    );
    expect(inCards).toEqual(inText);
    expect(buttonsIn(posts)).toEqual([]);
  });

  it('shows the images and files of an answer at its end', () => {
    const ref = { kind: 'file-id' as const, id: '1' };
    const document = {
      ...answer([source(1, [])], plausibleText(20_000)),
      media: [
        { id: 'm1', kind: 'image' as const, name: 'A chart', ref },
        { id: 'f1', kind: 'file' as const, name: 'plan.pdf', link: 'https://files.example/plan', ref },
      ],
    };
    const media = { m1: { link: 'https://bridge.example/m1' } };
    const posts = answerPosts(document, { by: 'Engineer' }, { ...context, media });
    for (const post of posts) expectSound(post);
    expect(posts.slice(0, -1).flatMap((post) => ofType(post.attachments, 'Image'))).toEqual([]);
    const last = posts.at(-1)?.attachments;
    expect(ofType(last, 'Image').map(({ url }) => url)).toEqual(['https://bridge.example/m1']);
    expect(wordsIn(last)).toContain('plan.pdf');
  });

  it('forms a valid message with any content', () => {
    fc.assert(
      fc.property(documents, anything, anything, (document, by, question) => {
        for (const post of answerPosts(document, { by, question }, context)) expectSound(post);
      }),
      { numRuns: 300 },
    );
  });

  it('asks for the place', () => {
    const press = { kind: 'shareSource', reply, detail: '2' } as const;
    const card = shareForm([{ id: 'here', name: 'This <at>conversation</at>' }], press);
    expectSoundCard(card);
    expect(ofType(card, 'Input.ChoiceSet')[0]).toMatchObject({
      id: 'where',
      value: 'here',
      isRequired: true,
    });
    expect(ofType(card, 'Action.Execute')[0]).toMatchObject({
      verb: 'parley.shareSource',
      associatedInputs: 'auto',
    });
  });
});

describe('a form', () => {
  it.each(['up', 'down'] as const)('asks for the reasons of thumbs %s', (verdict) => {
    const card = feedbackForm(verdict);
    expectSoundCard(card);
    expect(ofType(card, 'Action.Submit')).toHaveLength(1);
  });

  it('returns the chosen reasons and the note, and only offered reasons', () => {
    const said = { [REASONS_INPUT]: '0,5,99,x', [NOTE_INPUT]: ' Chapter 3 is newer. ' };
    expect(feedbackNote('down', said)).toBe('Wrong, Wrong sources\nChapter 3 is newer.');
    expect(feedbackNote('up', { [NOTE_INPUT]: 7 })).toBe('');
    expect(feedbackNote('up', { [NOTE_INPUT]: 'x'.repeat(5_000) })).toHaveLength(1_000);
  });

  it('returns each reason once, however often it is chosen, and the whole note', () => {
    const often = { [REASONS_INPUT]: Array(100_000).fill('3,0').join(','), [NOTE_INPUT]: 'Chapter 3.' };
    expect(feedbackNote('down', often)).toBe('Wrong, Not what I asked\nChapter 3.');
    expect(feedbackNote('down', { ...often, [REASONS_INPUT]: { length: 9 } })).toBe('Chapter 3.');
  });
});

describe('the choice of another agent under an answer', () => {
  const answer: ReplyDocument = {
    ...blank,
    state: 'done',
    text: 'Two years.',
    agent: agentName('knowledge'),
  };
  const choiceOf = (agents: readonly string[]) => {
    const cards = agents.map((each) => ({ name: agentName(each), description: each, seesImages: false }));
    const message = whole(answer, { ...context, agents: cards });
    expectSound(message);
    return ofType(cardOf(message), 'Action.ShowCard');
  };

  it('offers the other agents, if there are any', () => {
    const [choice, ...more] = choiceOf(['knowledge', 'sales', 'legal']);
    expect(more).toEqual([]);
    expect(buttonsIn(choice)).toEqual([{ kind: 'agent', title: 'Ask', detail: '' }]);
    expect(ofType(choice, 'Input.ChoiceSet')[0]?.choices).toEqual([
      { title: 'sales', value: 'sales' },
      { title: 'legal', value: 'legal' },
    ]);
    expect(choiceOf(['knowledge'])).toEqual([]);
    expect(choiceOf([])).toEqual([]);
  });

  it('is valid with any names', () => {
    const named = anything.filter((each) => each !== '');
    fc.assert(
      fc.property(fc.array(named, { maxLength: 15 }), (names) => void choiceOf(names)),
      {
        numRuns: 300,
      },
    );
  });
});

it.each([
  ['the question names it', false, 3, 'Answered by guide'],
  ['the question names none', true, 3, 'Answered by guide, the agent of this conversation'],
  ['there is only one', true, 1, undefined],
])('the card says who answered, and why: %s', (_, namesNoAgent, count, said) => {
  const document = { ...blank, state: 'done' as const, agent: agentName('guide'), text: 'So.' };
  const how = { ...context, namesNoAgent, agents: context.agents.slice(0, count) };
  const words = wordsIn(cardOf(whole(document, how)));
  expect(words.split('|').find((each) => each.startsWith('Answered by'))).toBe(said);
});

describe('a note', () => {
  it('is one sentence, and valid with any text', () => {
    fc.assert(
      fc.property(anything, (sentence) => expectSoundCard(noteCard(sentence))),
      { numRuns: 300 },
    );
    expect(wordsIn(noteCard('It is *gone*.'))).toBe('It is *gone*.');
  });

  it('about a waiting question is a sound card', () => {
    const { question: id, room, key, kind } = reply;
    const thread = { channel: 'teams', tenant: 't', room, key, kind };
    const turn = { id: reply.turn, message: { id, thread } } as Turn;
    const { attachments } = waitingNote(turn, 'It waits.') as { attachments: { content: object }[] };
    expect(attachments).toHaveLength(1);
    expectSoundCard(attachments[0]?.content ?? {});
  });
});

describe('links in tables', () => {
  const link = (name: string) => `https://docs.example/${name}`;
  const text = [
    'First:',
    '',
    '| a | link |',
    '|---|---|',
    `| 1 | [One [x]](${link('one')}) and **[bold](${link('bold')})** |`,
    '| 2 | [Mail](mailto:help@docs.example) |',
    '',
    'Second:',
    '',
    '| b | link |',
    '|---|---|',
    `| 2 | [Two](${link('two_(2)')}) [One again](${link('one')}) |`,
  ].join('\n');
  const document: ReplyDocument = { ...blank, state: 'done', text };

  it('are links in the card', () => {
    const card = JSON.stringify(cardOf(whole(document)));
    for (const name of ['one', 'bold', 'two_']) expect(card).toContain(link(name));
    expect(card).toContain('help@docs.example');
  });

  it('are links below the table in a message without a card', () => {
    const { links } = addressesIn(whole(document, context, 'simple').text);
    expect(links).toEqual(expect.arrayContaining([link('one'), link('bold'), link('two_%282%29')]));
    expect(links).toContain('mailto:help@docs.example');
  });
});
