import type { ScoredRow } from './passage-index.ts';

/** The constant of reciprocal rank fusion: how much the first places stand out. */
const RRF_CONSTANT = 60;

export interface Ranking {
  readonly rows: readonly ScoredRow[];
  readonly weight: number;
}

export interface FusedRow {
  readonly row: number;
  /** The best score that an index gave it. */
  readonly score: number;
  /** Sum of weight / (60 + rank) over the indexes that found it. */
  readonly rrf: number;
}

/** Merges rankings by reciprocal rank, best first. An index of weight 0 finds nothing. */
export function fuse(rankings: readonly Ranking[]): readonly FusedRow[] {
  const fused = new Map<number, FusedRow>();
  for (const { rows, weight } of rankings) {
    if (weight <= 0) continue;
    for (const [at, { row, score }] of rows.entries()) {
      const known = fused.get(row);
      const rrf = (known?.rrf ?? 0) + weight / (RRF_CONSTANT + at + 1);
      fused.set(row, { row, rrf, score: Math.max(known?.score ?? 0, score) });
    }
  }
  return [...fused.values()].sort((a, b) => b.rrf - a.rrf || b.score - a.score || a.row - b.row);
}

/** What it is worth that a document's metadata is named, where metadata weighs. */
const NAMED_FACTOR = 1.5;

/** Ranks the rows that are named up. Their fused score rises with them; the scores of the indexes stay their own. */
export function raise(rows: readonly FusedRow[], named: (row: number) => boolean): readonly FusedRow[] {
  return rows
    .map((found) => {
      const factor = named(found.row) ? NAMED_FACTOR : 1;
      return { found: { ...found, rrf: found.rrf * factor }, key: (found.rrf || found.score) * factor };
    })
    .sort((a, b) => b.key - a.key)
    .map(({ found }) => found);
}
