import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { chunkOf, divide } from '../../../sandbox/knowledge/chunk.ts';
import { readMarkdown } from '../../../sandbox/knowledge/read.ts';
import { createMetadataIndex, namedIn, readEntries } from '../../../sandbox/search/metadata.ts';
import { createPassageIndex } from '../../../sandbox/search/passage-index.ts';
import { phrase } from '../../../sandbox/search/probes.ts';
import { readRequest } from '../../../sandbox/search/request.ts';
import {
  cosineOf,
  fuse,
  type Indexes,
  raise,
  retrieve,
  similarity,
} from '../../../sandbox/search/retrieve.ts';
import { type Database, openDatabase } from '../../../sandbox/store/database.ts';
import { createDocuments, type StoredDocument } from '../../../sandbox/store/documents.ts';
import { createIds } from '../../../sandbox/store/ids.ts';
import { createImages } from '../../../sandbox/store/images.ts';
import { embed } from '../../../sandbox/words/embedding.ts';
import { manualClock } from '../../contract/sandbox/support.ts';
import { plausibleDocuments } from '../../fakes/plausible-text.ts';

let database: Database;
let indexes: Indexes;

function open(): Indexes {
  const documents = createDocuments(database, createIds(database, manualClock()), createImages(database));
  return {
    documents,
    index: createPassageIndex(documents),
    metadata: createMetadataIndex(documents),
  };
}

beforeEach(() => {
  database = openDatabase(undefined);
  indexes = open();
});

function keep(name: string, text: string, workspace = 'w1'): StoredDocument {
  const announced = indexes.documents.announce({
    workspace,
    path: `${workspace}/${name}`,
    name,
    title: name,
    type: 'md',
    size: text.length,
    hash: '',
    state: 'underway',
    reason: '',
    fullPath: `/${name}`,
    created: 0,
    modified: 0,
    createdBy: '',
    modifiedBy: '',
  });
  const { title, passages } = divide(readMarkdown(text), name, () => undefined);
  const chunks = passages.map((passage) => chunkOf(title, passage));
  const stored: StoredDocument = { ...announced, title, state: 'success' };
  indexes.documents.replace(stored, chunks);
  return stored;
}

const find = (request: Record<string, unknown>, mayRead = (_workspace: string) => true): string[] =>
  retrieve(readRequest({ topk: 10, minSimilarity: 0, ...request }), indexes, mayRead).map(
    ({ document }) => document.name,
  );

const note = (document: StoredDocument, entries: unknown): void =>
  indexes.documents.update({ ...document, metadata: JSON.stringify(entries) });

