import type { Documents } from '../store/documents.ts';
import type { ScoredRow } from '../store/passages.ts';
import type { StoredVector } from '../store/vectors.ts';
import type { Vector } from '../words/features.ts';

/** The document and the workspace that a passage belongs to. */
export type Owner = Pick<StoredVector, 'document' | 'workspace'>;

interface NearestSearch {
  readonly vector: Vector;
  /** Minimum cosine of a passage that is returned. */
  readonly least: number;
  readonly limit: number;
  readonly mayRead: (owner: Owner) => boolean;
}

export type PassageIndex = ReturnType<typeof createPassageIndex>;

/**
 * Holds the vectors of all passages (2 KB each) and their documents in memory. Reads them at the first search, and then
 * follows every change.
 */
export function createPassageIndex(documents: Documents) {
  const passages = new Map<number, StoredVector>();
  const rows = new Map<string, number[]>();
  const changed = new Set<string>();
  let loaded = false;
  documents.watch((id) => {
    if (loaded) changed.add(id);
  });

  const put = (vector: StoredVector) => {
    passages.set(vector.row, vector);
    const known = rows.get(vector.document);
    if (known === undefined) rows.set(vector.document, [vector.row]);
    else known.push(vector.row);
  };
  const follow = () => {
    if (!loaded) for (const vector of documents.vectors()) put(vector);
    loaded = true;
    for (const document of changed) {
      for (const row of rows.get(document) ?? []) passages.delete(row);
      rows.delete(document);
      for (const vector of documents.vectorsOf(document)) put(vector);
    }
    changed.clear();
  };

  return {
    /** Returns the readable passages with the highest cosines, best first. */
    nearest: ({ vector, least, limit, mayRead }: NearestSearch): readonly ScoredRow[] => {
      follow();
      const places = [...vector.keys()].filter((place) => vector[place] !== 0);
      if (places.length === 0) return [];
      const found: ScoredRow[] = [];
      for (const passage of passages.values()) {
        const score = cosine(passage, vector, places);
        if (score >= least && mayRead(passage)) found.push({ row: passage.row, score });
      }
      return found.sort((one, other) => other.score - one.score).slice(0, limit);
    },
    /** Returns the document and workspace of the passage in a database row; undefined if the row was deleted. */
    ownerOf: (row: number): Owner | undefined => {
      follow();
      return passages.get(row);
    },
    rowsOf: (document: string): readonly number[] => {
      follow();
      return rows.get(document) ?? [];
    },
  };
}

/** Returns the cosine. Reads only the dimensions in `places`, which are those that the question uses. */
function cosine({ values, scale }: StoredVector, vector: Vector, places: readonly number[]): number {
  let sum = 0;
  for (const place of places) sum += (vector[place] ?? 0) * (values[place] ?? 0);
  return sum * scale;
}
