import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../sandbox/store/database.ts';
import { createUploads } from '../../../sandbox/workspaces/uploads.ts';
import { temporaryFolder } from '../../contract/sandbox/support.ts';
import { announce, openDocuments } from './stored.ts';

it('a database of the first version opens, and its documents get their dates from their ids', () => {
  const folder = temporaryFolder();
  const old = new DatabaseSync(join(folder, 'sandbox.db'));
  old.exec(`CREATE TABLE documents (
    id TEXT PRIMARY KEY, workspace TEXT NOT NULL, path TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
    title TEXT NOT NULL, type TEXT NOT NULL, size INTEGER NOT NULL, hash TEXT NOT NULL,
    state TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '')`);
  const created = Date.UTC(2025, 5, 1);
  old.exec(`INSERT INTO documents VALUES
    ('${created}000007', 'w', '/docs/a.md', 'a.md', 'A', 'md', 5, 'h', 'success', '')`);
  old.close();
  const database = openDatabase(folder);
  const documents = openDocuments(database);
  expect(documents.list()).toEqual([
    expect.objectContaining({
      name: 'a.md',
      state: 'success',
      created,
      modified: created,
      metadata: '',
      createdBy: '',
    }),
  ]);
  expect(documents.sizeOf('w')).toBe(5);
  database.close();
});

it('the bytes of an upload are deleted with its document', () => {
  const database = openDatabase(undefined);
  const documents = openDocuments(database);
  const uploads = createUploads(database);
  const { id } = announce(documents, 'a.md');
  uploads.keep(id, Buffer.from('x'));
  expect([uploads.has(id), Buffer.from(uploads.bytes(id)).toString()]).toEqual([true, 'x']);
  documents.remove(id);
  expect([uploads.has(id), uploads.bytes(id).length]).toEqual([false, 0]);
  database.close();
});
