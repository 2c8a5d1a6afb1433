import { describe, expect, it } from 'vitest';
import { gather } from '../../../sandbox/knowledge/folder.ts';
import { announce, openDocuments } from './stored.ts';

describe('gathered documents', () => {
  const documents = openDocuments();
  const announced = (name: string) => announce(documents, name);
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
