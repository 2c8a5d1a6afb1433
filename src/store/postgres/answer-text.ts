import type { TurnId } from '../../core/ids.ts';
import { pieceOf, textOf } from '../turn-rows.ts';
import type { Query } from './database.ts';

/**
 * The recorded texts of running turns. They are stored in pieces by offset, so that no part of a growing answer is
 * written twice. Pieces are JSON strings, because a piece may begin or end inside a surrogate pair.
 */

interface Piece {
  readonly turn: TurnId;
  /** Offset in UTF-16 units; the piece replaces the recorded text from this offset to its end. */
  readonly at: number;
  readonly text: string;
}

/** Stores pieces of answers. `pieces` must contain at most one piece for each turn. */
export async function recordTexts(query: Query, pieces: readonly Piece[]): Promise<void> {
  if (pieces.length === 0) return;
  await query(
    `WITH given AS (SELECT * FROM unnest($1::text[], $2::int[], $3::text[]) AS given (turn, at, text)),
    replaced AS (DELETE FROM parley.answers USING given
      WHERE answers.turn = given.turn AND answers.at > given.at)
    INSERT INTO parley.answers SELECT * FROM given ON CONFLICT (turn, at) DO UPDATE SET text = excluded.text`,
    [
      pieces.map(({ turn }) => turn),
      pieces.map(({ at }) => at),
      pieces.map(({ text }) => JSON.stringify(text)),
    ],
  );
}

/** Resolves with the recorded texts of turns by id. A turn without a text is absent. */
export async function readTexts(query: Query, ids: readonly TurnId[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  if (ids.length === 0) return texts;
  const pieces = await query('SELECT turn, at, text FROM parley.answers WHERE turn = ANY($1) ORDER BY at', [
    ids,
  ]);
  for (const { turn, at, text } of pieces) {
    const before = (texts.get(textOf(turn)) ?? '').slice(0, Number(at));
    texts.set(textOf(turn), before + pieceOf(text));
  }
  return texts;
}
