import { type AnyOperation, operations, type Page } from '../../platform/api.ts';
import { note, print, printJson } from './output.ts';
import { cellOf, recordOf, tableOf, treeOf } from './table.ts';

/** Returns the terminal's width in columns; for a pipe, infinity. */
const widthOf = (): number => process.stdout.columns ?? Number.POSITIVE_INFINITY;

/** Prints the result of a call as text or JSON. */
export function show(
  { shape }: Pick<AnyOperation, 'shape'>,
  result: unknown,
  { json }: { readonly json?: true },
): void {
  if (json) printJson(result ?? null, withoutRaw);
  else if (shape === 'nothing' || result === undefined) print('Done.');
  else if (isPage(result)) showPage(result);
  else if (Array.isArray(result)) print(listText(result, widthOf()));
  else if (isRecord(result)) print(groupText(result, widthOf()));
  else print(String(result));
}

/** Leaves out `raw`, which contains the same data again, as the platform sent it. */
const withoutRaw = (name: string, value: unknown): unknown =>
  name === 'raw' && isRecord(value) ? undefined : value;

function showPage({ items, pageIndex, totalCount, totalKnown }: Page<unknown>): void {
  print(listText(items, widthOf()));
  const total = totalKnown ? `${totalCount} in all` : 'total unknown';
  note(`Page ${pageIndex}: ${items.length} shown, ${total}.`);
}

/** Formats a list: as a tree if its items have children, as groups if they contain lists, otherwise as a table. */
export function listText(items: readonly unknown[], width: number): string {
  if (items.length === 0) return 'Nothing.';
  if (items.every(isNode)) return treeOf(items);
  if (!items.every(isRecord)) return items.map(cellOf).join('\n');
  const grouped = items.some((item) => listsIn(item).length > 0);
  return grouped ? items.map((item) => groupText(item, width)).join('\n\n') : tableOf(items, width);
}

/** Formats one record. Lists in it become tables below it. */
function groupText(record: Fields, width: number): string {
  const lists = listsIn(record);
  const plain = Object.fromEntries(Object.entries(record).filter(([name]) => !lists.includes(name)));
  const tables = lists.map((name) => indented(listText(asList(record[name]), width - INDENT.length)));
  return [recordOf(plain, width), ...tables].filter((text) => text !== '').join('\n\n');
}

const INDENT = '  ';
const indented = (text: string): string => text.replace(/^/gm, INDENT);

type Fields = Readonly<Record<string, unknown>>;
type Node = Parameters<typeof treeOf>[0][number];

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isNode = (value: unknown): value is Node =>
  isRecord(value) && 'childNodeList' in value && 'nodeId' in value;
const isPage = (value: unknown): value is Page<unknown> =>
  isRecord(value) && 'items' in value && 'totalKnown' in value;

/** Returns the names of the record's fields that are lists of records. */
const listsIn = (record: Fields): readonly string[] =>
  Object.keys(record).filter((name) => {
    const list = asList(record[name]);
    return name !== 'raw' && list.length > 0 && list.every(isRecord);
  });

/** Lists every operation with its command, in the order of the platform's documentation. */
export const listedOperations = operations.map(
  ({ id, capability, command, method, path, credential, doc }) => ({
    id,
    capability,
    command: `${capability} ${command}`,
    method,
    path,
    credential,
    doc,
  }),
);

export async function listOperations(options: { readonly json?: true }): Promise<number> {
  const rows = listedOperations.map(({ id: _id, capability: _capability, doc: _doc, ...row }) => row);
  show({ shape: 'many' }, options.json ? listedOperations : rows, options);
  return 0;
}
