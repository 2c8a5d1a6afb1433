/** Functions that call the fake Teams as a bot does, and a small bot that receives activities. */

import { afterEach } from 'vitest';
import { type SmallServer, smallServer } from '../../fakes/small-server.ts';
import {
  type Conversation,
  type FakeTeams,
  type FakeTeamsOptions,
  startFakeTeams,
} from '../../fakes/teams/index.ts';
import { type AppSettings, appPackage } from '../../fakes/teams-app.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

/** An app that asks for everything that Parley can do. */
const EVERYTHING: AppSettings = { allMessages: true, targeted: true, copilot: true };

/**
 * Starts a fake that keeps a text and its cards in one message, so that tests need not expect two messages.
 * @param app settings of the uploaded app
 */
export async function fakeTeams(
  options: FakeTeamsOptions = {},
  app: AppSettings = EVERYTHING,
): Promise<FakeTeams> {
  const fake = await startFakeTeams({ textBesideCards: 'together', ...options });
  fake.upload(appPackage(fake.app.id, app));
  open.push(fake);
  return fake;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly id?: string; readonly [field: string]: unknown };
  /** Error code of the response, if there is one. */
  readonly code?: string;
  readonly message?: string;
}

/** Requests a token with the app's secret; `fields` replace those of the form. */
export async function askToken(fake: FakeTeams, fields: Record<string, string> = {}): Promise<Answer> {
  const { app, services, tenant } = fake;
  const form = {
    grant_type: 'client_credentials',
    client_id: app.id,
    client_secret: [...app.secrets][0] ?? '',
    scope: 'https://api.botframework.com/.default',
    ...fields,
  };
  const address = `${services.login}/${tenant().id}/oauth2/v2.0/token`;
  return read(await fetch(address, { method: 'POST', body: new URLSearchParams(form) }));
}

const tokens = new WeakMap<FakeTeams, string>();

export async function tokenOf(fake: FakeTeams): Promise<string> {
  const known = tokens.get(fake) ?? String((await askToken(fake)).body.access_token);
  tokens.set(fake, known);
  return known;
}

export interface Asking {
  readonly verb?: string;
  readonly body?: object;
  /** Token to send; null sends none. Default: a valid token. */
  readonly token?: string | null;
  readonly tenant?: string;
}

/** Calls the Bot Connector; `path` follows `v3/`. */
export async function call(fake: FakeTeams, path: string, asking: Asking = {}): Promise<Answer> {
  const { verb = 'GET', body, tenant } = asking;
  const token = asking.token === undefined ? await tokenOf(fake) : asking.token;
  const answer = await fetch(`${fake.serviceUrl(tenant)}v3/${path}`, {
    method: verb,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return read(answer);
}

async function read(answer: Response): Promise<Answer> {
  const text = await answer.text();
  const body = text.startsWith('{') ? (JSON.parse(text) as Answer['body']) : { text };
  const error = body.error as { code?: string; message?: string } | undefined;
  return {
    status: answer.status,
    headers: answer.headers,
    body,
    ...(error?.code === undefined ? {} : { code: error.code, message: error.message ?? '' }),
  };
}

type Where = Pick<Conversation, 'id' | 'tenant'> &
  Partial<Pick<Conversation, 'kind'>> & { readonly thread?: string };

const pathOf = ({ id, thread }: Where): string =>
  `conversations/${encodeURIComponent(thread === undefined ? id : `${id};messageid=${thread}`)}/activities`;

export const send = (fake: FakeTeams, where: Where, activity: object): Promise<Answer> =>
  call(fake, pathOf(where), {
    verb: 'POST',
    tenant: where.tenant,
    body: { type: 'message', text: 'Hello', conversation: { conversationType: where.kind }, ...activity },
  });

export const update = (fake: FakeTeams, where: Where, id: string, activity: object): Promise<Answer> =>
  call(fake, `${pathOf(where)}/${id}`, {
    verb: 'PUT',
    tenant: where.tenant,
    body: { type: 'message', ...activity },
  });

export const remove = (fake: FakeTeams, where: Where, id: string): Promise<Answer> =>
  call(fake, `${pathOf(where)}/${id}`, { verb: 'DELETE', tenant: where.tenant });

export type SmallBot = SmallServer<Record<string, unknown>>;

/** Starts a bot that records the activities it receives. */
export async function smallBot(): Promise<SmallBot> {
  const bot = await smallServer('/api/messages', (body): Record<string, unknown> => JSON.parse(body));
  open.push(bot);
  return bot;
}
