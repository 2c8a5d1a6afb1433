import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Answer, call, type Json, openToken, sharedShipped, start } from './support.ts';
import { FILES, openWire, RAG } from './wire.ts';

const HYBRID = 1;
const EMBEDDING = 2;
const FULL_TEXT = 3;
const FILTER = { metadataProvider: ['default'], metadataSearchType: 0 };

interface Questions {
  /** Each entry is a question, and the document and the heading that the search must find. */
  readonly answered: readonly (readonly [string, string, string])[];
  readonly elsewhere: readonly string[];
}
const questions: Questions = JSON.parse(
  readFileSync(new URL('../../recorded/retrieval/questions.json', import.meta.url), 'utf8'),
);

const sandbox = await sharedShipped();

async function asked(body: Json, account = 'member-one'): Promise<Answer> {
  return await call(sandbox.url + RAG, { body, headers: await openToken(sandbox, account) });
}

/** Returns the results of a search that must succeed; by default a hybrid search for at most five results. */
async function items(body: Json, account = 'member-one'): Promise<Json[]> {
  const { status, json } = await asked({ ragObject: 0, topk: 5, ragMode: HYBRID, ...body }, account);
  expect({ status, success: json?.success, msg: json?.msg }).toEqual({ status: 200, success: true, msg: '' });
  expect(json.data.searchId).toMatch(/^\d{19}$/);
  return json.data.results;
}

/** Returns the error message of a search that must be refused. */
async function refused(body: Json): Promise<string> {
  const { status, json } = await asked({ query: 'visitor pass', topk: 5, ...body });
  expect({ status, success: json.success, data: json.data }).toEqual({
    status: 200,
    success: false,
    data: null,
  });
  return json.msg;
}

const names = (list: readonly Json[]): string[] => list.map((item) => item.fileName);

describe('sandbox: retrieval', () => {
  it('answers with exactly the members of RAG-11', async () => {
    const [first] = await items({ query: 'How long is a visitor pass valid?' });
    const document = sandbox.documents().find((one) => one.name === 'badges-and-visitors.md');
    expect(first).toEqual({
      chunkId: expect.stringMatching(/^\d{19}$/),
      fileId: document?.id,
      fileName: 'badges-and-visitors.md',
      content: expect.stringContaining('valid for one working day'),
      metadata: expect.any(Object),
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/share\//),
      searchScore: expect.any(Number),
      rrfScore: expect.any(Number),
      rerankScore: 0,
      workspaceId: document?.workspace,
      workspaceName: 'handbook',
    });
    expect(first.metadata).toMatchObject({
      Url: first.url,
      FileName: first.fileName,
      FileId: first.fileId,
      FilePath: 'handbook/badges-and-visitors.md',
      WorkspaceName: 'handbook',
      Created: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      Size: String(document?.size),
      Heading: 'How long is a visitor pass valid?',
    });
    expect((await call(first.url)).status).toBe(200);
  });

  it('sends metadata as a string and no workspace name if the options are set', async () => {
    const options = { retrievalMetadataAsText: true, retrievalHidesWorkspaceName: true };
    const set = (body: Json) => call(`${sandbox.url}/__sandbox/options`, { body });
    await set(options);
    const [first] = await items({ query: 'visitor pass' });
    await set({ retrievalMetadataAsText: false, retrievalHidesWorkspaceName: false });
    expect(first.workspaceName).toBe('');
    expect(JSON.parse(first.metadata)).toMatchObject({ WorkspaceName: 'handbook' });
  });

  it('accepts only signed-in callers', async () => {
    expect((await call(sandbox.url + RAG, { body: { query: 'x', topk: 1 } })).status).toBe(401);
  });

  it('orders by fusion, with scores between 0 and 1', async () => {
    const list = await items({ query: 'lost badge', topk: 20, minSimilarity: 0 });
    expect(list).toHaveLength(20);
    const fused = list.map((item) => item.rrfScore);
    expect(fused).toEqual([...fused].sort((a, b) => b - a));
    for (const { searchScore } of list) expect(searchScore > 0 && searchScore <= 1).toBe(true);
    for (const ragMode of [EMBEDDING, FULL_TEXT]) {
      const alone = await items({ query: 'lost badge', topk: 20, minSimilarity: 0, ragMode });
      const scores = alone.map((item) => item.searchScore);
      expect(scores).toEqual([...scores].sort((a, b) => b - a));
      expect(new Set(alone.map((item) => item.rrfScore))).toEqual(new Set([0]));
    }
  });

  it('finds a passage by its share of the question, and by its words', async () => {
    const query = 'dogs in the office';
    const [near] = await items({ query, ragMode: EMBEDDING });
    expect(near.content).toContain('Dogs are welcome');
    const [exact] = await items({
      query: 'start with PARLEY_SANDBOX_PORT set to the free port',
      ragMode: FULL_TEXT,
    });
    expect(exact.content).toContain('PARLEY_SANDBOX_PORT');
  });

  it('treats mode 0 and a missing mode as hybrid', async () => {
    const query = 'how do I claim expenses';
    const hybrid = await items({ query, ragMode: HYBRID });
    for (const ragMode of [0, undefined, null]) {
      const list = await items({ query, ragMode });
      expect(list.map((item) => item.chunkId)).toEqual(hybrid.map((item) => item.chunkId));
    }
  });

  it('returns at most topk results', async () => {
    for (const topk of [1, 3, 100]) {
      const list = await items({ query: 'office', topk, ragMode: FULL_TEXT });
      expect(list.length).toBeLessThanOrEqual(topk);
      expect(new Set(list.map((item) => item.chunkId)).size).toBe(list.length);
    }
    expect(await items({ query: 'office', topk: 3, ragMode: FULL_TEXT })).toHaveLength(3);
  });

  it('finds no question-answer pairs, and finds documents in modes 0 and 2', async () => {
    expect(await items({ query: 'visitor pass', ragObject: 1 })).toEqual([]);
    const both = names(await items({ query: 'visitor pass', ragObject: 0 }));
    expect(names(await items({ query: 'visitor pass', ragObject: 2 }))).toEqual(both);
    expect(both.length).toBeGreaterThan(0);
  });
});

