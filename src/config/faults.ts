import { z } from 'zod';
import { editDistance } from '../core/agents/routing.ts';
import { BridgeError } from '../errors.ts';
import { type Fault, type Tree, valueAt } from '../settings/tree.ts';

/** A fault and where it is: a position such as `parley.yaml:3:5`, a variable's name, or the name of a missing file. */
export interface PlacedFault extends Fault {
  readonly place: string;
}

/** Value that a file contains, or the faults of the file. */
export interface CheckedFile<Value> {
  /** Absent if the file has faults. */
  readonly value?: Value;
  /** Number of rules or people in the file. */
  readonly count?: number;
  /** SHA-256 of the file's bytes; absent if the file has faults. */
  readonly digest?: string | undefined;
  readonly faults: readonly PlacedFault[];
}

/** Maximum edit distance at which an unknown name counts as a misspelling of a known one. */
const SLIP = 3;

/** How a message describes an unknown name. */
export const UNKNOWN = 'is not a setting';

/** First word of the message of an issue about unknown keys. The keys that the schema knows follow it. */
const KNOWN = 'known:';

/** Checks settings. The result is for `faultsOf`. */
export const check = <Schema extends z.ZodType>(schema: Schema, tree: unknown) =>
  schema.safeParse(tree, {
    error: ({ code, inst }) =>
      code === 'unrecognized_keys' && inst instanceof z.core.$ZodObject
        ? [KNOWN, ...Object.keys(inst._zod.def.shape)].join(' ')
        : undefined,
  });

/**
 * Converts an issue from `check` into faults. An issue about several unknown keys becomes one fault for each key.
 * @param tree the settings that were given
 */
export function faultsOf(issue: z.core.$ZodIssue, tree: Tree): readonly Fault[] {
  if (issue.code === 'unrecognized_keys') {
    const [mark, ...names] = issue.message.split(' ');
    const known = mark === KNOWN ? names : [];
    return issue.keys.map((key) => unknownKey([...issue.path, key], known));
  }
  const branch = issue.code === 'invalid_union' ? nearestBranch(issue) : undefined;
  if (branch !== undefined) {
    return branch.flatMap((inner) => faultsOf({ ...inner, path: [...issue.path, ...inner.path] }, tree));
  }
  return [plainFault(issue, valueAt(tree, issue.path))];
}

function unknownKey(path: readonly PropertyKey[], known: readonly string[]): Fault {
  const near = nearest(String(path.at(-1)), known);
  const list = known.length === 0 ? 'Remove the line.' : `Known settings here: ${known.join(', ')}.`;
  const cure = near === undefined ? list : `Did you mean "${near}"?`;
  return { path, what: UNKNOWN, cure };
}

/**
 * Finds the branch of a union that accepts this kind of value, and returns the branch's issues. Returns undefined
 * unless there is exactly one such branch.
 */
function nearestBranch(issue: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] | undefined {
  const fitting = issue.errors.filter((branch) => !branch.some(isWrongKind));
  return fitting.length === 1 ? fitting[0] : undefined;
}

const isWrongKind = (issue: z.core.$ZodIssue): boolean =>
  issue.code === 'invalid_type' && issue.path.length === 0;

function plainFault(issue: z.core.$ZodIssue, value: unknown): Fault {
  const at = { path: issue.path };
  if (value === undefined) return { ...at, what: 'is missing', cure: `Add it: ${wanted(issue)}.` };
  if (issue.code === 'custom') return { ...at, what: issue.message, cure: cureOf(issue.params) };
  if (issue.code === 'invalid_key') {
    const cure = 'Use 1 to 40 lower-case letters, digits, dots and dashes.';
    return { ...at, what: 'is not a valid name', cure };
  }
  // A number may be a secret without its quotation marks, so the value is not printed.
  const what = mayBeNumber(issue) ? 'is not a text' : `is ${display(value)}`;
  return { ...at, what, cure: `Give ${wanted(issue)}.` };
}

/** True for the issue of a secret that is not written as a text. */
const mayBeNumber = (issue: z.core.$ZodIssue): boolean =>
  issue.code === 'invalid_union' && !('options' in issue) && !issue.message.startsWith('must be');

