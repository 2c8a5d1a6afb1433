/** The routes of the operator's page (`operate-wire.ts`). They only read, and answer only to an operator who has signed in. */

import type express from 'express';
import type { Request, Response } from 'express';
import {
  createCache,
  csvLine,
  type Operations,
  type PageEnd,
  type TurnFilter,
  type TurnLine,
} from '../../../src/kit/ladder.ts';
import { turnId } from '../../../src/kit.ts';
import { CHANNEL, TENANT, toPerson } from '../chat/inbound.ts';
import type { Viewer } from '../chat/rooms.ts';
import type { ConsolePerson } from '../config.ts';
import type {
  FailuresView,
  FeedbackView,
  NowView,
  PeopleView,
  TurnsView,
  TurnView,
} from '../operate-wire.ts';
import { forbidden } from '../refusal.ts';
import type { Served } from './acts.ts';
import { readQuery } from './operate-query.ts';

/** Maximum number of ended turns in an export, and of those that are read at once. */
const EXPORTED = 10_000;
const EXPORT_PAGE = 1_000;
/** Time within which further requests of the same person are not recorded in the audit again, in milliseconds. */
const RECORDED_EVERY_MS = 60 * 60_000;
const RECORDED_PEOPLE = 1_000;

const UNANSWERED = ['failed', 'expired'];

type Access = Pick<Served, 'gate' | 'host'>;

/** Returns the figures for the viewer; undefined without a sign-in of their own, or without a rule that allows it. */
function operationsOf({ gate, host }: Access, viewer: Viewer): Operations | undefined {
  if (gate.kind !== 'provider' || viewer === 'anyone') return undefined;
  return host.operations?.(toPerson(viewer), { channel: CHANNEL, tenant: TENANT });
}

export const mayOperate = (access: Access, viewer: Viewer): boolean =>
  operationsOf(access, viewer) !== undefined;

export function addOperations(app: express.Express, served: Served): void {
  const { open, record } = createAccess(served);
  for (const [name, view] of Object.entries(VIEWS))
    app.get(`/operate/${name}`, async (request, response) => {
      response.json(await view(open(request)));
    });
  app.get('/operate/turns/:turn', async (request, response) => {
    const { operations } = open(request);
    const { turn } = request.params;
    const filter = { from: 0, to: Number.MAX_SAFE_INTEGER, turn };
    const [opened, ended, receipt] = await Promise.all([
      operations.open(filter),
      operations.ended(filter, 1),
      served.host.receipt(turnId(turn)),
    ]);
    const [line] = [...opened.lines, ...ended.lines];
    const entries = receipt.map(({ at, name, detail }) => ({ at, name, detail }));
    response.json({ line, entries } satisfies TurnView);
  });
  app.get('/operate/export', async (request, response) => {
    const { operations, viewer, filter, format } = open(request);
    await record(viewer, `export ${format}`);
    sendFile(response, format, await readAll(operations, filter));
  });
}

/** Lets operators in, and records in the audit who they are. */
function createAccess(served: Served) {
  const { gate, host } = served;
  const { clock } = host;
  const recorded = createCache<true>({ clock, max: RECORDED_PEOPLE, ttlMs: RECORDED_EVERY_MS });
  const record = ({ id: person }: ConsolePerson, detail: string) =>
    host.noteAct({ tenant: TENANT, person, action: 'operate', outcome: 'done', detail });
  /** @throws HttpRefusal 401 without a sign-in, 403 for a person who is no operator */
  const open = (request: Request) => {
    const viewer = gate.viewer(request.headers);
    const operations = operationsOf(served, viewer);
    if (operations === undefined || viewer === 'anyone')
      throw forbidden('Only an operator who has signed in can see this page. A rule can allow it: operate.');
    if (recorded.get(viewer.id) === undefined) {
      recorded.set(viewer.id, true);
      void record(viewer, 'page');
    }
    return { operations, viewer, now: clock.now(), ...readQuery(request.query, clock.now()) };
  };
  return { open, record };
}

type Opened = ReturnType<ReturnType<typeof createAccess>['open']>;

/** The figures by the name of their route. */
const VIEWS = {
  async now({ operations, filter, now }: Opened): Promise<NowView> {
    const [status, open, budgets, counted] = await Promise.all([
      operations.status(),
      operations.open(filter),
      operations.budgets(),
      operations.counted(filter),
    ]);
    return { at: now, status, open, budgets, counted };
  },
  async failures({ operations, filter, limit }: Opened): Promise<FailuresView> {
    const [counted, { lines }] = await Promise.all([
      operations.counted(filter),
      operations.ended({ ...filter, states: UNANSWERED }, limit),
    ]);
    return { counted, unanswered: lines, limit };
  },
  async feedback({ operations, filter, limit }: Opened): Promise<FeedbackView> {
    const [ratings, corrections] = await Promise.all([
      operations.ratings(filter, limit),
      operations.corrections(filter, limit),
    ]);
    return { ratings, corrections, limit };
  },
  async people({ operations, limit }: Opened): Promise<PeopleView> {
    return { ...(await operations.people(limit)), limit };
  },
  async turns({ operations, filter, limit, after }: Opened): Promise<TurnsView> {
    const { next, ...page } = await operations.ended(filter, limit, after);
    return { ...page, limit, next: next && `${next.at},${next.seq}` };
  },
};

/** Resolves with the newest ended turns. `isCut` is true if there are more than an export contains. */
async function readAll(operations: Operations, filter: TurnFilter) {
  const lines: TurnLine[] = [];
  let after: PageEnd | undefined;
  do {
    const page = await operations.ended(filter, EXPORT_PAGE, after);
    lines.push(...page.lines);
    after = page.next;
  } while (after !== undefined && lines.length < EXPORTED);
  return { lines, isCut: after !== undefined };
}

/** The columns of a CSV file, in order. New columns are appended, because programs may read columns by number. */
const COLUMNS = [
  ...(['at', 'turn', 'action', 'state', 'code', 'agent', 'channel', 'tenant', 'room', 'kind'] as const),
  ...(['person', 'account', 'ms', 'questionChars', 'answerChars', 'files', 'sources'] as const),
];

/** Sends a file. Its name says whether it contains only the newest turns. */
function sendFile(
  response: Response,
  format: 'csv' | 'jsonl',
  { lines, isCut }: Awaited<ReturnType<typeof readAll>>,
): void {
  const rows = lines.map((line) => ({ ...line, at: new Date(line.at).toISOString() }));
  const text =
    format === 'jsonl'
      ? rows.map((row) => JSON.stringify(row))
      : [COLUMNS, ...rows.map((row) => COLUMNS.map((column) => String(row[column] ?? '')))].map(csvLine);
  response
    .set({
      'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
      'content-disposition': `attachment; filename=turns${isCut ? `-newest-${EXPORTED}` : ''}.${format}`,
      'content-security-policy': "default-src 'none'; sandbox",
    })
    .send(text.map((line) => `${line}\n`).join(''));
}