describe('sandbox: retrieval refuses', () => {
  it.each([
    [{ query: null, keywords: null }, /query and keywords/],
    [{ query: undefined }, /query and keywords/],
    [{ query: ' ', keywords: '' }, /query and keywords/],
    [{ query: 7 }, /query/],
    [{ keywords: ['a'] }, /keywords/],
    [{ topk: undefined }, /topk/],
    [{ topk: 0 }, /topk/],
    [{ topk: 101 }, /topk/],
    [{ topk: 2.5 }, /topk/],
    [{ topk: '5' }, /topk/],
    [{ ragObject: 3 }, /ragObject/],
    [{ ragObject: 'doc' }, /ragObject/],
    [{ ragMode: 4 }, /ragMode/],
    [{ ragMode: -1 }, /ragMode/],
    [{ ragMode: '1' }, /ragMode/],
    [{ minSimilarity: -0.01 }, /minSimilarity/],
    [{ minSimilarity: 1.01 }, /minSimilarity/],
    [{ minSimilarity: '0.5' }, /minSimilarity/],
    [{ workspaces: 'handbook' }, /workspaces/],
    [{ workspaces: [{}] }, /workspaces/],
    [{ metadataProvider: ['other'] }, /metadataProvider/],
    [{ metadataProvider: 'default' }, /metadataProvider/],
    [{ metadataProvider: ['default'], metadataSearchType: 2 }, /metadataSearchType/],
    [{ weights: { Graph: 1 } }, /weights/],
    [{ weights: { constructor: 1 } }, /weights/],
    [{ weights: { Embedding: -1 } }, /Embedding/],
    [{ weights: { FullText: '1' } }, /FullText/],
    [{ weights: { Embedding: 0, FullText: 0 } }, /weights/],
    [{ weights: [1] }, /weights/],
    [{ reranker: 'bge-reranker' }, /bge-reranker/],
  ])('%j', async (body, sentence) => {
    expect(await refused(body)).toMatch(sentence);
  });

  it.each([
    { reranker: null },
    { reranker: '' },
    { weights: null },
    { metadataProvider: null, metadataSearchType: 9 },
    { metadataProvider: [], metadataSearchType: 1 },
    { metadataProvider: ['default'] },
    { workspaces: null },
    { workspaces: [] },
    { minSimilarity: null },
    { minSimilarity: 0 },
    { minSimilarity: 1 },
    { ragMode: FULL_TEXT, weights: { Graph: 1 } },
    { unknownMember: { deep: [1] } },
  ])('but not %j', async (body) => {
    expect(await items({ query: 'visitor pass', ...body })).not.toEqual([]);
  });
});

