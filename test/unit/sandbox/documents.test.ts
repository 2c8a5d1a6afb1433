import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../sandbox/store/database.ts';
import { createDocuments } from '../../../sandbox/store/documents.ts';
import { createIds } from '../../../sandbox/store/ids.ts';
import { createImages } from '../../../sandbox/store/images.ts';
import { createUploads } from '../../../sandbox/workspaces/uploads.ts';
import { manualClock } from '../../contract/sandbox/support.ts';

it('a database of the first version opens, and its documents get their dates from their ids', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-documents-'));
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
  const documents = createDocuments(database, createIds(database, manualClock()), createImages(database));
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
  rmSync(folder, { recursive: true });
});

it('the bytes of an upload are deleted with its document', () => {
  const database = openDatabase(undefined);
  const documents = createDocuments(database, createIds(database, manualClock()), createImages(database));
  const uploads = createUploads(database);
  const { id } = documents.announce({
    workspace: 'w',
    path: 'upload:w/a.md',
    name: 'a.md',
    title: 'a',
    type: 'md',
    size: 1,
    hash: '',
    state: 'waiting',
    reason: '',
    fullPath: '/a.md',
    created: 1,
    modified: 1,
    createdBy: '',
    modifiedBy: '',
  });
  uploads.keep(id, Buffer.from('x'));
  expect([uploads.has(id), Buffer.from(uploads.bytes(id)).toString()]).toEqual([true, 'x']);
  documents.remove(id);
  expect([uploads.has(id), uploads.bytes(id).length]).toEqual([false, 0]);
  database.close();
});
