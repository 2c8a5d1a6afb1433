import { DIALECTS, type Dialect, plainDialect } from './dialect/names.ts';
import { asFields, type Fields } from './http/fields.ts';
import { invalid } from './http/refusal.ts';

export type UserFieldCase = 'capital' | 'camel';

/** Options whose values are words of a list. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  userFieldCase: ['capital', 'camel'],
  totalCountMode: ['exact', 'zero', 'minusOne'],
  fileItemVariant: ['documented', 'seen'],
};

/** What can be changed while the sandbox runs (platform contract FIX-7); see docs/sandbox.md. */
export interface Options {
  dialect: Dialect;
  /** Milliseconds between two groups of words; 0 writes without waiting. */
  paceMs: number;
  /** Life of a lite access token, in seconds (platform contract AUT-7). */
  tokenLifeSeconds: number;
  /** Life of an Open API access token, in minutes (platform contract AUT-12). */
  openTokenLifeMinutes: number;
  /** Life of a temporary media link, in seconds (platform contract MED-3). */
  linkLifeSeconds: number;
  /** Idle life of a session, in seconds (platform contract STA-7). */
  conversationLifeSeconds: number;
  /** How long references are empty after the answer, in milliseconds (platform contract REF-3). */
  referencesDelayMs: number;
  /** Refuse a nonce that was used before (platform contract AUT-11). */
  refuseNonceReuse: boolean;
  /** Send medias with the last chunk instead of before it (platform contract EXP-15). */
  mediaOnLastChunk: boolean;
  /** Answer an image upload with HTTP 201 (platform contract IMG-4). */
  uploadCreated: boolean;
  /** Answer a preview with bytes instead of an address (platform contract MED-7). */
  previewBinary: boolean;
  /** Requests a minute over all routes, 0 for no limit (platform contract LIM-11). */
  limitPerMinute: number;
  /** Record the requests for /__inspect/calls (platform contract FIX-6). */
  inspect: boolean;
  /** The deployment's word for its identity provider: in a path, in `is_{idpWord}`, `is{IdpWord}` (platform contract GEN-15). */
  idpWord: string;
  /** The deployment's names of the messaging account, in the lite interface and in the Open API (platform contract GEN-15). */
  chatAccountField: { lite: string; open: string };
  /** Initial capitals or lower camel case in the details of a user (platform contract INC-4). */
  userFieldCase: UserFieldCase;
  /** Send the details of a user or an organization as an array with one element (platform contract GEN-14). */
  wrapSingle: boolean;
  adminToken: string;
  /** When keys end, by expert code: a moment in ISO 8601, or null for never (platform contract AUT-18, AUT-19). */
  keyDeadlines: Readonly<Record<string, string | null>>;
  /** How long a file stays waiting, and then underway, in milliseconds (platform contract STA-2). */
  fileStateMs: number;
  /** Leave `success` and `msg` out of file listings (platform contract INC-3). */
  omitSuccessOnFileList: boolean;
  /** What file listings tell as their total (platform contract GEN-8). */
  totalCountMode: 'exact' | 'zero' | 'minusOne';
  /** Items of file listings as documented, or as seen elsewhere: `fileName` and ids as numbers (platform contract INC-3). */
  fileItemVariant: 'documented' | 'seen';
  /** Send the metadata of retrieval results as JSON in a string (platform contract RAG-11). */
  retrievalMetadataAsText: boolean;
  /** Leave the workspace name of retrieval results empty (platform contract RAG-11). */
  retrievalHidesWorkspaceName: boolean;
}

