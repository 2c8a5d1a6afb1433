import { z } from 'zod';
import { DIALECTS, type Dialect, plainDialect } from './dialect/names.ts';
import { asFields, type Fields } from './http/json.ts';
import { invalid } from './http/reply.ts';

const amount = (value: number) => z.number('a number').min(0, 'a number').default(value);
const toggle = (value: boolean) => z.boolean('a boolean').default(value);
const oneOf = <Word extends string>(first: Word, ...others: readonly Word[]) => {
  const error = ({ input }: { readonly input?: unknown }) =>
    typeof input === 'string' ? `one of ${[first, ...others].join(', ')}` : 'a string';
  return z.enum([first, ...others], { error }).default(first);
};
const memberName = z.string().regex(/^[A-Za-z]\w*$/);
const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,7})?)?(Z|[+-]\d\d:\d\d))?$/;
const moment = z.string().refine((text) => MOMENT.test(text) && !Number.isNaN(Date.parse(text)));

/** Options that can be changed while the sandbox runs (platform contract FIX-7); see docs/sandbox.md. */
const schema = z.object({
  dialect: z.custom<Dialect>().default({ ...plainDialect }),
  /** Milliseconds between two groups of words; 0 writes without waiting. */
  paceMs: amount(22),
  /** Life of a lite access token, in seconds (platform contract AUT-7). */
  tokenLifeSeconds: amount(7200),
  /** Life of an Open API access token, in minutes (platform contract AUT-12). */
  openTokenLifeMinutes: amount(1440),
  /** Life of a temporary media link, in seconds (platform contract MED-3). */
  linkLifeSeconds: amount(300),
  /** Idle life of a session, in seconds (platform contract STA-7). */
  conversationLifeSeconds: amount(30 * 24 * 3600),
  /** Milliseconds after a question for which the references of its answer are empty (platform contract REF-3). */
  referencesDelayMs: amount(0),
  /** True to refuse a nonce that was used before (platform contract AUT-11). */
  refuseNonceReuse: toggle(true),
  /** True to send media with the last chunk instead of before it (platform contract EXP-15). */
  mediaOnLastChunk: toggle(false),
  /** True to answer an image upload with HTTP 201 (platform contract IMG-4). */
  uploadCreated: toggle(false),
  /** True to answer a preview with bytes instead of an address (platform contract MED-7). */
  previewBinary: toggle(false),
  /** Maximum number of requests per minute over all routes; 0 for no limit (platform contract LIM-11). */
  limitPerMinute: amount(0),
  /** True to record the requests for /__inspect/calls (platform contract FIX-6). */
  inspect: toggle(false),
  /**
   * Deployment's word for its identity provider, used in a path, in `is_{idpWord}` and in `is{IdpWord}` (platform
   * contract GEN-15).
   */
  idpWord: z.string('a string').default('idp'),
  /**
   * Deployment's names of the messaging account in the lite interface and in the Open API (platform contract GEN-15).
   */
  chatAccountField: z
    .object({ lite: memberName, open: memberName })
    .default({ lite: 'chat_account', open: 'chatAccount' }),
  /**
   * Names of the members in the details of a user: with initial capitals, or in lower camel case (platform
   * contract INC-4).
   */
  userFieldCase: oneOf('capital', 'camel'),
  /**
   * True to send the details of a user or an organization as an array with one element (platform contract
   * GEN-14).
   */
  wrapSingle: toggle(false),
  adminToken: z.string('a string'),
  /** Deadlines of keys by expert code: a time in ISO 8601, or null for none (platform contract AUT-18, AUT-19). */
  keyDeadlines: z.record(z.string(), moment.nullable()).default({}),
  /** Milliseconds that a file stays in state `waiting`, and then in state `underway` (platform contract STA-2). */
  fileStateMs: amount(300),
  /** True to omit `success` and `msg` in file listings (platform contract INC-3). */
  omitSuccessOnFileList: toggle(false),
  /** Total count that file listings report (platform contract GEN-8). */
  totalCountMode: oneOf('exact', 'zero', 'minusOne'),
  /**
   * Items of file listings as documented, or as seen on servers: `fileName` and ids as numbers (platform contract
   * INC-3).
   */
  fileItemVariant: oneOf('documented', 'seen'),
  /** True to send the metadata of retrieval results as JSON in a string (platform contract RAG-11). */
  retrievalMetadataAsText: toggle(false),
  /** True to send retrieval results with an empty workspace name (platform contract RAG-11). */
  retrievalHidesWorkspaceName: toggle(false),
});

export type Options = z.output<typeof schema>;

export const defaultOptions = (adminToken: string): Options => schema.parse({ adminToken });

const names = schema.shape.chatAccountField.unwrap().partial().strict();
const DEADLINES = 'keyDeadlines must map expert codes to ISO 8601 times, or be null.';

/** Applies `changes`. Refuses an unknown name or a wrong type without changing any option. */
export function changeOptions(options: Options, changes: Fields): void {
  const {
    streamDialect,
    dialect,
    chatAccountField = {},
    keyDeadlines = options.keyDeadlines,
    ...plain
  } = changes;
  const wantedDialect = {
    ...asFields(dialect),
    ...(streamDialect === undefined ? {} : { stream: streamDialect }),
  };
  if (dialect !== undefined && asFields(dialect) === undefined) throw invalid('dialect must be an object.');
  for (const [name, value] of Object.entries(plain)) checkPlain(name, value);
  for (const [part, value] of Object.entries(wantedDialect)) checkDialect(part, value);
  const accountNames = names.safeParse(chatAccountField);
  if (!accountNames.success)
    throw invalid(
      'chatAccountField must be an object with the keys lite and open; each value is the name of a member.',
    );
  // All deadlines are replaced together: a key that is not listed gets its own deadline back.
  const deadlines = schema.shape.keyDeadlines.safeParse(keyDeadlines);
  if (!deadlines.success) throw invalid(DEADLINES);
  Object.assign(options, plain, { keyDeadlines: deadlines.data });
  Object.assign(options.dialect, wantedDialect);
  Object.assign(options.chatAccountField, accountNames.data);
}

function checkPlain(name: string, value: unknown): void {
  const member = Object.entries(schema.shape).find(([known]) => known === name)?.[1];
  if (member === undefined) throw invalid(`There is no option ${name}.`);
  const [issue] = member.safeParse(value).error?.issues ?? [];
  if (issue !== undefined) throw invalid(`The option ${name} must be ${issue.message}.`);
}

function checkDialect(part: string, value: unknown): void {
  const variants = Object.entries(DIALECTS).find(([name]) => name === part)?.[1];
  if (variants === undefined) throw invalid(`There is no dialect.${part}.`);
  if (!variants.some((variant) => variant === value)) {
    throw invalid(`dialect.${part} must be one of ${variants.join(', ')}.`);
  }
}
