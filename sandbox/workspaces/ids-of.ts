import type { Call } from '../http/call.ts';
import { readCodes } from '../http/codes.ts';
import { declined } from '../http/refusal.ts';

/** The ids of a deletion: a bare array as the body, else `ids` in the query, repeated or with commas (platform contract WSP-4). */
export async function idsOf(call: Call): Promise<readonly string[]> {
  const body = await call.json();
  if (body !== undefined && !Array.isArray(body)) throw declined('The body must be an array of ids.');
  const values: readonly unknown[] = body ?? call.query.getAll('ids').flatMap((text) => text.split(','));
  const ids = readCodes(values, 'The parameter ids').map((id) => id.trim());
  if (ids.length === 0) throw declined('The parameter ids is missing.');
  for (const id of ids) if (!/^\d{1,19}$/.test(id)) throw declined(`${id} is no id.`);
  return [...new Set(ids)];
}