describe('metadata', () => {
  const text = (name: string) => `# ${name}\n\nHow to claim the costs of a journey, and when they are paid.`;
  const filter = { metadataProvider: ['default'], metadataSearchType: 0 };
  const weigh = { metadataProvider: ['default'], metadataSearchType: 1 };

  it('is found by full text immediately after an edit, and no longer after the next edit', () => {
    const document = keep('a.md', text('A'));
    keep('b.md', text('B'));
    const search = { query: 'zebra', ragMode: 3 };
    expect(find(search)).toEqual([]);
    note(document, [{ name: 'Animal', type: 0, limit: '', value: 'Zebras' }]);
    expect(find(search)).toEqual(['a.md']);
    expect(find({ keywords: 'zebra', ragMode: 3 })).toEqual(['a.md']);
    note(document, [{ name: 'Animal', value: '斑马' }]);
    expect([find(search), find({ query: '斑马在哪里', ragMode: 3 })]).toEqual([[], ['a.md']]);
    indexes.documents.update({ ...document, metadata: '' });
    expect(find({ query: '斑马在哪里', ragMode: 3 })).toEqual([]);
  });

  it('filters if the query or a keyword names a value, and only with the provider', () => {
    note(keep('a.md', text('A')), [
      { name: 'Department', type: 1, limit: '["Legal"]', value: 'Legal affairs' },
    ]);
    note(keep('b.md', text('B')), [{ name: 'Department', type: 1, value: 'Sales' }]);
    keep('c.md', text('C'));
    const query = 'costs of a journey for legal affairs';
    expect(find({ query, ...filter })).toEqual(['a.md']);
    expect(find({ query: 'costs of a journey', keywords: 'costs|sales', ...filter })).toEqual(['b.md']);
    expect(find({ query }).toSorted()).toEqual(['a.md', 'b.md', 'c.md']);
    expect(find({ query: 'costs of a legal journey', ...filter })).toHaveLength(3);
    note(keep('d.md', text('D')), [{ name: 'Department', value: 'Legal counsel of another journey' }]);
    for (const ragMode of [2, 3]) expect(find({ query, ragMode, ...filter })).toEqual(['a.md']);
  });

  it('raises the rank if it weighs, and removes no result', () => {
    keep('a.md', '# A\n\nThe costs of a journey. Costs, costs, journey.');
    note(
      keep('b.md', '# B\n\nThe costs of a long and winding journey with many stations and much luggage.'),
      [{ name: 'Year', value: 2024 }],
    );
    for (const ragMode of [1, 2, 3]) {
      const query = 'costs journey 2024';
      expect(find({ query: 'costs journey', ragMode, ...weigh })).toEqual(['a.md', 'b.md']);
      expect(find({ query, ragMode, ...weigh })).toEqual(['b.md', 'a.md']);
    }
  });

  it('of unreadable documents neither filters nor shows them', () => {
    note(keep('a.md', text('A'), 'secret'), [{ name: 'Department', value: 'Legal' }]);
    keep('b.md', text('B'), 'open');
    const open = (workspace: string) => workspace === 'open';
    expect(find({ query: 'legal costs of a journey', ...filter }, open)).toEqual(['b.md']);
    expect(find({ query: 'legal', ragMode: 3 }, open)).toEqual([]);
  });

  it('that cannot be read has no entries', () => {
    const broken = ['', 'x', '{}', 'null', '[1, null, "a"]', '[{"name":1,"value":"x"}]', '[{"name":"x"}]'];
    for (const given of broken) expect(readEntries(given)).toEqual([]);
    expect(readEntries('[{"name":"a","value":"b"},{"name":"c","value":false}]')).toEqual([
      { name: 'a', value: 'b' },
      { name: 'c', value: 'false' },
    ]);
    const described = [
      { document: '1', workspace: 'w', values: [['legal', 'affair']], terms: new Set<string>() },
    ];
    expect(namedIn(described, new Set(['legal']))).toEqual(new Set());
    expect(namedIn(described, new Set(['affair', 'the', 'legal']))).toEqual(new Set(['1']));
  });
});

