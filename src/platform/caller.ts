import type { z } from 'zod';
import type { AgentEvent } from '../core/agents/agent.ts';
import type { Clock } from '../core/clock.ts';
import type { Media, Step } from '../core/reply.ts';
import type { Secret } from '../secret.ts';
import type { Authority } from './authority.ts';
import type { Base } from './base-url.ts';
import { call } from './client.ts';
import { authorityFor, type SignInContext, type TokenCredential } from './credentials.ts';
import { type Download, download } from './download.ts';
import { callError } from './failure.ts';
import { askAgent } from './gateways/asking.ts';
import type { CredentialKind, Operation } from './operation.ts';
import { isFields } from './shapes.ts';
import type { Page } from './wire/answers.ts';
import type { Progress, Wiring } from './wiring.ts';

/** Credentials of a client. Each operation uses the credential that it requires. */
export interface Credentials {
  readonly apiKey?: Secret | undefined;
  /** Signs in to the lite interface. */
  readonly lite?: TokenCredential | undefined;
  /** Signs in to the Open API. */
  readonly open?: TokenCredential | undefined;
  /**
   * Used only to manage clients of the lite interface. Never stored with the other credentials (platform contract
   * AUT-3).
   */
  readonly adminToken?: Secret | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** The platform account to act as, instead of the credential's own. */
  readonly account?: string;
  /** Called with the progress of an upload. */
  readonly onProgress?: (progress: Progress) => void;
}

type CallArguments<Schema extends z.ZodObject, Result> = readonly [
  operation: Operation<Schema, Result>,
  request: z.input<Schema>,
  options?: CallOptions,
];

/**
 * Calls any operation of the platform, typed by its descriptor. All methods throw a `BridgeError` with a platform
 * code. Before anything is sent, they throw `platform-parameter` if a field of the request is invalid or a limit is
 * exceeded, and `config-invalid` if the required credential is missing. If the signal aborts, they throw its reason.
 */
export interface PlatformClient {
  readonly clock: Clock;
  /** The platform's base address; links from the platform are resolved relative to it. */
  readonly base: Base;
  call<Schema extends z.ZodObject, Result>(...request: CallArguments<Schema, Result>): Promise<Result>;
  /** Yields the pages of a list until the list ends (platform contract GEN-8). */
  pages<Schema extends z.ZodObject, Item>(
    ...request: CallArguments<Schema, Page<Item>>
  ): AsyncGenerator<Page<Item>>;
  /** Calls an operation whose response is a file, and downloads the file. */
  download<Schema extends z.ZodObject>(...request: CallArguments<Schema, unknown>): Promise<Download>;
  /** Returns an access token for other tools; undefined if no credential can obtain one. */
  token(face: 'lite' | 'open', options?: CallOptions): Promise<Secret | undefined>;
  /** Yields the events of an agent's answer as they arrive. */
  ask<Schema extends z.ZodObject>(...request: CallArguments<Schema, unknown>): AsyncIterable<AgentEvent>;
}

export function createClient(
  wiring: Wiring,
  signIn: SignInContext,
  credentials: Credentials,
): PlatformClient {
  const { log } = signIn;
  const fallback = (rule: string): void => log.debug({ rule }, 'tolerated form');
  const never = new AbortController().signal;
  const contextOf = (
    { credential, id }: { credential: CredentialKind; id: string },
    options?: CallOptions,
  ) => ({
    authority: authorityOf(credential, id, { signIn, credentials, account: options?.account }),
    signal: options?.signal ?? never,
    onProgress: options?.onProgress,
  });
  const ask: PlatformClient['ask'] = (operation, request, options) => {
    const { authority, signal } = contextOf(operation, options);
    const asking = { wiring, operation, authority, session: undefined, request: () => request, fallback };
    return askAgent(asking, signal);
  };
  const callOne: PlatformClient['call'] = async (operation, request, options) => {
    for (const advice of adviceOn(operation, request)) log.warn({ operation: operation.id }, advice);
    return operation.answer === 'stream'
      ? operation.response.parse(await wholeAnswerOf(ask(operation, request, options)))
      : call(wiring, operation, request, contextOf(operation, options));
  };
  return {
    clock: wiring.clock,
    base: wiring.base,
    call: callOne,
    pages: (operation, request, options) =>
      pagesOf((pageIndex) => callOne(operation, { ...request, pageIndex }, options), request),
    download: async (operation, request, options) =>
      download(wiring, operation, request, contextOf(operation, options)),
    ask,
    token: async (face, options) => {
      const given = { signIn, credentials, account: options?.account };
      const authority = token(credentials[face], given);
      if (authority?.kind !== 'token') return undefined;
      return (await authority.grants.grant(options?.signal ?? never)).token;
    },
  };
}

