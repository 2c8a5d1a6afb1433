/** A file of SQLite as a side of a move. */

import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { Clock } from '../../core/clock.ts';
import { inTransaction, openingFault, orUnavailable, storeUnavailable } from '../../sqlite.ts';
import { openBacklog } from '../sqlite/backlog.ts';
import { openDatabase } from '../sqlite/database.ts';
import { createEngine } from '../sqlite/engine.ts';
import { OWNER } from '../sqlite/index.ts';
import { createRun } from '../sqlite/run.ts';
import { createTurnTable, recoverTurns } from '../sqlite/turns.ts';
import type { Row } from '../turn-rows.ts';
import type { Side } from './side.ts';
import { storedColumns, type Table } from './tables.ts';
import { createValues, type ValueKeys } from './values.ts';

/** Opens the file, and creates it if it is missing. Throws `data-in-use` while a bridge has it open. */
export function openFileSide(file: string, keys: ValueKeys, clock: Pick<Clock, 'now'>): Side {
  const opened = openDatabase(file);
  const { database } = opened;
  // A read on a connection of its own does not see what is written meanwhile.
  const reader = openReader(file, opened.close);
  const values = createValues(keys, true);
  const run = createRun(database);
  const write = <T>(work: () => T) => orUnavailable(() => inTransaction(database, work));
  const change = (statement: string, columns: readonly string[], rows: readonly Row[]) => {
    const prepared = database.prepare(statement);
    for (const row of rows) prepared.run(...columns.map((name) => (row[name] ?? null) as SQLInputValue));
  };
  return {
    name: 'sqlite',
    engine: createEngine(database, { write }, clock),
    async settle() {
      const backlog = openBacklog(file, database);
      try {
        await orUnavailable(backlog.drain);
        // No process has this life, so the turns of every process go back.
        await write(() => run(recoverTurns(createTurnTable(clock), { owner: OWNER, life: '' })));
      } finally {
        backlog.close();
      }
    },
    async *rows(table) {
      try {
        for (const row of reader.prepare(selectOf(table)).iterate())
          yield table.name === 'keyed' ? values.read(row) : row;
      } catch (thrown) {
        throw storeUnavailable(thrown);
      }
    },
    async remove(table, rows) {
      await write(() => {
        for (const statement of deletionsOf(table)) change(statement, table.key, rows);
      });
    },
    async add(table, rows) {
      const stored = table.name === 'keyed' ? rows.map(values.write) : rows;
      const columns = storedColumns(table);
      await write(() => change(insertionOf(table, columns), columns, stored));
    },
    complete: async () => undefined,
    async close() {
      reader.close();
      opened.close();
    },
  };
}

function openReader(file: string, close: () => void): DatabaseSync {
  try {
    return new DatabaseSync(file, { readOnly: true });
  } catch (thrown) {
    close();
    throw openingFault(thrown, file);
  }
}

function selectOf(table: Table): string {
  const order = table.key.join(', ');
  if (table.name === 'answers') {
    return `SELECT turns.id AS turn, answers.at, answers.text FROM turns JOIN answers ON answers.turn = turns.seq
      ORDER BY turns.id, answers.at`;
  }
  const columns = storedColumns(table).map((name) => (name === 'place' ? 'seq AS place' : name));
  return `SELECT ${columns.join(', ')} FROM ${table.name} ORDER BY ${order}`;
}

const SEQ = '(SELECT seq FROM turns WHERE id = ?)';

/** Each statement gets the key of the row. */
function deletionsOf({ name, key }: Table): readonly string[] {
  const isRow = key.map((column) => `${column} = ${name === 'answers' && column === 'turn' ? SEQ : '?'}`);
  const deletion = `DELETE FROM ${name} WHERE ${isRow.join(' AND ')}`;
  return name === 'turns' ? [`DELETE FROM answers WHERE turn = ${SEQ}`, deletion] : [deletion];
}

function insertionOf({ name }: Table, columns: readonly string[]): string {
  const names = columns.map((column) => (column === 'place' ? 'seq' : column));
  const values = columns.map((column) => (name === 'answers' && column === 'turn' ? SEQ : '?'));
  return `INSERT INTO ${name} (${names.join(', ')}) VALUES (${values.join(', ')})`;
}