describe('sandbox: access to retrieval', () => {
  const query = 'How long is a visitor pass valid?';
  const everything = { query, topk: 100, minSimilarity: 0 };

  it('shows passages of readable workspaces only', async () => {
    const handbook = names(await items({ ...everything, workspaces: ['handbook'] }, 'admin'));
    expect(handbook).toContain('badges-and-visitors.md');
    const two = await items(everything, 'member-two');
    expect(new Set(two.map((item) => item.workspaceName))).toEqual(new Set(['project']));
    expect(await items({ ...everything, workspaces: ['handbook'] }, 'member-two')).toEqual([]);
    expect(new Set((await items(everything, 'admin')).map((item) => item.workspaceName))).toEqual(
      new Set(['handbook', 'project']),
    );
  });

  it('filters before it ranks, so that unreadable passages do not displace readable ones', async () => {
    for (const ragMode of [HYBRID, EMBEDDING, FULL_TEXT]) {
      const top = { query, topk: 1, minSimilarity: 0, ragMode };
      expect(names(await items(top, 'member-one'))).toEqual(['badges-and-visitors.md']);
      const [two] = await items(top, 'member-two');
      expect(two.workspaceName).toBe('project');
      expect(two.content).toMatch(/visitor pass/i);
      expect(await items(top, 'member-two')).toEqual(
        await items({ ...top, workspaces: ['project'] }, 'member-one'),
      );
    }
  });

  it('accepts workspaces by name and by id, and finds nothing in unknown ones', async () => {
    const id = sandbox.catalogue.workspaces.find(({ name }) => name === 'handbook')?.id ?? '';
    const byName = names(await items({ query, workspaces: ['handbook'] }));
    expect(byName[0]).toBe('badges-and-visitors.md');
    expect(names(await items({ query, workspaces: [id, 'nowhere'] }))).toEqual(byName);
    expect(await items({ query, workspaces: ['nowhere'] })).toEqual([]);
    const bare = `{"query":"${query}","topk":5,"ragMode":1,"workspaces":[${id}]}`;
    expect(names((await asked(bare)).json.data.results)).toEqual(byName);
  });
});

describe('sandbox: parameters of retrieval', () => {
  it('weighs the indexes, named in any case, and ignores an index of weight 0', async () => {
    const query = 'the reception desk prints a day badge';
    const ids = async (weights: Json, ragMode = HYBRID) =>
      (await items({ query, weights, ragMode, topk: 10, minSimilarity: 0 })).map((item) => item.chunkId);
    const embedding = await ids({ Embedding: 1, FullText: 0 });
    const fullText = await ids({ embedding: 0, FULLTEXT: 1 });
    expect(embedding).toEqual(await ids(null, EMBEDDING));
    expect(fullText).toEqual(await ids(null, FULL_TEXT));
    expect(embedding).not.toEqual(fullText);
    const [mostlyNear] = await ids({ Embedding: 10, FullText: 0.1 });
    const [mostlyExact] = await ids({ Embedding: 0.1, FullText: 10 });
    expect([mostlyNear, mostlyExact]).toEqual([embedding[0], fullText[0]]);
    expect(await ids({ Embedding: 1, FullText: 0 }, FULL_TEXT)).toEqual(fullText);
  });

  it('uses keywords unchanged, and then ignores the query in the text search', async () => {
    const search = { query: 'where is the coffee', ragMode: FULL_TEXT };
    expect((await items(search))[0].content).toContain('Coffee, tea and fruit');
    const given = await items({ ...search, keywords: 'assembly point|yellow vests' });
    expect(given[0].content).toContain('assembly point');
    for (const { content } of given) expect(content).toMatch(/assembly point|yellow vests/i);
    expect((await items({ query: null, keywords: '虚拟专用网络', ragMode: FULL_TEXT }))[0].fileName).toBe(
      '远程办公制度.md',
    );
    expect((await items({ keywords: 'rollback', topk: 3 }))[0].fileName).toBe('on-call-handbook.md');
    expect(await items({ ...search, keywords: '|| |' })).toEqual([]);
  });

  it('finds a keyword inside of a word', async () => {
    const [first] = await items({ keywords: 'certific', ragMode: FULL_TEXT });
    expect(first.content).toContain('certificate');
  });

  it('applies the minimum similarity only to the first ranking, by default 0.8', async () => {
    const query = 'How do I get a visitor pass?';
    const similar = async (minSimilarity: Json) =>
      await items({ query, minSimilarity, ragMode: EMBEDDING, topk: 100 });
    const all = await similar(0);
    const usual = await similar(undefined);
    expect(usual.length).toBeLessThan(all.length);
    expect(Math.min(...usual.map((item) => item.searchScore))).toBeGreaterThanOrEqual(0.8);
    expect(usual).toEqual(await similar(0.8));
    expect(usual).toEqual(all.filter((item) => item.searchScore >= 0.8));
    expect(await similar(1)).toEqual([]);
    const hybrid = await items({ query, minSimilarity: 1, topk: 100 });
    expect(hybrid.length).toBeGreaterThan(0);
    expect(hybrid.map((item) => item.chunkId)).toEqual(
      (await items({ query, ragMode: FULL_TEXT, topk: 100 })).map((item) => item.chunkId),
    );
  });
});

