/** Reads the query of a request for the operator's page. */

import { z } from 'zod';
import type { PageEnd, TurnFilter } from '../../../src/kit/ladder.ts';
import { badRequest } from '../refusal.ts';

/** Maximum number of lines in one answer, and the number if the request names none. */
const MAX_LIMIT = 200;
const LIMIT = 50;
/** Maximum number of hours until now, and the number if the request names none. The audit keeps 90 days. */
const MAX_HOURS = 24 * 366;
const HOURS = 24;
const HOUR_MS = 60 * 60_000;

const word = z.string().min(1).max(400).optional();
const time = z
  .string()
  .transform((text) => Date.parse(text))
  .pipe(z.number())
  .optional();

const schema = z.object({
  turn: word,
  channel: word,
  tenant: word,
  room: word,
  person: word,
  agent: word,
  code: word,
  state: word.transform((text) => text?.split(',').slice(0, 10)),
  hours: z.coerce.number().min(0).max(MAX_HOURS).default(HOURS),
  from: time,
  to: time,
  limit: z.coerce.number().int().min(1).default(LIMIT),
  after: z
    .string()
    .regex(/^\d+(?:\.\d+)?,\d+$/)
    .optional(),
  format: z.enum(['csv', 'jsonl']).default('jsonl'),
});

interface OperateQuery {
  readonly filter: TurnFilter;
  readonly limit: number;
  readonly after?: PageEnd;
  readonly format: 'csv' | 'jsonl';
}

/** @throws HttpRefusal 400 */
export function readQuery(query: unknown, now: number): OperateQuery {
  const read = schema.safeParse(query);
  if (!read.success) throw badRequest('That filter could not be read. Please choose the filters again.');
  const { state, hours, from, to, limit, after, format, ...wanted } = read.data;
  const [at, seq] = after?.split(',').map(Number) ?? [];
  return {
    // The clock of a database may be ahead of this one.
    filter: { ...wanted, states: state, from: from ?? now - hours * HOUR_MS, to: to ?? now + HOUR_MS },
    limit: Math.min(limit, MAX_LIMIT),
    ...(at !== undefined && seq !== undefined && { after: { at, seq } }),
    format,
  };
}
