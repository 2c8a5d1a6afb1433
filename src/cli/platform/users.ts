import { parse } from 'csv-parse/sync';
import { usage } from '../../errors.ts';
import { api, changeUser } from '../../platform/api.ts';
import type { CommandDeps } from '../channels.ts';
import { type AccessOptions, noteIdentity, withPlatform } from './access.ts';
import { inputsOf } from './inputs.ts';
import { outside } from './outside.ts';
import { type Given, requestOf, secretOf } from './request.ts';
import { show } from './show.ts';

/** Fields that `users update` can change. All other fields stay as they are. */
export const CHANGEABLE = inputsOf(api.updateUser).filter(({ name }) => name !== 'id' && name !== 'userName');

/**
 * Reads the user, changes the given fields, and sends the whole record, because an update replaces it (platform
 * contract USR-2).
 */
export async function updateUser(
  userCode: string,
  given: Given,
  options: AccessOptions,
  deps: CommandDeps,
): Promise<number> {
  const patch = await requestOf(CHANGEABLE, given, undefined, outside);
  if (Object.keys(patch).length === 0) throw usage('Give at least one field to change, such as --real-name.');
  return withPlatform(options, deps, async (access) => {
    const { client, call } = access;
    noteIdentity(api.updateUser, access);
    await changeUser(client, { userCode, patch }, call);
    const user = await client.call(api.getUser, { userCode }, call);
    show({ shape: 'one' }, user, options);
    return 0;
  });
}

interface ImportOptions extends AccessOptions {
  /** Path of a file with the first password of all users; `-` means standard input. */
  readonly passwordFile?: string;
}

/** Creates a user for each line of a CSV file: all of them or none. The header contains names of a user's fields. */
export async function importUsers(path: string, options: ImportOptions, deps: CommandDeps): Promise<number> {
  const users = usersOf(await outside.text(path), await passwordOf(options));
  return withPlatform(options, deps, async (access) => {
    noteIdentity(api.createUsers, access);
    const made = await access.client.call(api.createUsers, { users }, access.call);
    show({ shape: 'many' }, made, options);
    return 0;
  });
}

const passwordOf = async ({ passwordFile }: ImportOptions): Promise<string> =>
  passwordFile === undefined
    ? ''
    : secretOf(await outside.text(passwordFile), '--password-file', passwordFile);

interface NewUser {
  readonly userName: string;
  readonly password?: string;
  readonly userInfo: Record<string, unknown>;
}

/** Converts the lines of the file into users. Refuses an unknown column, because it may be a typing error. */
function usersOf(text: string, password: string): NewUser[] {
  const rows = readRows(text);
  const known = new Map(CHANGEABLE.map((input) => [input.name.toLowerCase(), input]));
  return rows.map(({ record: row, info }) => {
    // Count rows as a spreadsheet does: the header is row 1, and empty rows count.
    const nth = info.records + info.empty_lines + 1;
    const userInfo: Record<string, unknown> = {};
    for (const [column, value] of Object.entries(row)) {
      if (column.toLowerCase() === 'username' || value === '') continue;
      if (column.toLowerCase() === 'password')
        throw usage('Passwords do not belong in the CSV file; use --password-file.');
      const input = known.get(column.toLowerCase());
      if (input === undefined) throw usage(`The column ${column} is not a field of a user.`);
      userInfo[input.name] = scalar(value, input.kind, `Row ${nth}, column ${column}`);
    }
    const userName = row.userName ?? row.username ?? row.UserName ?? '';
    if (userName === '') throw usage(`Row ${nth}: a userName is needed.`);
    return { userName, ...(password !== '' && { password }), userInfo };
  });
}

interface CsvRow {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly records: number; readonly empty_lines: number };
}

function readRows(text: string): readonly CsvRow[] {
  try {
    return parse(text, { columns: true, bom: true, trim: true, skip_empty_lines: true, info: true });
  } catch (thrown) {
    throw usage(
      `The CSV file cannot be read: ${thrown instanceof Error ? thrown.message : 'unknown reason'}`,
    );
  }
}

const ON = /^(true|yes|1)$/i;
const OFF = /^(false|no|0)$/i;

/**
 * Converts a cell to the type of its column. Refuses a word from which it is unclear whether it means true or false.
 */
function scalar(value: string, kind: string, place: string): unknown {
  if (kind === 'switch') {
    if (ON.test(value)) return true;
    if (OFF.test(value)) return false;
    throw usage(`${place}: must be true or false, not "${value}".`);
  }
  if (kind !== 'number') return value;
  const number = Number(value);
  if (!Number.isFinite(number)) throw usage(`${place}: must be a number, not "${value}".`);
  return number;
}