describe('sandbox: hostile queries', () => {
  it.each([
    ['operators', '" OR NEAR( * AND NOT ^ : - + { } ( )'],
    ['columns', 'words : visitor OR rank : x'],
    ['an open quotation', '"visitor pass'],
    ['punctuation', '?!.,;…。、'],
    ['emoji', '😀👍🏽👨‍👩‍👧'],
    ['NUL', 'visitor\0pass\0" OR "'],
    ['half a character', '\ud83d visitor \udc00'],
    ['an injection', "x'); DROP TABLE chunks; --"],
    ['100,000 characters', 'visitor 访客 '.repeat(10_000)],
    ['100,000 letters', 'a'.repeat(100_000)],
    ['100,000 pairs', '访'.repeat(100_000)],
    ['accents', 'ÅNGSTRÖM Éclair ﬁre ｖｉｓｉｔｏｒ'],
  ])('%s', async (_name, query) => {
    for (const ragMode of [HYBRID, EMBEDDING, FULL_TEXT]) {
      await items({ query, ragMode, minSimilarity: 0 });
      await items({ keywords: query, ragMode });
      await items({ query, keywords: `${query}|visitor pass`, ragMode });
    }
    expect(await items({ query: 'visitor pass' })).not.toEqual([]);
  });
});

describe('sandbox: quality of retrieval', () => {
  const five = async (query: string, ragMode: number) => await items({ query, ragMode }, 'admin');

  it('finds the answer to two in three paraphrased questions among the first five results with the defaults', async () => {
    expect(questions.answered.length).toBeGreaterThanOrEqual(50);
    const missed: string[] = [];
    for (const [query, file, heading] of questions.answered) {
      const answers = (item: Json) =>
        item.fileName === file && item.metadata.Heading.split(' › ').includes(heading);
      if (!(await five(query, HYBRID)).some(answers)) missed.push(query);
    }
    const recall = 1 - missed.length / questions.answered.length;
    expect(recall, missed.join('\n')).toBeGreaterThanOrEqual(2 / 3);
  });

  it('finds almost nothing by similarity for unrelated questions', async () => {
    expect(questions.elsewhere.length).toBeGreaterThanOrEqual(20);
    const found: string[] = [];
    for (const query of questions.elsewhere) {
      const list = await five(query, EMBEDDING);
      if (list.length > 0) found.push(`${query}: ${list.length}`);
      expect(list.length, query).toBeLessThanOrEqual(3);
    }
    expect(found.length, found.join('\n')).toBeLessThanOrEqual(questions.elsewhere.length / 4);
  });
});

describe('sandbox: retrieval follows the documents', () => {
  it('finds nothing without documents', async () => {
    await using empty = await start();
    await empty.indexed;
    const headers = await openToken(empty);
    for (const ragMode of [HYBRID, EMBEDDING, FULL_TEXT]) {
      const body = { query: 'visitor pass', topk: 5, ragMode, minSimilarity: 0 };
      expect((await call(empty.url + RAG, { body, headers })).json.data.results).toEqual([]);
    }
  });

  it('finds an upload, its metadata immediately, and nothing of it after its deletion', async () => {
    const wire = await openWire(sandbox);
    const id = await wire.createWorkspace('lighthouses');
    const file = { name: 'keeper.md', text: '# The keeper\n\n## Ships\n\nThe keeper counts ships at noon.' };
    const fileId = await wire.add('lighthouses', file.name, file.text);
    const search = { query: 'Who counts the ships?', workspaces: ['lighthouses'] };
    const [first] = await items(search, 'admin');
    expect(first).toMatchObject({
      fileId,
      content: 'The keeper counts ships at noon.',
      workspaceId: id,
      workspaceName: 'lighthouses',
    });
    expect(first.metadata).toMatchObject({ FilePath: 'lighthouses/keeper.md', Heading: 'Ships' });
    expect(await items(search, 'member-one')).toEqual([]);

    const coast = { query: 'ships of the western coast', ...FILTER, ragMode: FULL_TEXT };
    const note = (value: string) =>
      wire.whole('PUT', `${FILES}/metadataExpansionEdit`, {
        id: fileId,
        metadataTemplate: JSON.stringify([{ name: 'Coast', type: 0, limit: '', value }]),
      });
    await note('Western coast');
    const noted = await items(coast, 'admin');
    expect(names(noted)).toEqual(['keeper.md']);
    expect(noted[0].metadata.Coast).toBe('Western coast');
    expect(names(await items({ keywords: 'western coast', ragMode: FULL_TEXT }, 'admin'))).toEqual([
      'keeper.md',
    ]);
    await note('Eastern coast');
    expect(await items({ keywords: 'western coast', ragMode: FULL_TEXT }, 'admin')).toEqual([]);

    await wire.remove(fileId);
    expect(await items({ ...search, minSimilarity: 0 }, 'admin')).toEqual([]);
    expect(await items({ keywords: 'eastern coast', ragMode: FULL_TEXT }, 'admin')).toEqual([]);
  });
});