describe('the index in memory', () => {
  it('follows new, changed, moved and removed documents', () => {
    const near = { query: 'puppies', ragMode: 2, minSimilarity: 0.5 };
    const first = keep('a.md', 'Dogs are welcome on Fridays.');
    expect(find(near)).toEqual(['a.md']);
    keep('b.md', 'Bring your dog.');
    expect(find(near)).toHaveLength(2);
    keep('a.md', 'The printer stands behind the lobby.');
    expect(find(near)).toEqual(['b.md']);
    indexes.documents.remove(first.id);
    expect(find({ ...near, minSimilarity: 0 })).toEqual(['b.md']);
    const third = keep('c.md', 'Puppies, puppies, puppies.');
    expect(find({ ...near, topk: 1 })).toEqual(['c.md']);
    indexes.documents.remove(third.id);
    expect(
      indexes.index.nearest({ vector: embed('puppies'), least: -1, limit: 1, mayRead: () => true }),
    ).toEqual([
      { row: indexes.index.rowsOf(indexes.documents.at('w1/b.md')?.id ?? '')[0], score: expect.any(Number) },
    ]);
    const moved = indexes.documents.at('w1/b.md');
    if (moved !== undefined) indexes.documents.update({ ...moved, workspace: 'w2' });
    expect(find(near, (workspace) => workspace === 'w1')).toEqual([]);
    expect(find(near, (workspace) => workspace === 'w2')).toEqual(['b.md']);
  });

  it('never contains passages that were not committed', () => {
    keep('a.md', 'Dogs are welcome on Fridays.');
    expect(find({ query: 'dog' })).toEqual(['a.md']);
    const document = indexes.documents.at('w1/a.md');
    const chunk = { heading: '', text: 'cats', terms: ['cat'], body: 'cats' };
    const failing = () => {
      if (document === undefined) return;
      indexes.documents.replaceAll([
        { document, chunks: [chunk] },
        // The second document has no path, so the transaction fails, and the first document must not be stored either.
        { document: { ...document, id: 'x', path: Reflect.get({}, 'path') }, chunks: [chunk] },
      ]);
    };
    expect(failing).toThrow();
    expect(find({ query: 'dog' })).toEqual(['a.md']);
    expect(find({ query: 'cat', ragMode: 3 })).toEqual([]);
  });

  it('finds the same after a restart, and recomputes vectors of another version', () => {
    keep('a.md', 'Dogs are welcome on Fridays.');
    keep('b.md', '远程办公每周最多三天。');
    const asked = [
      { query: 'puppy', ragMode: 2 },
      { query: '在家上班', ragMode: 2 },
    ];
    const before = asked.map((request) => find(request));
    indexes = open();
    expect(asked.map((request) => find(request))).toEqual(before);
    database.exec('UPDATE chunk_vectors SET recipe = 1, vals = zeroblob(3)');
    indexes = open();
    expect(asked.map((request) => find(request))).toEqual(before);
    database.exec('DELETE FROM chunk_vectors');
    indexes = open();
    expect(asked.map((request) => find(request))).toEqual(before);
  });

  it('agrees with a linear search, and unreadable passages do not displace readable ones', () => {
    let count = 0;
    for (const { name, text } of plausibleDocuments(11)) {
      keep(name, text, count % 3 === 0 ? 'odd' : 'even');
      count += 1;
      if (count === 60) break;
    }
    const { documents, index } = indexes;
    const vector = embed(documents.chunksOf(documents.list()[7]?.id ?? '')[0]?.text ?? '');
    const mayRead = ({ workspace }: { workspace: string }) => workspace === 'odd';
    const plain = [...documents.vectors()]
      .filter(mayRead)
      .map(({ row, scale, values }) => ({
        row,
        score: scale * values.reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0),
      }))
      .sort((a, b) => b.score - a.score);
    const found = index.nearest({ vector, least: -1, limit: 50, mayRead });
    expect(found.length).toBe(50);
    for (const [at, { score }] of found.entries()) expect(score).toBeCloseTo(plain[at]?.score ?? 0, 5);
    expect(new Set(found.map(({ row }) => index.ownerOf(row)?.workspace))).toEqual(new Set(['odd']));
  });
});

it('a phrase of the full text contains no operators', () => {
  expect(phrase(['visitor', 'pa"ss'])).toBe('"visitor pa""ss"');
});

describe('similarity', () => {
  it('rises with the cosine, stays between 0 and 1, and can be reversed', () => {
    const cosine = fc.double({ min: -1, max: 1, noNaN: true });
    const self = fc.double({ min: 0.01, max: 2, noNaN: true });
    fc.assert(
      fc.property(cosine, cosine, self, (a, b, own) => {
        const [low, high] = [similarity(Math.min(a, b), own), similarity(Math.max(a, b), own)];
        expect(low).toBeLessThanOrEqual(high);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
      }),
    );
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 0.99, noNaN: true }), self, (least, own) => {
        expect(similarity(cosineOf(least, own), own)).toBeCloseTo(least, 6);
      }),
    );
    expect([similarity(1, 0), cosineOf(0, 1), cosineOf(1, 1)]).toEqual([0, -Infinity, Infinity]);
  });
});

describe('fusion', () => {
  const rows = (...numbers: number[]) => numbers.map((row, at) => ({ row, score: 1 - at / 10 }));

  it('sums the weighted reciprocal ranks of the indexes', () => {
    const fused = fuse([
      { rows: rows(1, 2), weight: 1 },
      { rows: rows(2, 3), weight: 2 },
    ]);
    expect(fused.map(({ row }) => row)).toEqual([2, 3, 1]);
    expect(fused[0]).toEqual({ row: 2, rrf: 1 / 62 + 2 / 61, score: 1 });
    expect(fused[2]?.rrf).toBeCloseTo(1 / 61);
  });

  it('ignores an index of weight 0, and raises named rows', () => {
    expect(fuse([{ rows: rows(1), weight: 0 }])).toEqual([]);
    const fused = fuse([{ rows: rows(1, 2, 3), weight: 1 }]);
    expect(raise(fused, () => false)).toEqual(fused);
    const raised = raise(fused, (row) => row === 3);
    expect(raised.map(({ row }) => row)).toEqual([3, 1, 2]);
    expect(raised[0]?.rrf).toBeCloseTo(1.5 / 63);
  });
});
