/** A saved history: one JSON object a line, so that a run can be judged again. */

import { createReadStream } from 'node:fs';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Bounds, CONTRACT, type History } from '../../fakes/history/kept.ts';
import type { Town } from './town.ts';

/** Facts of a run that the table shows. */
export interface Header {
  readonly seed: number;
  readonly engine: string;
  readonly replicas: number;
  /** The XMPP server of a run through XMPP. */
  readonly server?: string;
}

export interface SavedRun {
  readonly header: Header;
  readonly history: History;
}

/** Writes one file for each process, named after its replica and its start. */
export async function saveLogs(
  folder: string,
  replicas: readonly Pick<Town['replicas'][number], 'lives'>[],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [nth, { lives }] of replicas.entries())
    for (const [start, life] of lives.entries())
      await writeFile(join(folder, `replica-${nth + 1}-start-${start + 1}.log`), life.log());
}

type Part = Exclude<keyof History, 'bounds' | 'replicas'>;

const PARTS: readonly Part[] = [
  'questions',
  'shown',
  'calls',
  'askings',
  'thinking',
  'closed',
  'breaks',
  'violations',
  'acts',
  'machineFaults',
  'signInsRefused',
  'excused',
];

export async function saveRun(file: string, { header, history }: SavedRun): Promise<void> {
  await using out = await open(file, 'w');
  await out.write(`${JSON.stringify({ header, bounds: history.bounds })}\n`);
  for (const part of PARTS)
    for (const item of history[part]) await out.write(`${JSON.stringify({ part, item })}\n`);
}

interface Line {
  readonly header?: Header;
  readonly bounds?: Bounds;
  readonly part?: Part;
  readonly item?: unknown;
}

export async function loadRun(file: string): Promise<SavedRun> {
  const parts = new Map<string, unknown[]>(PARTS.map((part) => [part, []]));
  let header: Header = { seed: 0, engine: '', replicas: 0 };
  let bounds = CONTRACT;
  for await (const text of createInterface({ input: createReadStream(file) })) {
    const line = JSON.parse(text, revived) as Line;
    header = line.header ?? header;
    bounds = line.bounds ?? bounds;
    if (line.part !== undefined) parts.get(line.part)?.push(line.item);
  }
  const { replicas } = header;
  return { header, history: { ...Object.fromEntries(parts), bounds, replicas } as unknown as History };
}

/** Restores an infinite `doneAt`, which marks a call without a response. JSON has no infinity, and saves it as null. */
const revived = (name: string, value: unknown): unknown =>
  name === 'doneAt' && value === null ? Number.POSITIVE_INFINITY : value;
