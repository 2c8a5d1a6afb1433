import { z } from 'zod';
import { dialects } from './dialect/names.ts';
import { asFields, type Fields } from './http/json.ts';
import { invalid, type Refusal } from './http/reply.ts';
import { parse, whole } from './http/schema.ts';

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

/** Options that can be changed while the sandbox runs (platform contract FIX-7); docs/sandbox.md describes them. */
const schema = z.strictObject({
  dialect: dialects.prefault({}),
  /** Milliseconds between two word groups of an answer; 0 means without pauses. */
  paceMs: amount(22),
  /** Lifetime of a token of the lite interface, in seconds (platform contract AUT-7). */
  tokenLifeSeconds: amount(7200),
  /** Lifetime of a token of the Open API, in minutes (platform contract AUT-12). */
  openTokenLifeMinutes: amount(1440),
  /** Lifetime of a temporary link to media, in seconds (platform contract MED-3). */
  linkLifeSeconds: amount(300),
  /**
   * Time without questions after which a session is forgotten, in seconds (platform contract STA-7: life of a
   * conversation).
   */
  conversationLifeSeconds: amount(30 * 24 * 3600),
  /**
   * Time after a question during which the references of its answer are still an empty list, in milliseconds (platform
   * contract REF-3: late references).
   */
  referencesDelayMs: amount(0),
  /** True to refuse a signed login whose nonce was used before (platform contract AUT-11). */
  refuseNonceReuse: toggle(true),
  /** True to send media with the last chunk, false to send them before it (platform contract EXP-15: chunks). */
  mediaOnLastChunk: toggle(false),
  /** True to answer an image upload with HTTP status 201 (platform contract IMG-4). */
  uploadCreated: toggle(false),
  /** True to answer a preview with the file's bytes, false to answer with an address (platform contract MED-7). */
  previewBinary: toggle(false),
  /** Maximum requests per minute to all routes together; 0 means no limit (platform contract LIM-11: rates). */
  limitPerMinute: amount(0),
  /** True to record requests, which /__inspect/calls then returns (platform contract FIX-6). */
  inspect: toggle(false),
  /**
   * The deployment's word for its identity provider. It occurs in a path, in `is_{idpWord}` and in `is{IdpWord}`
   * (platform contract GEN-15: vendor's words).
   */
  idpWord: z.string('a string').default('idp'),
  /**
   * Maps people of an identity provider to accounts: the claim `preferred_username` or `upn` of a person's token to a
   * user name. The sandbox reads the claims without verifying the token (platform contract AUT-8).
   */
  idpAccounts: whole(z.record(z.string(), z.string()), 'an object of texts').default({}),
  /**
   * Names of the user field that contains the messaging account, one for each interface (platform contract GEN-15:
   * vendor's words).
   */
  chatAccountField: whole(
    z.strictObject({ lite: memberName, open: memberName }),
    'an object with the keys lite and open; each value is the name of a property',
  ).default({ lite: 'chat_account', open: 'chatAccount' }),
  /**
   * Letter case of the names in a user's details: with initial capitals, or lower camel case (platform contract INC-4).
   */
  userFieldCase: oneOf('capital', 'camel'),
  /**
   * True to send the details of a user or an organization inside an array (platform contract GEN-14: single results).
   */
  wrapSingle: toggle(false),
  adminToken: z.string('a string'),
  /**
   * Deadlines that replace the deadlines of agents' keys, by expert code: a time in ISO 8601, or null for no deadline
   * (platform contract AUT-18, AUT-19).
   */
  keyDeadlines: whole(
    z.record(z.string(), moment.nullable()),
    'a map from expert codes to an ISO 8601 time or to null',
  ).default({}),
  /**
   * Milliseconds for which an uploaded file is in state `waiting`; after that, it is in state `underway` for the same
   * time (platform contract STA-2).
   */
  fileStateMs: amount(300),
  /** True to leave out `success` and `msg` in lists of files (platform contract INC-3). */
  omitSuccessOnFileList: toggle(false),
  /** The `totalCount` that lists of files report (platform contract GEN-8: unknown counts). */
  totalCountMode: oneOf('exact', 'zero', 'minusOne'),
  /**
   * Shape of the items in lists of files. `documented`: as the platform's documentation shows it. `seen`: as some
   * servers were seen to send it, with `fileName` and with ids as numbers (platform contract INC-3).
   */
  fileItemVariant: oneOf('documented', 'seen'),
  /** True to send the metadata of retrieval results as a string of JSON (platform contract RAG-11: results). */
  retrievalMetadataAsText: toggle(false),
  /** True to leave the workspace's name empty in retrieval results (platform contract RAG-11: results). */
  retrievalHidesWorkspaceName: toggle(false),
});

export type Options = z.output<typeof schema>;

export const defaultOptions = (adminToken: string): Options => schema.parse({ adminToken });

/**
 * Changes options. If a name is unknown or a type is wrong, refuses the request and changes no option. All deadlines
 * are replaced together, so that a key without a deadline in the request gets its original deadline back.
 */
export function changeOptions(options: Options, changes: Fields): void {
  const { streamDialect, ...given } = changes;
  const dialect = merged(options.dialect, given.dialect);
  const wanted = {
    ...options,
    ...given,
    dialect:
      streamDialect === undefined ? dialect : merged(asFields(dialect) ?? {}, { stream: streamDialect }),
    chatAccountField: merged(options.chatAccountField, given.chatAccountField),
  };
  Object.assign(options, parse(schema, wanted, refusalOf));
}

/** Returns the object with the given changes. If the changes are no object, returns them, so that they are refused. */
function merged(before: Fields, changes: unknown): unknown {
  if (changes === undefined) return before;
  const fields = asFields(changes);
  return fields === undefined ? changes : { ...before, ...fields };
}

function refusalOf(issue: z.core.$ZodIssue): Refusal {
  if (issue.code !== 'unrecognized_keys')
    return invalid(`The option ${issue.path.join('.')} must be ${issue.message}.`);
  return invalid(`There is no option ${[...issue.path, ...issue.keys.slice(0, 1)].join('.')}.`);
}
