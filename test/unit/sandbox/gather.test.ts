import { describe, expect, it } from 'vitest';
import { gather } from '../../../sandbox/knowledge/folder.ts';
import { openDatabase } from '../../../sandbox/store/database.ts';
import { createDocuments, type StoredDocument } from '../../../sandbox/store/documents.ts';
import { createIds } from '../../../sandbox/store/ids.ts';
import { createImages } from '../../../sandbox/store/images.ts';
import { manualClock } from '../../contract/sandbox/support.ts';

describe('gathered documents', () => {
  const database = openDatabase(undefined);
  const documents = createDocuments(database, createIds(database, manualClock()), createImages(database));
  const announced = (name: string): StoredDocument =>
    documents.announce({
      workspace: 'w',
      path: `/${name}`,
      name,
      title: name,
      type: 'md',
      size: 1,
      hash: '',
      state: 'underway',
      reason: '',
      fullPath: `/${name}`,
      created: 0,
      modified: 0,
      createdBy: '',
      modifiedBy: '',
    });
  const states = () => Object.fromEntries(documents.list().map(({ name, state }) => [name, state]));

  it('are written when there are many and on flush; until then they count as unread', () => {
    const gathered = gather(documents);
    const keep = (name: string, text: string) => {
      gathered.documents.replace({ ...announced(name), state: 'success' }, [{ heading: '', text }]);
    };
    keep('a', 'zebra');
    expect([states(), documents.chunkCount()]).toEqual([{ a: 'underway' }, 0]);
    keep('b', 'word '.repeat(80_000));
    expect([states(), documents.chunkCount()]).toEqual([{ a: 'success', b: 'success' }, 2]);
    keep('c', 'zebra');
    expect(states().c).toBe('underway');
    gathered.flush();
    expect([states().c, documents.matches('words', '"zebra"').length]).toEqual(['success', 2]);
    gathered.flush();
    expect(documents.chunkCount()).toBe(3);
  });

  it('keep a deletion or a change of metadata that comes before they are written', () => {
    const gathered = gather(documents);
    const replace = (name: string) => {
      const document = announced(name);
      gathered.documents.replace({ ...document, state: 'success' }, []);
      return document;
    };
    const edited = replace('edited');
    const deleted = replace('deleted');
    documents.update({ ...edited, metadata: '[{"name":"City","value":"Oslo"}]' });
    documents.remove(deleted.id);
    gathered.flush();
    expect(documents.find(edited.id)).toMatchObject({
      state: 'success',
      metadata: '[{"name":"City","value":"Oslo"}]',
    });
    expect(documents.find(deleted.id)).toBeUndefined();
  });
});
