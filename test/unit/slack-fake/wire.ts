/** Functions that call the fake Slack as a client does, and a small app that receives its events. */

import { afterEach } from 'vitest';
import { type FakeSlack, type FakeSlackOptions, startFakeSlack } from '../../fakes/slack/index.ts';
import { type SmallServer, smallServer } from '../../fakes/small-server.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

export async function fakeSlack(options: FakeSlackOptions = {}): Promise<FakeSlack> {
  const fake = await startFakeSlack(options);
  open.push(fake);
  return fake;
}

export interface Answer {
  readonly ok: boolean;
  readonly error?: string;
  readonly [field: string]: unknown;
}

export interface Raw {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Answer;
}

export async function raw(
  fake: FakeSlack,
  method: string,
  args: object,
  token?: string | null,
): Promise<Raw> {
  const bearer = token === undefined ? fake.workspace().token : token;
  const answer = await fetch(`${fake.apiUrl}${method}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
    },
    body: JSON.stringify(args),
  });
  const text = await answer.text();
  const body = text.startsWith('{') ? (JSON.parse(text) as Answer) : { ok: false, text };
  return { status: answer.status, headers: answer.headers, body };
}

export const call = async (fake: FakeSlack, method: string, args: object, token?: string): Promise<Answer> =>
  (await raw(fake, method, args, token)).body;

/** Sends a call as a form, as @slack/web-api does. */
export async function form(fake: FakeSlack, method: string, args: object, token?: string): Promise<Answer> {
  const fields = Object.entries(args).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const answer = await fetch(`${fake.apiUrl}${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token ?? fake.workspace().token}` },
    body: new URLSearchParams(fields),
  });
  return (await answer.json()) as Answer;
}

export async function smallApp(): Promise<SmallServer<string>> {
  const app = await smallServer('/slack/events', (body) => body);
  open.push(app);
  return app;
}
