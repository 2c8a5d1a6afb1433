import type { Documents, Replacement } from '../store/documents.ts';

/**
 * Characters of text that are written at once. FTS5 writes a segment for each commit and merges them again and again:
 * 32 small documents at once cost half of what they cost one by one. Requests wait for the writing, which takes
 * about 0.15 s.
 */
const TOGETHER = 300_000;

export interface Gathered {
  /** Like the documents it was made of, but what is replaced is written a little later. */
  readonly documents: Documents;
  /** Writes what is left. A document that is never written stays `underway`, and is read again at the next start. */
  flush(): void;
}

/** Gathers replaced documents, so that many small ones are written together. */
export function gather(documents: Documents): Gathered {
  let waiting: Replacement[] = [];
  let length = 0;
  const flush = () => {
    documents.replaceAll(waiting.flatMap((replacement) => asItIsNow(replacement, documents)));
    waiting = [];
    length = 0;
  };
  const replace: Documents['replace'] = (document, chunks) => {
    waiting.push({ document, chunks });
    length += chunks.reduce((sum, chunk) => sum + chunk.body.length, 0);
    if (length >= TOGETHER) flush();
  };
  return { documents: { ...documents, replace }, flush };
}

/** What was deleted meanwhile stays deleted, and metadata that was edited meanwhile stays. */
function asItIsNow({ document, chunks }: Replacement, documents: Documents): readonly Replacement[] {
  const now = documents.find(document.id);
  return now === undefined ? [] : [{ document: { ...document, metadata: now.metadata }, chunks }];
}