/**
 * Returns warnings about a valid request. Returns no warnings for an invalid request, because the attempt to send such
 * a request throws an error anyway.
 */
function adviceOn<Schema extends z.ZodObject>(
  operation: Operation<Schema, unknown>,
  request: z.input<Schema>,
): readonly string[] {
  if (operation.advise === undefined) return [];
  const checked = operation.request.safeParse(request);
  return checked.success ? operation.advise(checked.data) : [];
}

interface Given {
  readonly signIn: SignInContext;
  readonly credentials: Credentials;
  readonly account: string | undefined;
}

function authorityOf(kind: CredentialKind, operation: string, given: Given): Authority {
  const { apiKey, lite, open, adminToken } = given.credentials;
  switch (kind) {
    case 'none':
      return { kind: 'none' };
    case 'api-key':
      return key(apiKey) ?? lacking(operation, kind, 'an API key');
    case 'key-or-bearer':
      return key(apiKey) ?? token(lite, given) ?? lacking(operation, kind, 'an API key or a lite client');
    case 'bearer':
      // A token of either interface gives access to media (platform contract AUT-4).
      return token(lite, given) ?? token(open, given) ?? lacking(operation, kind, 'a lite client');
    case 'open':
      return (
        token(open, given) ?? lacking(operation, kind, 'an Open API client or an identity-provider token')
      );
    case 'admin':
      return adminToken === undefined
        ? lacking(operation, kind, "the administrator's token")
        : { kind: 'fixed', token: adminToken };
  }
}

const key = (apiKey: Secret | undefined): Authority | undefined =>
  apiKey === undefined ? undefined : { kind: 'key', key: apiKey };

const token = (credential: TokenCredential | undefined, { signIn, account }: Given): Authority | undefined =>
  credential === undefined ? undefined : authorityFor(signIn, credential, account);

function lacking(operation: string, credential: CredentialKind, what: string): never {
  throw callError('config-invalid', operation, `${operation} needs ${what}, but none is configured.`, {
    credential,
  });
}

/** Maximum pages of one list, even if the server has more (platform contract GEN-8). */
const MAX_PAGES = 10_000;

/**
 * Yields pages until the known total is reached, a page is empty, or a page starts with the same element as
 * the previous one. A short page does not end the list, because a server may send smaller pages than
 * requested (platform contract GEN-8).
 */
export async function* pagesOf<Item>(
  load: (pageIndex: number) => Promise<Page<Item>>,
  request: Readonly<Record<string, unknown>>,
): AsyncGenerator<Page<Item>, void, undefined> {
  const start = typeof request.pageIndex === 'number' ? request.pageIndex : 1;
  let before: string | undefined;
  let seen: number | undefined;
  for (let index = start; index < start + MAX_PAGES; index += 1) {
    const page = await load(index);
    const first = firstOf(page);
    if (index > start && (first === undefined || first === before)) return;
    yield page;
    before = first;
    seen = (seen ?? (start - 1) * page.pageSize) + page.items.length;
    if (first === undefined || (page.totalKnown && seen >= page.totalCount)) return;
  }
}

/** Returns the id of a page's first element, or the element as JSON if it has no id. */
function firstOf({ items: [first] }: Page<unknown>): string | undefined {
  if (first === undefined) return undefined;
  const id = isFields(first) ? (first.id ?? first.userId) : undefined;
  return JSON.stringify(id ?? first);
}

/** Collects the events of an answer into one value, whether the answer is streamed or not (platform contract DEC-1). */
async function wholeAnswerOf(events: AsyncIterable<AgentEvent>) {
  let text = '';
  const latest: Record<string, unknown> = { sources: [], suggestions: [] };
  const steps = new Map<string, Omit<Step, 'id'>>();
  const media: Media[] = [];
  for await (const event of events) {
    if (event.type === 'text') text = text.slice(0, event.at) + event.text;
    else if (event.type === 'session') latest.session = event.session;
    else if (event.type === 'record') latest.chatRecord = event.chatRecord;
    else if (event.type === 'sources') latest.sources = event.sources;
    else if (event.type === 'suggestions') latest.suggestions = event.suggestions;
    else if (event.type === 'step') {
      const { id, ...step } = event.step;
      steps.set(id, step);
    } else if (event.type === 'media') media.push(event.media);
    else if (event.type === 'end') latest.finishReason = event.reason;
  }
  return { ...latest, text, thoughts: [...steps.values()], media };
}
