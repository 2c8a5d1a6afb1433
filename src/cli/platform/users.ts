import { parse } from 'csv-parse/sync';
import { api, changeUser } from '../../platform/api.ts';
import { type AccessOptions, withPlatform } from './access.ts';
import { inputsOf } from './inputs.ts';
import { outside } from './outside.ts';
import { type Given, requestOf, usage } from './request.ts';
import { show } from './show.ts';

/** Members of a user that `users update` changes; all others stay as they are. */
export const CHANGEABLE = inputsOf(api.updateUser).filter(({ name }) => name !== 'id' && name !== 'userName');

export interface UserOptions extends AccessOptions {
  readonly as?: string;
  readonly json?: true;
}

/** Reads the user, changes the given members, and sends the whole record again (platform contract USR-2). */
export async function updateUser(userCode: string, given: Given, options: UserOptions): Promise<number> {
  const patch = await requestOf(CHANGEABLE, given, undefined, outside);
  if (Object.keys(patch).length === 0)
    throw usage('Name at least one member to change, such as --real-name.');
  const call = options.as === undefined ? {} : { account: options.as };
  return withPlatform(options, async ({ client }) => {
    await changeUser(client, { userCode, patch }, call);
    const user = await client.call(api.getUser, { userCode }, call);
    show({ shape: 'one' }, user, { json: options.json === true });
    return 0;
  });
}

export interface ImportOptions extends UserOptions {
  /** A file with the first password of all of them; `-` is the standard input. */
  readonly passwordFile?: string;
}

/** Creates a user for each line of a CSV file, whose header names members of a user; all of them or none. */
export async function importUsers(path: string, options: ImportOptions): Promise<number> {
  const users = usersOf(await outside.text(path), await passwordOf(options));
  const call = options.as === undefined ? {} : { account: options.as };
  return withPlatform(options, async ({ client }) => {
    const made = await client.call(api.createUsers, { users }, call);
    show({ shape: 'many' }, made, { json: options.json === true });
    return 0;
  });
}

const passwordOf = async ({ passwordFile }: ImportOptions): Promise<string> =>
  passwordFile === undefined ? '' : (await outside.text(passwordFile)).trim();

interface NewUser {
  readonly userName: string;
  readonly password?: string;
  readonly userInfo: Record<string, unknown>;
}

/** The lines as users. A column that names no member is refused, so that no typing error is lost. */
export function usersOf(text: string, password: string): NewUser[] {
  const rows = readRows(text);
  const known = new Map(CHANGEABLE.map((input) => [input.name.toLowerCase(), input]));
  return rows.map((row) => {
    const userInfo: Record<string, unknown> = {};
    for (const [column, value] of Object.entries(row)) {
      if (column.toLowerCase() === 'username' || value === '') continue;
      if (column.toLowerCase() === 'password')
        throw usage('Passwords do not belong into the file; use --password-file.');
      const input = known.get(column.toLowerCase());
      if (input === undefined) throw usage(`The column ${column} is no member of a user.`);
      userInfo[input.name] = scalar(value, input.kind);
    }
    const userName = row.userName ?? row.username ?? row.UserName ?? '';
    if (userName === '') throw usage('Each line needs a userName.');
    return { userName, ...(password !== '' && { password }), userInfo };
  });
}

function readRows(text: string): readonly Readonly<Record<string, string>>[] {
  try {
    return parse(text, { columns: true, bom: true, trim: true, skip_empty_lines: true });
  } catch (thrown) {
    throw usage(
      `The CSV file cannot be read: ${thrown instanceof Error ? thrown.message : 'unknown reason'}`,
    );
  }
}

function scalar(value: string, kind: string): unknown {
  if (kind === 'switch') return /^(true|yes|1)$/i.test(value);
  return kind === 'number' ? Number(value) : value;
}
