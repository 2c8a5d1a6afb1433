/** Implements `parley audit export`, which prints the audit page by page, also while the bridge runs. */

import { once } from 'node:events';
import { z } from 'zod';
import { systemClock } from '../clock.ts';
import type { AuditedPerson, StoredRecord } from '../core/stores/audit.ts';
import { usage } from '../errors.ts';
import { csvLine, csvRecord } from '../kit/csv.ts';
import { pagesOf } from '../store/audit.ts';
import { type CommandDeps, loadSettings } from './channels.ts';
import { withEngine } from './store.ts';

/** Maximum number of records that are in memory at the same time. */
const PAGE = 1_000;
const DAY_MS = 24 * 60 * 60_000;

interface AuditExportOptions {
  readonly from?: string;
  readonly to?: string;
  readonly format?: string;
  readonly person?: string;
  readonly config?: string;
}

/** Prints the records of the audit, oldest first. */
export async function exportAudit(options: AuditExportOptions, deps: CommandDeps): Promise<number> {
  const { from, to, format = 'jsonl', person } = options;
  if (format !== 'jsonl' && format !== 'csv') {
    throw usage(`There is no format "${format}". Write --format jsonl or --format csv.`);
  }
  const lineOf = format === 'csv' ? csvOf : jsonOf;
  const range = {
    from: from === undefined ? 0 : timeOf(from, '--from', 'start'),
    to: to === undefined ? systemClock.now() + DAY_MS : timeOf(to, '--to', 'end'),
    ...(person !== undefined && { person: personOf(person) }),
  };
  if (range.from >= range.to) throw usage('--from must be before --to.');
  const { config } = await loadSettings(deps, options.config);
  await withEngine(config, async (engine) => {
    const page = pagesOf(engine);
    if (format === 'csv') await print([csvLine(COLUMNS)]);
    let after: StoredRecord | undefined;
    for (;;) {
      const records = await page({ ...range, after }, PAGE);
      await print(records.map(lineOf));
      after = records.at(-1);
      if (after === undefined) return;
    }
  });
  return 0;
}

/** Prints lines, and waits while the reader of the output is slower. */
async function print(lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  if (!process.stdout.write(`${lines.join('\n')}\n`)) await once(process.stdout, 'drain');
}

/** The columns of a CSV file, in order. New columns are appended, because programs may read columns by number. */
const COLUMNS = [
  'at',
  'action',
  'outcome',
  'person',
  'channel',
  'tenant',
  'room',
  'thread',
  'kind',
  'agent',
  'account',
  'session',
  'turn',
  'ms',
  'questionChars',
  'answerChars',
  'files',
  'sources',
  'rule',
  'detail',
  'question',
  'answer',
  'code',
] as const;

const viewOf = ({ seq: _, ...record }: StoredRecord) => ({
  ...record,
  at: new Date(record.at).toISOString(),
});

const jsonOf = (record: StoredRecord): string => JSON.stringify(viewOf(record));

const csvOf = (record: StoredRecord): string => csvRecord(COLUMNS, viewOf(record));

/** A time with its zone, to the minute or to a part of a second. */
const TIME = z.union([z.iso.datetime({ offset: true, precision: -1 }), z.iso.datetime({ offset: true })]);

/**
 * Returns the time in milliseconds since the epoch. For a date alone, this is the start or the end of the day in UTC,
 * as `edge` says.
 */
function timeOf(text: string, option: string, edge: 'start' | 'end'): number {
  const isDate = z.iso.date().safeParse(text).success;
  if (!isDate && !TIME.safeParse(text).success) {
    throw usage(
      `"${text}" is not a time for ${option}. Write a date such as 2026-11-23 (UTC), or a time such as 2026-11-23T14:30Z.`,
    );
  }
  const at = Date.parse(text);
  return isDate && edge === 'end' ? at + DAY_MS : at;
}

/** Reads ID, CHANNEL/ID or CHANNEL/WORKSPACE/ID. In ids, `%2F` stands for a slash. */
export function personOf(text: string): AuditedPerson {
  const [id = '', ...places] = text
    .replace(/^person:/, '')
    .split('/')
    .map(unescaped)
    .reverse();
  const [tenant, channel] = places.length === 2 ? places : [undefined, places[0]];
  if (id === '' || places.length > 2 || places.includes('')) {
    throw usage(`"${text}" is not a person. Write ID, CHANNEL/ID or CHANNEL/WORKSPACE/ID.`);
  }
  return { id, ...(channel !== undefined && { channel }), ...(tenant !== undefined && { tenant }) };
}

const unescaped = (part: string): string => part.replaceAll(/%2F/gi, '/').replaceAll('%25', '%');
