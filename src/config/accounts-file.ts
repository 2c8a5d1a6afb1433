/** Reads the CSV file that maps people to platform accounts (`identity.file`). */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { disguise } from '../core/access/look-alikes.ts';
import { type AccountTable, createAccountTable, isReserved, type Mapping } from '../core/agents/access.ts';
import { codeOf } from '../errors.ts';
import { readCapped } from '../settings/capped-file.ts';
import { type CheckedFile, nearest, type PlacedFault } from './faults.ts';
import { whyUnreadable } from './file.ts';

/** Limits of the file: its size in bytes and UTF-16 units, its entries, and the faults that are reported at once. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_ENTRIES = 100_000;
const MAX_FAULTS = 20;
/** Maximum length of one cell, in UTF-16 units. */
const MAX_CELL = 320;

const COLUMNS = ['account', 'channel', 'tenant', 'person', 'email'] as const;
type Column = (typeof COLUMNS)[number];

/**
 * Reads and checks the file. Never throws.
 * @param channels names that the column `channel` may contain
 */
export function checkAccounts(name: string, channels: readonly string[]): CheckedFile<AccountTable> {
  const read = readText(name);
  if ('fault' in read) return { faults: [read.fault] };
  const checked = parseAccounts(name, read.text, channels);
  if ('faults' in checked) return { faults: firstOf(name, checked.faults) };
  const { entries } = checked;
  return { value: createAccountTable(entries), count: entries.length, digest: read.digest, faults: [] };
}

/** An entry of the file with its place, such as `accounts.csv:3`. */
export interface PlacedMapping extends Mapping {
  readonly place: string;
}

/** Returns the entries of a file that `checkAccounts` accepts; none for any other file. */
export function listAccounts(name: string, channels: readonly string[]): readonly PlacedMapping[] {
  const read = readText(name);
  const checked = 'fault' in read ? undefined : parseAccounts(name, read.text, channels);
  if (checked === undefined || 'faults' in checked) return [];
  return checked.entries.map((entry, nth) => ({ ...entry, place: `${name}:${checked.lines[nth]}` }));
}

function firstOf(name: string, faults: readonly PlacedFault[]): readonly PlacedFault[] {
  if (faults.length <= MAX_FAULTS) return faults;
  const what = `has ${faults.length - MAX_FAULTS} more faults`;
  return [
    ...faults.slice(0, MAX_FAULTS),
    wholeFault(name, what, 'Correct the faults above, and check again.'),
  ];
}

const wholeFault = (name: string, what: string, cure: string): PlacedFault => ({
  place: name,
  subject: 'the file',
  path: [],
  what,
  cure,
});

type Read = { readonly text: string; readonly digest: string } | { readonly fault: PlacedFault };

function readText(name: string): Read {
  const refused = (what: string, cure: string) => ({ fault: wholeFault(name, what, cure) });
  let bytes: Buffer;
  try {
    bytes = readCapped(name, MAX_BYTES);
  } catch (thrown) {
    const isLarge = codeOf(thrown) === 'EFBIG';
    const cure = isLarge
      ? 'Name only people who use the bridge.'
      : "Correct the path in identity.file, or the file's permissions.";
    return refused(whyUnreadable(thrown, MAX_BYTES), cure);
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return { text, digest: createHash('sha256').update(bytes).digest('hex') };
  } catch {
    // Text that is not UTF-8 gets the same fault as text with a NUL character.
  }
  return refused('is not UTF-8 text', 'Export it as "CSV UTF-8".');
}

interface Row {
  readonly cells: readonly string[];
  /** Number of the line on which the row begins; the first is 1. */
  readonly line: number;
}

type Parsed =
  | { readonly entries: readonly Mapping[]; readonly lines: readonly number[] }
  | { readonly faults: readonly PlacedFault[] };

function parseAccounts(name: string, text: string, channels: readonly string[]): Parsed {
  const at =
    (line: number) =>
    (what: string, cure: string, subject = 'the line'): PlacedFault => ({
      place: `${name}:${line}`,
      subject,
      path: [],
      what,
      cure,
    });
  const rows = rowsOf(text);
  if ('line' in rows)
    return {
      faults: [at(rows.line)(rows.what, 'Write a cell as "text", and a quotation mark in it as "".')],
    };
  const [header, ...body] = rows.rows;
  if (header === undefined)
    return {
      faults: [at(1)('is empty', `Begin with the columns, such as ${COLUMNS.join(',')}.`, 'the file')],
    };
  const wrong = headerFaults(header, at(header.line));
  if (wrong.length > 0) return { faults: wrong };
  if (body.length === 0) {
    const cure = 'Add people, or remove identity.file if nobody should have an account from it.';
    return { faults: [at(header.line)('names no people', cure, 'the file')] };
  }
  if (body.length > MAX_ENTRIES)
    return { faults: [at(header.line)(`names more than ${MAX_ENTRIES} people`, 'Shorten it.', 'the file')] };
  const seen = createSeen();
  const faults: PlacedFault[] = [];
  const entries = body.flatMap((row) => {
    const entry = entryOf(header.cells.map(columnName), row);
    const found = entryFaults(entry, row, { header, channels });
    const all = found.length > 0 ? found : seen.faults(entry, row.line);
    faults.push(...all.map(([what, cure]) => at(row.line)(what, cure)));
    return [entry];
  });
  return faults.length > 0 ? { faults } : { entries, lines: body.map(({ line }) => line) };
}

/** A fault and its cure. */
type Finding = readonly [what: string, cure: string];

/**
 * Splits the text into rows and cells (RFC 4180). Trims the cells, and leaves out blank lines. If a quotation is
 * broken, returns its line and a description instead of the rows.
 */
