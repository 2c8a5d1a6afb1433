import type { z } from 'zod';
import type { BridgeError } from '../errors.ts';
import type { RETRY } from './retry.ts';
import type { Shape } from './wire/answers.ts';
import type { Deployment } from './wire/deployment.ts';
import type { WireParts } from './wire/parts.ts';

/** The groups of operations, in the order in which the platform's documents tell of them. */
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
 * Credential of a call: none, the lite interface's `api-key` header, a bearer of the lite interface,
 * an Open API token under the scheme in force, or the administrator's token (platform contract AUT-1 to AUT-13).
 */
export type CredentialKind = 'none' | 'api-key' | 'key-or-bearer' | 'bearer' | 'open' | 'admin';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Another form of an operation, tried when a server answers the form before it with one of these statuses. */
export interface Alternative {
  /** 404 counts only without the interface's envelope: with it the route exists and the thing does not. */
  readonly on: readonly number[];
  readonly method?: Method;
  readonly path?: string;
}

/** One form in which a server may accept an operation. */
export interface Form extends Pick<Described, 'method' | 'path' | 'body'> {
  /** True if the form is worth trying after this failure of the previous form. */
  follows(error: BridgeError): boolean;
}

/** Description of an operation in lists, pages and commands. */
export interface Described {
  /** As in the list of operations; the name under which its path can be overridden. */
  readonly id: string;
  readonly capability: Capability;
  /** Its command below the capability's, such as `list`. */
  readonly command: string;
  /** One sentence. */
  readonly doc: string;
  readonly method: Method;
  /** Relative to the base; `{name}` is a parameter, `{idpWord}` the deployment's word (platform contract GEN-15). */
  readonly path: string;
  readonly alternatives?: readonly Alternative[];
  readonly credential: CredentialKind;
  /** `stream`: the answer may be told while it grows; `bytes`: content of any type. */
  readonly answer: 'json' | 'stream' | 'bytes';
  readonly retry: keyof typeof RETRY;
  /** Encoding of the body; a GET has none. */
  readonly body: 'none' | 'json' | 'form';
  /** It cannot be undone. */
  readonly destroys?: true;
  /** Shape of its result: one item, a list, a page of a list, or nothing. */
  readonly shape: Shape;
}

/** One operation of the platform, described once: its call, command, page and contract test come from here. */
export interface Operation<Schema extends z.ZodObject, Result> extends Described {
  /** The members of a request with how each travels; see `wire/facts.ts`. */
  readonly request: Schema;
  readonly response: z.ZodType<Result>;
  /** From the JSON body of a success to what `response` checks; tolerant of every documented variant. */
  read(body: unknown, deployment: Deployment): unknown;
  /** Warnings about a request that is allowed but unlikely to be intended. */
  advise?(request: z.output<Schema>): readonly string[];
  /** Changes for a deployment that differs from the documents. */
  adapt?(parts: WireParts, deployment: Deployment): WireParts;
}

/** An operation of whatever request and result, for lists. */
export type AnyOperation = Operation<z.ZodObject, unknown>;

/** Members that an operation takes from its capability and its method unless it states them. */
type Derived = 'capability' | 'credential' | 'answer' | 'retry' | 'body';

type Stated<Schema extends z.ZodObject, Result> = Omit<Operation<Schema, Result>, Derived> &
  Partial<Pick<Described, Derived>>;

/**
 * Returns the function that defines the operations of one capability. They answer with JSON. A GET has no body and is
 * repeated after a failure; every other method sends JSON and is not repeated. An operation states its exceptions.
 */
export function operationsOf(capability: Capability, credential: CredentialKind) {
  return <Schema extends z.ZodObject, Result>(stated: Stated<Schema, Result>): Operation<Schema, Result> => {
    const reads = stated.method === 'GET';
    return {
      capability,
      credential,
      answer: 'json',
      retry: reads ? 'read' : 'never',
      body: reads ? 'none' : 'json',
      ...stated,
    };
  };
}
