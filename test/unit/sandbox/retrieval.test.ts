import { beforeEach, describe, expect, it } from 'vitest';
import { chunksOf, divide } from '../../../sandbox/knowledge/chunk.ts';
import { readMarkdown } from '../../../sandbox/knowledge/read.ts';
import { readRequest } from '../../../sandbox/search/request.ts';
import { retrieve } from '../../../sandbox/search/retrieve.ts';
import { type Database, openDatabase } from '../../../sandbox/store/database.ts';
import type { Documents, StoredDocument } from '../../../sandbox/store/documents.ts';
import { readEntries } from '../../../sandbox/store/passages.ts';
import { announce, openDocuments } from './stored.ts';

let database: Database;
let documents: Documents;
beforeEach(() => {
  database = openDatabase(undefined);
  documents = openDocuments(database);
});

function keep(name: string, text: string, workspace?: string): StoredDocument {
  const { title, passages } = divide(readMarkdown(text), name, () => undefined);
  const stored: StoredDocument = { ...announce(documents, name, workspace), title, state: 'success' };
  documents.replace(stored, chunksOf(passages));
  return stored;
}

const find = (request: Record<string, unknown>, mayRead = (_workspace: string) => true): string[] =>
  retrieve(readRequest({ topk: 10, minSimilarity: 0, ...request }), documents, mayRead).map(
    ({ document }) => document.name,
  );

const note = (document: StoredDocument, entries: unknown): void =>
  documents.update({ ...document, metadata: JSON.stringify(entries) });

describe('metadata', () => {
  const text = (name: string) => `# ${name}\n\nHow to claim the costs of a journey, and when they are paid.`;
  const filter = { metadataProvider: ['default'], metadataSearchType: 0 };
  const weigh = { metadataProvider: ['default'], metadataSearchType: 1 };

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
  });
});

describe('the index', () => {
  it('follows new, changed, moved and removed documents', () => {
    for (const ragMode of [1, 2, 3]) {
      const search = { query: 'dogs', ragMode };
      const first = keep('a.md', 'Dogs are welcome on Fridays.');
      expect(find(search)).toEqual(['a.md']);
      keep('b.md', 'Bring your dog.');
      expect(find(search)).toHaveLength(2);
      keep('a.md', 'The printer stands behind the lobby.');
      expect(find(search)).toEqual(['b.md']);
      documents.remove(first.id);
      expect(find({ query: 'printer', ragMode })).toEqual([]);
      const moved = documents.at('w1/b.md');
      if (moved !== undefined) documents.update({ ...moved, workspace: 'w2' });
      expect(find(search, (workspace) => workspace === 'w1')).toEqual([]);
      expect(find(search, (workspace) => workspace === 'w2')).toEqual(['b.md']);
      documents.remove(moved?.id ?? '');
    }
  });

  it('never contains passages that were not committed', () => {
    keep('a.md', 'Dogs are welcome on Fridays.');
    expect(find({ query: 'dog' })).toEqual(['a.md']);
    const document = documents.at('w1/a.md');
    const chunk = { heading: '', text: 'cats' };
    const failing = () => {
      if (document === undefined) return;
      documents.replaceAll([
        { document, chunks: [chunk] },
        // The second document has no path, so the transaction fails, and the first document must not be stored either.
        { document: { ...document, id: 'x', path: Reflect.get({}, 'path') }, chunks: [chunk] },
      ]);
    };
    expect(failing).toThrow();
    expect(find({ query: 'dog' })).toEqual(['a.md']);
    expect(find({ query: 'cat', ragMode: 3 })).toEqual([]);
  });

  it.each([
    ['forms of a word', 'claimed expenses', 'Claiming an expense takes a week.'],
    ['accents and letter case', 'MUNCHEN', 'Das Büro in München ist neu.'],
    ['the beginning of a word', 'certification', 'The certificate is in the drawer.'],
    ['the inside of a word', 'haupt', 'Der Landeshauptmann kommt.'],
    ['pairs of Chinese characters', '电脑丢了', '遗失的电脑请立即报告。'],
    ['Japanese', '会議室の予約', '会議室は一週間前に予約できます。'],
    ['Thai', 'บัตรผู้เยี่ยม', 'กรุณาแสดงบัตรผู้เยี่ยมชมที่ประตู'],
    ['a synonym', 'jabber', 'XMPP rooms are open.'],
  ])('finds %s', (_name, query, text) => {
    keep('other.md', 'The printer stands behind the lobby.');
    keep('a.md', text);
    for (const ragMode of [1, 2, 3]) expect(find({ query, ragMode })).toEqual(['a.md']);
  });

  it('of an older version is made again from the chunks', () => {
    note(keep('a.md', '# A\n\nDogs are welcome on Fridays.'), [{ name: 'Animal', value: 'Zebra' }]);
    keep('b.md', '远程办公每周最多三天。');
    const asked = ['welcome dogs', '远程办公', 'zebra'].map((query) => ({ query, ragMode: 3 }));
    const before = asked.map((request) => find(request));
    expect(before).toEqual([['a.md'], ['b.md'], ['a.md']]);
    database.exec(`DROP TABLE chunk_words; DROP TABLE chunk_trigrams; PRAGMA user_version = 0;
      CREATE VIRTUAL TABLE chunk_words
        USING fts5(words, content='', contentless_delete=1, tokenize='unicode61');
      CREATE VIRTUAL TABLE chunk_trigrams
        USING fts5(body, content='', contentless_delete=1, tokenize='trigram');
      CREATE VIRTUAL TABLE chunk_vocabulary USING fts5vocab('chunk_words', 'row');
      CREATE TABLE chunk_vectors (row INTEGER PRIMARY KEY, vals BLOB NOT NULL);`);
    documents = openDocuments(database);
    expect(asked.map((request) => find(request))).toEqual(before);
    expect(database.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'chunk_v%'").all()).toEqual([]);
  });
});