function cureOf(params: Readonly<Record<string, unknown>> | undefined): string {
  return typeof params?.cure === 'string' ? params.cure : 'Correct it.';
}

function wanted(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return expected(issue.expected);
    case 'invalid_value':
      return issue.values.length === 1 ? String(issue.values[0]) : `one of ${issue.values.join(', ')}`;
    case 'invalid_union':
      return 'options' in issue && issue.options !== undefined
        ? `one of ${issue.options.map(String).join(', ')}`
        : issue.message.startsWith('must be')
          ? sentence(issue)
          : 'a text, { env: NAME } or { file: path }';
    case 'too_small':
      return `at least ${issue.minimum}${counted(issue.origin)}`;
    case 'too_big':
      return `at most ${issue.maximum}${counted(issue.origin)}`;
    default:
      return sentence(issue);
  }
}

function sentence({ message }: z.core.$ZodIssue): string {
  if (message.startsWith('must be ')) return message.slice('must be '.length);
  return message.startsWith('must ') ? `a value that ${message}` : `a correct value (${message})`;
}

const counted = (origin: string): string =>
  origin === 'string' ? ' characters' : origin === 'array' ? ' entries' : '';

const KINDS: Readonly<Record<string, string>> = {
  object: 'a group of settings (indented lines such as "name: value")',
  record: 'a group of named entries (indented lines)',
  array: 'a list (lines that begin with a dash)',
  string: 'a text',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
};
const expected = (kind: string): string => KINDS[kind] ?? kind;

/**
 * Minimum length of a text that may be a secret key, in UTF-16 units. A shorter text is more likely a typing error,
 * which the message should show.
 */
const KEY_LENGTH = 16;

/**
 * True for a long word of letters and digits, which may be a key or token, and for an address with a password before
 * its host.
 */
function mayBeSecret(text: string): boolean {
  if (/\/\/[^/]*@/.test(text)) return true;
  const words = text.split(/[\s/:]+/);
  return words.some((word) => word.length >= KEY_LENGTH && /\d/.test(word) && /[a-z]/i.test(word));
}

function shownText(text: string): string {
  if (text === '') return 'blank';
  // People put keys into wrong variables and then share this message, so a possible secret is not shown.
  if (mayBeSecret(text)) return `a text of ${text.length} characters, which may be a secret and is not shown`;
  return `"${text.slice(0, 60)}"`;
}

function display(value: unknown): string {
  if (typeof value === 'string') return shownText(value);
  if (value === null) return 'empty';
  return typeof value === 'object'
    ? Array.isArray(value)
      ? 'a list'
      : 'a group of settings'
    : String(value);
}

/** Returns the known word that is most similar to the written one; undefined if none is similar enough. */
export function nearest(written: string, known: readonly string[]): string | undefined {
  const bound = Math.min(SLIP, Math.ceil(written.length / 2));
  const ranked = known
    .map((word) => ({ word, far: editDistance(written.toLowerCase(), word.toLowerCase()) }))
    .sort((one, other) => one.far - other.far);
  const best = ranked[0];
  return best !== undefined && best.far <= bound ? best.word : undefined;
}

/** Returns one error that lists all faults. If all faults have the same code, the error has this code. */
export function configError(faults: readonly PlacedFault[]): BridgeError {
  const first = faults[0]?.code;
  const code =
    first !== undefined && faults.every((fault) => fault.code === first) ? first : 'config-invalid';
  const lines = faults.map((fault) => `  ${faultLine(fault)}`);
  const title =
    faults.length === 1
      ? 'The configuration has an error:'
      : `The configuration has ${faults.length} errors:`;
  const error = new BridgeError(code, [title, ...lines].join('\n'), { facts: { faults: faults.length } });
  listed.set(error, faults);
  return error;
}

export const faultLine = ({ place, subject, path, what, cure }: PlacedFault): string =>
  `${place}: ${subject ?? path.join('.')} ${what}. ${cure}`;

const listed = new WeakMap<BridgeError, readonly PlacedFault[]>();

/** Returns the faults of an error from `configError`; an empty list for any other error. */
export const faultsIn = (error: BridgeError): readonly PlacedFault[] => listed.get(error) ?? [];
