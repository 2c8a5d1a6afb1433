/**
 * Tests the questions of `docs/questions.json`, with which the agent `guide` finds sections for questions in other words
 * than the pages use: that each one finds its own page, and that other agents and answers do not change.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../sandbox/clock.ts';
import { bestSections } from '../../../sandbox/knowledge/answer.ts';
import { plainPreparation } from '../../../sandbox/knowledge/chunk.ts';
import { indexSources } from '../../../sandbox/knowledge/folder.ts';
import { createComparison, type ListedQuestions } from '../../../sandbox/knowledge/questions.ts';
import { buildQuery, search } from '../../../sandbox/knowledge/search.ts';
import { guides, listedQuestions } from '../../../sandbox/knowledge/shipped.ts';
import { openDatabase } from '../../../sandbox/store/database.ts';
import { createDocuments } from '../../../sandbox/store/documents.ts';
import { createIds } from '../../../sandbox/store/ids.ts';
import { createImages } from '../../../sandbox/store/images.ts';
import { askByKey, sharedShipped, user } from './support.ts';

const project = join(import.meta.dirname, '../../..');
const listed: ListedQuestions = JSON.parse(readFileSync(join(project, 'docs/questions.json'), 'utf8'));
const all = Object.entries(listed).flatMap(([page, sections]) =>
  Object.entries(sections).flatMap(([heading, languages]) =>
    Object.entries(languages).flatMap(([language, questions]) =>
      questions.map((question) => ({ page, heading, language, question })),
    ),
  ),
);

/** Chooses by the question itself, so that the sample stays the same if a page gets more questions. */
const isInSample = (question: string, every: number): boolean =>
  createHash('sha256').update(question).digest().readUInt32BE() % every === 0;

describe('the listed questions', () => {
  const database = openDatabase(undefined);
  const images = createImages(database);
  const documents = createDocuments(database, createIds(database, systemClock), images);
  const compare = createComparison(listedQuestions);
  const scope = { mayRead: () => true, limit: 20, leastScore: 0, compare };
  const pageOf = ({ path }: { readonly path: string }) => relative(project, path).replaceAll('\\', '/');
  const lastOf = ({ heading }: { readonly heading: string }) => heading.split(' › ').at(-1) ?? '';

  beforeAll(async () => {
    const signal = new AbortController().signal;
    const preparation = () => plainPreparation;
    const deps = { documents, images, preparation, clock: systemClock, signal, onProgress: () => undefined };
    await indexSources(guides(), deps);
  });
  afterAll(() => database.close());

  it('belong to the sections of all pages that the agent knows, at least in English', () => {
    const faults = documents.list().flatMap((document) => {
      const page = pageOf(document);
      const sections = listed[page] ?? {};
      const headings = new Set(documents.chunksOf(document.id).map(lastOf));
      const missing = [...headings]
        .filter((heading) => !sections[heading]?.en?.length)
        .map((heading) => `${page}: write questions (en) that "${heading}" answers`);
      const old = Object.keys(sections).filter((heading) => !headings.has(heading));
      return [
        ...missing,
        ...old.map((heading) => `${page}: the heading "${heading}" is gone, move its questions`),
      ];
    });
    const pages = documents.list().map(pageOf);
    const gone = Object.keys(listed).filter((page) => !pages.includes(page));
    const all = [...faults, ...gone.map((page) => `${page}: the page is gone, move its questions`)];
    expect(all, 'Change docs/questions.json ("" is the text above the first section)').toEqual([]);
  });

  it('are each listed once', () => {
    const questions = all.map(({ question }) => question.toLowerCase());
    expect(questions.filter((question, at) => questions.indexOf(question) !== at)).toEqual([]);
  });

  it.each([
    ['en', 20],
    ['de', 15],
    ['ja', 15],
    ['zh', 15],
  ])('find their own page first (%s, one in %i)', (language, every) => {
    const own = all.filter((one) => one.language === language && isInSample(one.question, every));
    const misses = own.filter(({ page, question }) => {
      // The very question would always come first.
      const [first] = bestSections(search(buildQuery(`${question} please`, []), documents, scope));
      return first === undefined || pageOf(first.document) !== page;
    });
    expect(misses.length / own.length, JSON.stringify(misses.slice(0, 20))).toBeLessThanOrEqual(0.05);
  });
});