function rowsOf(
  text: string,
): { readonly rows: readonly Row[] } | { readonly line: number; readonly what: string } {
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/gy;
  const rows: Row[] = [];
  let cells: string[] = [];
  let [line, began] = [1, 1];
  while (pattern.lastIndex < text.length || cells.length > 0) {
    const match = pattern.exec(text);
    if (match === null) return { line, what: 'contains a quotation mark in the wrong position' };
    const [whole, quoted, plain = '', end] = match;
    cells.push((quoted?.replaceAll('""', '"') ?? plain).trim());
    line += whole.match(/\r\n|\n|\r/g)?.length ?? 0;
    if (end === ',') continue;
    if (cells.some((cell) => cell !== '')) rows.push({ cells, line: began });
    [cells, began] = [[], line];
    if (pattern.lastIndex >= text.length) break;
  }
  return { rows };
}

const columnName = (cell: string): string => cell.toLowerCase();

type FaultAt = (what: string, cure: string, subject?: string) => PlacedFault;

function headerFaults({ cells }: Row, fault: FaultAt): readonly PlacedFault[] {
  const names = cells.map(columnName);
  const known = `Columns: ${COLUMNS.join(', ')}.`;
  if (names.length === 1 && /[;\t]/.test(names[0] ?? ''))
    return [fault('has no commas', 'Separate the columns by commas.')];
  const strange = names.flatMap((name, index) => {
    if (!COLUMNS.some((column) => column === name)) {
      const near = nearest(name, COLUMNS);
      const cure = near === undefined ? known : `Did you mean "${near}"?`;
      return [fault('is not a column of this file', cure, `"${name.slice(0, 40)}"`)];
    }
    return names.indexOf(name) < index ? [fault('appears twice', 'Remove one of the columns.', name)] : [];
  });
  const lacking = [
    ...(names.includes('account') ? [] : ['account']),
    ...(names.includes('person') || names.includes('email') ? [] : ['person or email']),
  ].map((column) => fault(`lacks the column ${column}`, known));
  return [...strange, ...lacking];
}

function entryOf(header: readonly string[], { cells }: Row): Mapping {
  const cell = (column: Column): string | undefined => {
    const value = cells[header.indexOf(column)];
    return value === '' ? undefined : value;
  };
  const [channel, tenant, person, email] = [cell('channel'), cell('tenant'), cell('person'), cell('email')];
  return { channel, tenant, person, email, account: cell('account') ?? '' };
}

interface Expected {
  readonly header: Row;
  readonly channels: readonly string[];
}

function entryFaults(
  { channel, tenant, person, email, account }: Mapping,
  { cells }: Row,
  { header, channels }: Expected,
): readonly Finding[] {
  const found: Finding[] = [];
  const width = header.cells.length;
  if (cells.length !== width)
    return [[`has ${cells.length} cells instead of ${width}`, 'Write one cell for each column.']];
  const strange = cells.map((cell) => (cell.length > MAX_CELL ? 'is too long' : disguise(cell)));
  const at = strange.findIndex((each) => each !== undefined);
  if (at >= 0) found.push([`has a cell ${header.cells[at]} that ${strange[at]}`, 'Type it again.']);
  if (account === '') found.push(['names no account', 'Add the platform account.']);
  if (isReserved(account))
    found.push([
      'has an account that ends like "(CHANNEL/WORKSPACE/ID)"',
      'This ending is reserved for people who ask with their own token. Use another account.',
    ]);
  if (person === undefined && email === undefined) found.push(['names no person', 'Give person or email.']);
  if (person !== undefined && email !== undefined)
    found.push(['names both a person and an e-mail address', 'Write one line for each.']);
  if (person !== undefined && channel === undefined)
    found.push(['gives an id without its channel', 'Add the channel, because ids belong to a channel.']);
  if (tenant !== undefined && channel === undefined)
    found.push(['gives a tenant without its channel', 'Add the channel.']);
  if (email !== undefined && !z.email().safeParse(email).success)
    found.push(['has a value in the column email that is not an e-mail address', 'Correct the address.']);
  if (channel !== undefined && !channels.includes(channel)) {
    const near = nearest(channel, channels);
    const cure = near === undefined ? `Known: ${channels.join(', ')}.` : `Did you mean "${near}"?`;
    found.push([`names the channel "${channel.slice(0, 40)}", which is not configured`, cure]);
  }
  return found;
}

/** Finds lines that name the same person as an earlier line, and accounts that several people would share. */
function createSeen(): { faults(entry: Mapping, line: number): readonly Finding[] } {
  const [people, owners, spelled] = [
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, { account: string; line: number }>(),
  ];
  return {
    faults({ channel = '', tenant = '', person, email, account }, line) {
      const who = person === undefined ? `email ${email?.toLowerCase()}` : `id ${person}`;
      const wider = [
        [channel, tenant],
        [channel, ''],
        ['', ''],
      ].map((scope) => JSON.stringify([...scope, who]));
      const earlier = wider.map((key) => people.get(key)).find((each) => each !== undefined);
      if (earlier !== undefined)
        return [[`names the same person as line ${earlier}`, 'Remove one of the two lines.']];
      const form = account.normalize('NFKC').toLowerCase();
      const other = spelled.get(form);
      if (other !== undefined && other.account !== account)
        return [
          [`names an account that looks like the one in line ${other.line}`, 'Write both in the same way.'],
        ];
      const owner = JSON.stringify([account, channel, tenant, person === undefined ? 'email' : 'id']);
      const holder = owners.get(owner);
      if (holder !== undefined)
        return [
          [`gives the account of line ${holder} to another person`, 'Give each person their own account.'],
        ];
      people.set(wider[0] ?? '', line);
      owners.set(owner, line);
      if (other === undefined) spelled.set(form, { account, line });
      return [];
    },
  };
}
