import type { Documents } from '../store/documents.ts';
import type { ScoredRow } from '../store/passages.ts';
import type { StoredVector } from '../store/vectors.ts';
import { DIMENSIONS, type Vector } from '../words/features.ts';

/** The document and the workspace that a passage belongs to. */
export interface Owner {
  readonly document: string;
  readonly workspace: string;
}

interface NearestSearch {
  readonly vector: Vector;
  /** Minimum cosine of a passage that is returned. */
  readonly least: number;
  readonly limit: number;
  readonly mayRead: (owner: Owner) => boolean;
}

/** Passages per block of memory. A block never grows, so its values are never copied. */
const BLOCK = 256;

interface Block {
  /** Values sorted by dimension, then by passage. A search then reads only the dimensions that the question uses. */
  readonly values: Int8Array;
  readonly scales: Float32Array;
  readonly rows: Int32Array;
  readonly owners: (Owner | undefined)[];
}

export type PassageIndex = ReturnType<typeof createPassageIndex>;

/**
 * Holds the vectors of all passages (2 KB each) and their documents in memory. Reads them at the first search, and then
 * follows every change.
 */
export function createPassageIndex(documents: Documents) {
  const blocks: Block[] = [];
  const free: number[] = [];
  const slots = new Map<number, number>();
  const held = new Map<string, { readonly owner: Owner; readonly rows: number[] }>();
  const changed = new Set<string>();
  let loaded = false;
  documents.watch((id) => {
    if (loaded) changed.add(id);
  });

  const put = (vector: StoredVector) => {
    const { document, workspace } = vector;
    const known = held.get(document) ?? { owner: { document, workspace }, rows: [] };
    held.set(document, known);
    if (free.length === 0) free.push(...addBlock(blocks));
    const slot = free.pop() ?? 0;
    slots.set(vector.row, slot);
    known.rows.push(vector.row);
    write(blockOf(blocks, slot), slot % BLOCK, vector, known.owner);
  };
  const drop = (document: string) => {
    for (const row of held.get(document)?.rows ?? []) {
      const slot = slots.get(row) ?? 0;
      blockOf(blocks, slot).owners[slot % BLOCK] = undefined;
      slots.delete(row);
      free.push(slot);
    }
    held.delete(document);
  };
  const follow = () => {
    if (!loaded) for (const vector of documents.vectors()) put(vector);
    loaded = true;
    for (const document of changed) {
      drop(document);
      for (const vector of documents.vectorsOf(document)) put(vector);
    }
    changed.clear();
  };

  return {
    /** Returns the readable passages with the highest cosines, best first. */
    nearest: (search: NearestSearch): readonly ScoredRow[] => {
      follow();
      return nearestIn(blocks, search);
    },
    /** Returns the document and workspace of the passage in a database row; undefined if the row was deleted. */
    ownerOf: (row: number): Owner | undefined => {
      follow();
      const slot = slots.get(row);
      return slot === undefined ? undefined : blockOf(blocks, slot).owners[slot % BLOCK];
    },
    rowsOf: (document: string): readonly number[] => {
      follow();
      return held.get(document)?.rows ?? [];
    },
  };
}

function addBlock(blocks: Block[]): readonly number[] {
  const first = blocks.length * BLOCK;
  blocks.push({
    values: new Int8Array(DIMENSIONS * BLOCK),
    scales: new Float32Array(BLOCK),
    rows: new Int32Array(BLOCK),
    owners: Array.from({ length: BLOCK }, () => undefined),
  });
  return Array.from({ length: BLOCK }, (_, index) => first + BLOCK - 1 - index);
}

/** Returns the block that contains a slot. Slots are numbered across all blocks. */
function blockOf(blocks: readonly Block[], slot: number): Block {
  const block = blocks[Math.floor(slot / BLOCK)];
  if (block === undefined) throw new Error(`There is no slot ${slot} in the index of passages.`);
  return block;
}

function write(block: Block, at: number, vector: StoredVector, owner: Owner): void {
  for (let place = 0; place < DIMENSIONS; place += 1)
    block.values[place * BLOCK + at] = vector.values[place] ?? 0;
  block.scales[at] = vector.scale;
  block.rows[at] = vector.row;
  block.owners[at] = owner;
}

function nearestIn(blocks: readonly Block[], search: NearestSearch): readonly ScoredRow[] {
  const places = [...search.vector.keys()].filter((place) => search.vector[place] !== 0);
  const best: ScoredRow[] = [];
  if (places.length === 0) return best;
  const sums = new Float32Array(BLOCK);
  for (const block of blocks) {
    addUp(block, search.vector, places, sums);
    for (let at = 0; at < BLOCK; at += 1) {
      const owner = block.owners[at];
      const score = (sums[at] ?? 0) * (block.scales[at] ?? 0);
      if (owner === undefined || score < search.least) continue;
      const full = best.length >= search.limit;
      if (full && score <= (best.at(-1)?.score ?? 0)) continue;
      if (!search.mayRead(owner)) continue;
      if (full) best.pop();
      insert(best, { row: block.rows[at] ?? 0, score });
    }
  }
  return best;
}

/** Sets `sums` to the dot products of the vector with the passages of a block. The caller scales them to cosines. */
function addUp(block: Block, vector: Vector, places: readonly number[], sums: Float32Array): void {
  sums.fill(0);
  for (const place of places) {
    const weight = vector[place] ?? 0;
    const from = place * BLOCK;
    for (let at = 0; at < BLOCK; at += 1)
      sums[at] = (sums[at] ?? 0) + weight * (block.values[from + at] ?? 0);
  }
}

/** Inserts a row into a list that is sorted best first. Rows with equal scores stay in the order of insertion. */
function insert(best: ScoredRow[], found: ScoredRow): void {
  let at = best.length;
  while (at > 0 && (best[at - 1]?.score ?? 0) < found.score) at -= 1;
  best.splice(at, 0, found);
}
