/**
 * Implements `parley store move`, which moves the data between the data folder and the database of DATABASE_URL. Both
 * are named by the settings of the bridge, so that no secret stands on the command line.
 */

import { join } from 'node:path';
import { checkStore } from '../bridge/data.ts';
import { fingerprintOf, isSealed, keysOfBoth } from '../bridge/keys.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import { quiet } from '../core/log.ts';
import type { MovedTable, StoreName } from '../core/stores/shared-database.ts';
import { BridgeError, usage } from '../errors.ts';
import { countRows, move } from '../store/move/move.ts';
import { openChannelDatabase, openDatabaseSide } from '../store/move/postgres.ts';
import type { Side } from '../store/move/side.ts';
import { openFileSide } from '../store/move/sqlite.ts';
import { ENGINES, otherOf } from '../store/moved.ts';
import { withFile } from '../store/sqlite/engine.ts';
import { type CommandDeps, loadSettings } from './channels.ts';
import { keepFilesPrivate, keepHeapSmall } from './own-process.ts';
import { plain, printLines } from './print.ts';
import { withEngine } from './store.ts';

/** Number of rows after which a line tells about the progress. */
const TELL_EVERY = 10_000;
/** Number of digits of a digest that are printed. */
const DIGITS = 16;

interface MoveOptions {
  readonly config?: string;
  readonly to: string;
  readonly dryRun?: true;
}

/** Prints the number of rows of each table, and a digest of the rows, which is the same on both sides. */
export async function moveStore(
  { config: file, to, dryRun }: MoveOptions,
  deps: CommandDeps,
): Promise<number> {
  keepHeapSmall();
  keepFilesPrivate();
  const { config, channels } = await loadSettings(deps, file);
  if (!isEngine(to)) throw usage(`There is no store "${to}". Write --to postgresql or --to sqlite.`);
  const { database, key, data } = config;
  if (database === undefined || key === undefined) {
    throw usage(
      'A move needs both stores, in each direction. Set DATABASE_URL (or DATABASE_URL_FILE) and PARLEY_KEY (or PARLEY_KEY_FILE) to the database and its key, and PARLEY_DATA to the data folder.',
    );
  }
  const store = join(data, 'parley.sqlite');
  if (to === 'postgresql') await withFile(store, systemClock, async () => undefined).catch(unlessMoved);
  await checkStore(store, data, quiet);
  if (dryRun) return count(otherOf(to), config);
  await using opened = new AsyncDisposableStack();
  const keys = await keysOfBoth({ data, key });
  // A value of the target that an earlier key encrypted differs from that of the source, so it is written again.
  keys[to].open = [keys[to].seal];
  const closing = (side: Side) => opened.adopt(side, (it) => it.close());
  const sqlite = closing(openFileSide(store, keys.sqlite, systemClock));
  const installation = { name: database.installation, fingerprint: fingerprintOf(key) };
  const address = database.url.reveal().trim();
  const postgresql = closing(await openDatabaseSide(address, installation, keys.postgresql, systemClock));
  const [from, target] = to === 'postgresql' ? [sqlite, postgresql] : [postgresql, sqlite];
  const shared = opened.adopt(openChannelDatabase(address), (it) => it.close());
  const moved = await move(from, target, {
    isSealed,
    channels: channels.flatMap(({ channel }) => channel.move?.({ data, database: shared, to }) ?? []),
    tell(table, written) {
      if (written % TELL_EVERY === 0) console.log(plain(`${table}: ${written} rows written`));
    },
  });
  printLines(linesOf(moved, to));
  return 0;
}

const isEngine = (name: string): name is StoreName => Object.hasOwn(ENGINES, name);

/** The move itself decides about a store that was moved, because it may have to end an earlier move. */
function unlessMoved(thrown: unknown): void {
  if (!(thrown instanceof BridgeError && thrown.code === 'data-moved')) throw thrown;
}

/** Counts the rows of the source, also while a bridge runs. */
async function count(from: StoreName, { data, database }: Config): Promise<number> {
  const counts = await withEngine({ data, database: from === 'sqlite' ? undefined : database }, countRows);
  const lines = counts.map(({ name, rows }) => `  ${name}: ${rows} rows`);
  printLines([`Stored in ${ENGINES[from].title} now:`, ...lines]);
  return 0;
}

function linesOf(moved: readonly MovedTable[], to: StoreName): readonly string[] {
  const { title, start } = ENGINES[to];
  const other = ENGINES[otherOf(to)];
  const ofTables = moved.map(
    ({ name, rows, digest }) => `  ${name}: ${rows} rows, SHA-256 ${digest.slice(0, DIGITS)}`,
  );
  const key = to === 'sqlite' ? ', and keep the same PARLEY_KEY' : '';
  return [
    `Moved to ${title}. Each row is equal to its row in ${other.title}:`,
    ...ofTables,
    `${start} to start the bridge${key}. No bridge starts on ${other.own} any more.`,
    ...(to === 'postgresql'
      ? [
          'People sign in to the console again. Links to images and sources in earlier answers no longer work.',
        ]
      : []),
  ];
}
