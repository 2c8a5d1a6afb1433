import type { SQLTagStore } from 'node:sqlite';
import { pieceOf } from '../turn-rows.ts';

/**
 * The recorded text of a running turn. It is stored in pieces by offset, so that no part of a growing answer
 * is written twice. Pieces are JSON strings, because a piece may begin or end inside a surrogate pair, which
 * UTF-8 cannot represent.
 */

/** Replaces the recorded text from `at`, an offset in UTF-16 units. */
export function recordText(
  sql: SQLTagStore,
  turn: number,
  piece: { readonly at: number; readonly text: string },
): void {
  sql.run`DELETE FROM answers WHERE turn = ${turn} AND at >= ${piece.at}`;
  sql.run`INSERT INTO answers (turn, at, text) VALUES (${turn}, ${piece.at}, ${JSON.stringify(piece.text)})`;
}

export function readText(sql: SQLTagStore, turn: number): string {
  let text = '';
  for (const piece of sql.all`SELECT at, text FROM answers WHERE turn = ${turn} ORDER BY at`) {
    text = text.slice(0, Number(piece.at)) + pieceOf(piece.text);
  }
  return text;
}

export function forgetText(sql: SQLTagStore, turn: number): void {
  sql.run`DELETE FROM answers WHERE turn = ${turn}`;
}
