import type { z } from 'zod';
import { CHAT_RULE, NEVER, READ_RULE, type RetryRule } from './retry.ts';
import type { FormPart } from './transport.ts';

export type Capability = 'sign-in' | 'chat' | 'images' | 'media' | 'experts' | 'references';

/**
 * What a call proves itself with: nothing, the lite interface's `api-key` header, a bearer of the lite interface,
 * or an Open API token under the scheme in force (platform contract AUT-1 to AUT-13).
 */
export type CredentialKind = 'none' | 'api-key' | 'key-or-bearer' | 'bearer' | 'open';

/** Where the members of a request go. */
export interface WireParts {
  /** Values of the path's parameters. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: readonly FormPart[];
}

/** One operation of the platform, described once: its call, command, page and contract test come from here. */
export interface Operation<Request, Result> {
  /** As in the list of operations; the name under which its path can be overridden. */
  readonly id: string;
  readonly capability: Capability;
  /** One sentence. */
  readonly doc: string;
  readonly method: 'GET' | 'POST';
  /** Relative to the base; `{name}` is a parameter, `{idpWord}` the deployment's word (platform contract GEN-15). */
  readonly path: string;
  readonly credential: CredentialKind;
  /** `stream`: the answer may be told while it grows; `bytes`: content of any type. */
  readonly answer: 'json' | 'stream' | 'bytes';
  readonly retry: 'read' | 'chat' | 'never';
  readonly request: z.ZodType<Request>;
  readonly response: z.ZodType<Result>;
  wire(request: Request): WireParts;
  /** From the JSON body of a success to what `response` checks; tolerant of every documented variant. */
  read(body: unknown): unknown;
}

/** An operation of whatever request and result, for lists. */
export type AnyOperation = Pick<
  Operation<never, unknown>,
  'id' | 'capability' | 'doc' | 'method' | 'path' | 'credential' | 'answer' | 'retry'
> & { readonly request: z.ZodType; readonly response: z.ZodType };

export function defineOperation<Request, Result>(
  operation: Operation<Request, Result>,
): Operation<Request, Result> {
  return operation;
}

export function retryRule(operation: Pick<AnyOperation, 'retry'>): RetryRule {
  if (operation.retry === 'never') return NEVER;
  return operation.retry === 'chat' ? CHAT_RULE : READ_RULE;
}

/** The path with its parameters, percent-encoded, and its query (platform contract GEN-17). */
export function fillPath(path: string, parts: WireParts): string {
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = parts.path?.[name] ?? '';
    // "." and ".." survive percent-encoding and would walk up the path.
    if (value === '' || /^\.{1,2}$/.test(value))
      throw new RangeError(`The path parameter ${name} has no usable value.`);
    return encodeURIComponent(value);
  });
  const query = Object.entries(parts.query ?? {}).map(
    ([k, v]) => `${encodeURIComponent(k)}=${encodeURIComponent(v)}`,
  );
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}
