/** A minimal Slack that answers a few methods and records the calls. */

import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';

export interface Called {
  readonly method: string;
  readonly token: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface SmallSlack {
  /** Base address with a final slash, as in SLACK_API_URL. */
  readonly apiUrl: string;
  readonly calls: readonly Called[];
  /** Responses by method, in place of the usual ones. */
  answers: Record<string, (called: Called) => object>;
  called(method: string): readonly Called[];
  close(): Promise<void>;
}

export const SECRET = 'a signing secret';
export const BOT = { user: 'U0BOT', id: 'B0BOT', token: 'xoxb-1' };

const usual: SmallSlack['answers'] = {
  'auth.test': () => ({ ok: true, team_id: 'T1', team: 'Acme', user_id: BOT.user, bot_id: BOT.id }),
  'users.info': ({ args }) => ({
    ok: true,
    user: { id: args.user, team_id: 'T1', real_name: `Name of ${String(args.user)}`, locale: 'en-GB' },
  }),
  'conversations.replies': () => ({ ok: true, messages: [] }),
};

export async function openSmallSlack(): Promise<SmallSlack> {
  const calls: Called[] = [];
  let posted = 0;
  const server = createServer(async (request, response) => {
    const called = await readCall(request);
    calls.push(called);
    posted += 1;
    const answer =
      slack.answers[called.method] ??
      (() => ({ ok: true, ts: `1793491300.${String(posted).padStart(6, '0')}` }));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer(called)));
  });
  const port = await listen(server);
  const slack: SmallSlack = {
    apiUrl: `http://127.0.0.1:${port}/api/`,
    calls,
    answers: { ...usual },
    called: (method) => calls.filter((call) => call.method === method),
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
  return slack;
}

async function readCall(request: IncomingMessage): Promise<Called> {
  let written = '';
  for await (const chunk of request) written += String(chunk);
  const form = Object.fromEntries(new URLSearchParams(written));
  const { authorization = '' } = request.headers;
  return {
    method: (request.url ?? '').replace('/api/', ''),
    token: authorization.replace('Bearer ', ''),
    args: Object.fromEntries(
      Object.entries(form).map(([name, value]) => [name, /^[[{]/.test(value) ? JSON.parse(value) : value]),
    ),
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** Returns the headers with which Slack signs a body. */
export function signed(body: string, { at = Date.now(), secret = SECRET, type = 'application/json' } = {}) {
  const timestamp = String(Math.floor(at / 1000));
  const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  return {
    'content-type': type,
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': `v0=${signature}`,
  };
}

/** Wraps an event in the envelope of the Events API. */
export function callback(event: object, over: object = {}) {
  return {
    token: 'unused',
    team_id: 'T1',
    api_app_id: 'A1',
    event,
    type: 'event_callback',
    event_id: 'Ev1',
    event_time: 1_793_491_200,
    authorizations: [
      { enterprise_id: null, team_id: 'T1', user_id: BOT.user, is_bot: true, is_enterprise_install: false },
    ],
    ...over,
  };
}

/** Lets the pauses of a check of a refused token pass. */
export async function checked(clock: { pass(ms: number): Promise<void> }, slack: SmallSlack): Promise<void> {
  const before = slack.called('auth.test').length;
  for (const [nth, ms] of [1_000, 5_000].entries()) {
    await expect.poll(() => slack.called('auth.test').length).toBeGreaterThan(before + nth);
    await clock.pass(ms);
  }
}