describe('agents', async () => {
  const sandbox = await sharedShipped();

  const ask = async (agent: string, question: string) => {
    const body = { ...user(question), show_tool_result: true };
    const { data } = (await askByKey(sandbox, agent, body)).json;
    return { text: String(data.full_output), sources: JSON.stringify(data.tool_result ?? []) };
  };
  /** Returns the page of the first section in an answer. A first section without a page is the beginning of a page. */
  const firstOf = (text: string): string => {
    const [, heading = '', page] = /\n1\. \[([^\]]+)\]\([^)]*\)(?: \(([^)]*)\))? \[1\]\n/.exec(text) ?? [];
    return page ?? heading;
  };

  it.each([
    ['what is parley', 'Parley'],
    ['how do i install this', 'Parley'],
    ['how do we get it into slack', 'Slack'],
    ['How do I connect Slack?', 'Slack'],
    ['connecting it to MS Teams', 'Microsoft Teams'],
    ['should i make backups', 'Operating'],
    ['is my data safe here', 'Privacy and audit'],
    ['which models can it use', 'The sandbox'],
    ['how much does this cost', 'Operating'],
    ['how can i stop an answer', 'Getting started'],
    ['please delete my data', 'Privacy and audit'],
    ['does it run offline', 'Before you start'],
    ['who is able to see my chat', 'Platform accounts of people'],
    ['will this work behind a corporate proxy', 'Configuration'],
    ['does it keep the history after a restart', 'Operating'],
    ['how does it work?', 'How a message becomes an answer'],
    ['Wie kann ich eine Antwort anhalten?', 'Getting started'],
    ['Was kostet Parley?', 'Before you start'],
    ['Wer sieht, was ich frage?', 'Platform accounts of people'],
    ['Slackとの接続方法を教えてください', 'Slack'],
    ['怎么接入 Teams', 'Microsoft Teams'],
    ['怎么备份', 'Operating'],
    ['バックアップはどうやって取りますか', 'Operating'],
  ])('guide answers: %s', async (question, page) => {
    expect(firstOf((await ask('guide', question)).text)).toBe(page);
  });

  it('guide says in the language of the question that the pages are in English', async () => {
    expect((await ask('guide', 'Was kostet das?')).text).toMatch(/^Diese Abschnitte .* auf Englisch/);
    expect((await ask('guide', '料金はいくらですか')).text).toMatch(/^最も関連.*英語/);
  });

  it('guide declines questions about other subjects, of which it takes at most one for a question about Parley', async () => {
    const questions = [
      'Will it rain in Hamburg on Sunday?',
      'Who painted the Mona Lisa?',
      'How many legs does a spider have?',
      'How do I remove red wine from a carpet?',
      'How do I pair my headphones with my TV?',
      'How do I add a signature in Outlook?',
      'How do I merge cells in Excel?',
      'What is the exchange rate of the dollar?',
      'What is 17 times 23?',
      'Where is the best pizza in town?',
      'Wie hoch ist die Zugspitze?',
      'Wie lange kocht man ein Ei?',
      'Welcher Film läuft heute im Kino?',
      '富士山の高さは',
      '次の電車は何時ですか',
      '今天天气怎么样',
    ];
    const taken: string[] = [];
    for (const question of questions) {
      const { sources } = await ask('guide', question);
      if (sources !== '[]') taken.push(question);
    }
    expect(taken.length, JSON.stringify(taken)).toBeLessThanOrEqual(1);
  });

  it('guide quotes sections only, and no listed question', async () => {
    const { text, sources } = await ask('guide', 'Does it work behind our proxy?');
    expect(sources).toContain('HTTPS_PROXY');
    expect(text + sources).not.toContain('behind our proxy');
  });

  it('an agent with other documents does not use them', async () => {
    for (const question of ['Was kostet das?', 'Which models can I use?', '料金はいくらですか'])
      expect((await ask('knowledge', question)).sources).toBe('[]');
  });
});
