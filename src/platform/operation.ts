import type { z } from 'zod';
import type { BridgeError } from '../errors.ts';
import type { RETRY } from './retry.ts';
import type { Shape } from './wire/answers.ts';
import type { Deployment } from './wire/deployment.ts';
import type { WireParts } from './wire/parts.ts';

/** The groups of operations, in the order of the platform's documentation. */
export const CAPABILITIES = {
  auth: 'Authentication',
  chat: 'Lite chat',
  images: 'Images',
  clients: 'Clients',
  media: 'Media',
  lite: 'Lite administration',
  experts: 'Expert chat',
  references: 'References',
  bots: 'Bots',
  files: 'Files',
  qna: 'Question-answer pairs',
  retrieval: 'Retrieval',
  workspaces: 'Workspaces',
  types: 'Workspace types',
  users: 'Users',
  roles: 'Roles',
  orgs: 'Organizations',
} as const;

export type Capability = keyof typeof CAPABILITIES;

/**
 * Credential of a call: none; the `api-key` header of the lite interface; either that header or a bearer token; a
 * bearer token of the lite interface; an Open API token under the scheme in use; or the administrator's token
 * (platform contract AUT-1 to AUT-13).
 */
export type CredentialKind = 'none' | 'api-key' | 'key-or-bearer' | 'bearer' | 'open' | 'admin';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * An alternative method or path of an operation. It is tried if the server responds to the previous variant with a
 * status in `on`.
 */
export interface Alternative {
  /**
   * Statuses that mean that the server does not support the previous variant. A 404 inside the platform's envelope
   * does not count, because the route exists and only the requested item is missing.
   */
  readonly on: readonly number[];
  readonly method?: Method;
  readonly path?: string;
}

/** One variant of an operation's method, path and body that a server may accept. */
export interface Form extends Pick<Described, 'method' | 'path' | 'body'> {
  /** True if this variant should be tried after the previous one failed with this error. */
  follows(error: BridgeError): boolean;
}

/** The description of an operation, for lists, documentation pages and commands. */
export interface Described {
  /** The operation's name in the platform contract and in the setting `platform.paths`. */
  readonly id: string;
  readonly capability: Capability;
  /** The command's name within its capability, such as `list`. */
  readonly command: string;
  /** Description in one sentence. */
  readonly doc: string;
  readonly method: Method;
  /**
   * Path relative to the platform's base address. `{name}` is a parameter; `{idpWord}` is the deployment's word for
   * the identity provider (platform contract GEN-15).
   */
  readonly path: string;
  readonly alternatives?: readonly Alternative[];
  readonly credential: CredentialKind;
  /** Format of the response: `stream` may arrive in pieces; `bytes` is content of any type. */
  readonly answer: 'json' | 'stream' | 'bytes';
  readonly retry: keyof typeof RETRY;
  /** Encoding of the body; a GET has none. */
  readonly body: 'none' | 'json' | 'form';
  /** Set if the operation removes something and cannot be undone. Its command asks for confirmation. */
  readonly destroys?: true;
  /**
   * What proves that the operation was carried out: `success` or `code` in the envelope of an operation that changes
   * something (platform contract GEN-3, GEN-4); otherwise its result.
   */
  readonly confirmedBy: 'success' | 'code' | 'result';
  /** Shape of the result: one item, a list, a page of a list, or nothing. */
  readonly shape: Shape;
}

/**
 * One operation of the platform. Its call, command, documentation page and contract test are derived from this
 * description.
 */
export interface Operation<Schema extends z.ZodObject, Result> extends Described {
  /** The fields of a request; `wire/facts.ts` describes their wire format. */
  readonly request: Schema;
  readonly response: z.ZodType<Result>;
  /** Description of one item of the response as the wire has it; absent if `read` converts the response itself. */
  readonly item?: z.ZodType;
  /**
   * Converts the JSON body of a success into the value that `response` checks. Accepts every documented variant of
   * the body.
   */
  read(body: unknown, deployment: Deployment): unknown;
  /** Returns warnings about a request that is allowed but probably a mistake. */
  advise?(request: z.output<Schema>): readonly string[];
  /** Changes the request for a deployment that does not behave as the platform's documentation says. */
  adapt?(parts: WireParts, deployment: Deployment): WireParts;
}

/** An operation with any request and result, for lists. */
export type AnyOperation = Operation<z.ZodObject, unknown>;

/** Properties that follow from the capability and the method, unless the operation sets them itself. */
type Derived = 'capability' | 'credential' | 'answer' | 'retry' | 'body' | 'confirmedBy';

type Stated<Schema extends z.ZodObject, Result> = Omit<Operation<Schema, Result>, Derived> &
  Partial<Pick<Described, Derived>>;

/**
 * Returns a function that defines operations of one capability. By default, an operation answers with JSON; a GET has
 * no body and is repeated after a failure; any other method sends JSON and is never repeated. In the Open API,
 * `success` must confirm what is never repeated. Each operation can override these defaults.
 */
export function operationsOf(capability: Capability, credential: CredentialKind) {
  return <Schema extends z.ZodObject, Result>(stated: Stated<Schema, Result>): Operation<Schema, Result> => {
    const reads = stated.method === 'GET';
    return {
      capability,
      credential,
      answer: 'json',
      retry: reads ? 'read' : 'never',
      confirmedBy: reads || stated.retry !== undefined || credential !== 'open' ? 'result' : 'success',
      body: reads ? 'none' : 'json',
      ...stated,
    };
  };
}