export function defaultOptions(adminToken: string): Options {
  return {
    dialect: { ...plainDialect },
    paceMs: 22,
    tokenLifeSeconds: 7200,
    openTokenLifeMinutes: 1440,
    linkLifeSeconds: 300,
    conversationLifeSeconds: 30 * 24 * 3600,
    referencesDelayMs: 0,
    refuseNonceReuse: true,
    mediaOnLastChunk: false,
    uploadCreated: false,
    previewBinary: false,
    limitPerMinute: 0,
    inspect: false,
    idpWord: 'idp',
    chatAccountField: { lite: 'chat_account', open: 'chatAccount' },
    userFieldCase: 'capital',
    wrapSingle: false,
    adminToken,
    keyDeadlines: {},
    fileStateMs: 300,
    omitSuccessOnFileList: false,
    totalCountMode: 'exact',
    fileItemVariant: 'documented',
    retrievalMetadataAsText: false,
    retrievalHidesWorkspaceName: false,
  };
}

/** Takes over the known members of `changes`; a wrong name or type is refused and nothing changes. */
export function changeOptions(options: Options, changes: Fields): void {
  const { streamDialect, dialect, chatAccountField = {}, keyDeadlines, ...plain } = changes;
  const wantedDialect = {
    ...asFields(dialect),
    ...(streamDialect === undefined ? {} : { stream: streamDialect }),
  };
  if (dialect !== undefined && asFields(dialect) === undefined) throw invalid('dialect must be an object.');
  for (const [name, value] of Object.entries(plain)) checkPlain(options, name, value);
  for (const [part, value] of Object.entries(wantedDialect)) checkDialect(part, value);
  const names = memberNames(chatAccountField);
  const deadlines = keyDeadlines === undefined ? options.keyDeadlines : momentsOf(keyDeadlines);
  Object.assign(options, plain, { keyDeadlines: deadlines });
  Object.assign(options.dialect, wantedDialect);
  Object.assign(options.chatAccountField, names);
}

function memberNames(value: unknown): Readonly<Record<string, string>> {
  const names = Object.entries(asFields(value) ?? { '': value });
  return Object.fromEntries(
    names.map(([face, name]) => {
      if ((face !== 'lite' && face !== 'open') || typeof name !== 'string' || !/^[A-Za-z]\w*$/.test(name)) {
        throw invalid('chatAccountField must be an object with names of members as lite or open.');
      }
      return [face, name];
    }),
  );
}

const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,7})?)?(Z|[+-]\d\d:\d\d))?$/;

/** All deadlines at once: those that are left out are the keys' own again. */
function momentsOf(value: unknown): Options['keyDeadlines'] {
  const moments = asFields(value);
  const wrong = 'keyDeadlines must be an object of expert codes, each with an ISO 8601 moment, or null.';
  if (moments === undefined) throw invalid(wrong);
  return Object.fromEntries(
    Object.entries(moments).map(([code, moment]) => {
      if (moment !== null && !isMoment(moment)) throw invalid(wrong);
      return [code, moment];
    }),
  );
}

const isMoment = (value: unknown): value is string =>
  typeof value === 'string' && MOMENT.test(value) && !Number.isNaN(Date.parse(value));

function checkPlain(options: Options, name: string, value: unknown): void {
  if (!Object.hasOwn(options, name)) throw invalid(`There is no option ${name}.`);
  const kind = typeof Reflect.get(options, name);
  const fits = kind === 'number' ? typeof value === 'number' && value >= 0 : typeof value === kind;
  if (!fits) throw invalid(`The option ${name} must be a ${kind}.`);
  const choices = Object.hasOwn(CHOICES, name) ? CHOICES[name] : undefined;
  if (choices !== undefined && !choices.some((choice) => choice === value)) {
    throw invalid(`The option ${name} must be one of ${choices.join(', ')}.`);
  }
}

function checkDialect(part: string, value: unknown): void {
  const variants = Object.entries(DIALECTS).find(([name]) => name === part)?.[1];
  if (variants === undefined) throw invalid(`There is no dialect.${part}.`);
  if (!variants.some((variant) => variant === value)) {
    throw invalid(`dialect.${part} must be one of ${variants.join(', ')}.`);
  }
}
