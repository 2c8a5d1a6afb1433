/** The HTTP server: one address for the Web API, files, OAuth, sockets and the control routes. */

import type { ServerResponse } from 'node:http';
import { type Route, readBody } from '../listen.ts';
import { type ApiAnswer, admit, answerOf, headersOf, perform, readRequest, tooMany } from './api.ts';
import { text } from './args.ts';
import type { Call } from './call.ts';
import type { Fault } from './faults.ts';
import type { CallRecord } from './log.ts';
import type { Server } from './parts.ts';
import { Refusal } from './refusal.ts';
import type { Json } from './shapes.ts';

const INTERNAL: ApiAnswer = { status: 500, body: { ok: false, error: 'internal_error' }, headers: {} };

export const apiRoute =
  (server: Server): Route =>
  async (request, response, url) => {
    const at = server.world.clock.now();
    const body = (await readBody(request)).toString('utf8');
    const asked = readRequest(request, url, body);
    const verdict = judge(server, asked);
    const record = recordOf(server, {
      at,
      size: body.length,
      method: asked.method,
      args: asked.args,
      verdict,
    });
    const channel = text(asked.args, 'channel') ?? text(asked.args, 'channel_id');
    const fault = server.faults.hit(asked.method, verdict.call?.workspace.id, channel);
    if (fault !== undefined) record.fault = fault.kind;
    const late = server.latencyMs + (fault?.kind === 'slow' ? (fault.ms ?? 0) : 0);
    // A test's manual clock does not end any wait by itself, not even a wait of 0 ms.
    if (late > 0) await server.world.clock.wait(late);
    settle(server, { record, verdict, response, ...(fault === undefined ? {} : { fault }) });
  };

interface Verdict {
  readonly call?: Call;
  readonly wait: number;
  readonly refused?: Refusal;
}

function judge(server: Server, asked: ReturnType<typeof readRequest>): Verdict {
  try {
    return admit(server, asked);
  } catch (thrown) {
    if (thrown instanceof Refusal) return { wait: 0, refused: thrown };
    throw thrown;
  }
}

interface Arrived {
  readonly at: number;
  readonly size: number;
  readonly method: string;
  readonly args: Json;
  readonly verdict: Verdict;
}

function recordOf({ log }: Server, { at, size, method, args, verdict: { call } }: Arrived): CallRecord {
  const channel = text(args, 'channel') ?? text(args, 'channel_id');
  const record: CallRecord = {
    id: log.calls.length + 1,
    at,
    method,
    args,
    size,
    status: 0,
    ...(call === undefined ? {} : { team: call.workspace.id }),
    ...(channel === undefined ? {} : { channel }),
  };
  log.calls.push(record);
  return record;
}

interface Settling {
  readonly record: CallRecord;
  readonly verdict: Verdict;
  readonly response: ServerResponse;
  readonly fault?: Fault;
}

function settle(server: Server, { record, verdict, response, fault }: Settling): void {
  if (fault?.kind === 'timeout') return;
  if (fault?.kind === 'refuse') {
    reset(response);
    return;
  }
  const answer =
    (fault === undefined ? undefined : faulty(fault, record)) ?? answerTo(server, record, verdict);
  record.answer = answer.body;
  record.doneAt = server.world.clock.now();
  if (fault?.kind === 'reset') {
    reset(response);
    return;
  }
  if (fault?.kind === 'hang') return;
  record.status = answer.status;
  if (fault?.kind === 'html') {
    sendPage(response);
    return;
  }
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    ...answer.headers,
    ...headersOf(verdict.call),
  };
  response.writeHead(answer.status, headers).end(JSON.stringify(answer.body));
}

function faulty(fault: Fault, record: CallRecord): ApiAnswer | undefined {
  if (fault.kind === 'rate') return tooMany(fault.retryAfter ?? 1, record);
  if (fault.kind === 'status') return { ...INTERNAL, status: fault.status ?? 500 };
  if (fault.kind === 'error')
    return { status: 200, body: { ok: false, error: fault.error ?? 'internal_error' }, headers: {} };
  return fault.kind === 'html' ? { status: 200, body: { html: true }, headers: {} } : undefined;
}

function answerTo(server: Server, record: CallRecord, { call, wait, refused }: Verdict): ApiAnswer {
  if (wait > 0) return tooMany(wait, record);
  const body = answerOf(() => {
    if (refused !== undefined) throw refused;
    return call === undefined ? {} : perform(server, call);
  });
  return { status: 200, body, headers: {} };
}

function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

export const PAGE =
  '<!DOCTYPE html><html><head><title>Slack</title></head><body>Sign in to Slack</body></html>';

export const sendPage = (response: ServerResponse): unknown =>
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE);
