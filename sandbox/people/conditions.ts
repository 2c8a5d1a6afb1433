/** Value of a field in a listing. */
export type FieldValue = string | number | boolean | null;

type Test = (held: FieldValue, wanted: string) => boolean;

/** Condition types in the order of their numbers, from 0 (platform contract ENU-22). */
const TESTS = {
  exact: equal,
  fuzzy: contains,
  greater: (held, wanted) => distance(held, wanted) > 0,
  greaterOrEqual: (held, wanted) => distance(held, wanted) >= 0,
  less: (held, wanted) => distance(held, wanted) < 0,
  lessOrEqual: (held, wanted) => distance(held, wanted) <= 0,
  in: oneOf,
  notIn: (held, wanted) => !oneOf(held, wanted),
  leftFuzzy: (held, wanted) => fold(held).startsWith(fold(wanted)),
  rightFuzzy: (held, wanted) => fold(held).endsWith(fold(wanted)),
  notEqual: (held, wanted) => !equal(held, wanted),
  nullOrEmpty: isEmpty,
  notEmpty: (held) => !isEmpty(held),
  notLike: (held, wanted) => !contains(held, wanted),
} satisfies Readonly<Record<string, Test>>;

export type ConditionType = keyof typeof TESTS;

const TYPES = Object.keys(TESTS).filter((name): name is ConditionType => name in TESTS);

/** Returns the condition type of a number; undefined for any other value. */
export const conditionType = (value: unknown): ConditionType | undefined =>
  typeof value === 'number' ? TYPES[value] : undefined;

/** True if a type compares the field with a value. Types 11 and 12 check only the field. */
export const needsValue = (type: ConditionType): boolean => type !== 'nullOrEmpty' && type !== 'notEmpty';

/**
 * True if a field meets a condition. Letter case is ignored; null equals the empty text and is neither
 * greater nor less than any value. These rules are the sandbox's choice, because platform contract ENU-22
 * leaves them open.
 */
export function meets(held: FieldValue, type: ConditionType, wanted: string): boolean {
  const test: Test = TESTS[type];
  return test(held, wanted);
}

/** Compares any two values for sorting. The order is null, false, true, numbers, texts. */
export function compareFields(a: FieldValue, b: FieldValue): number {
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  const byRank = rankOf(a) - rankOf(b);
  return byRank === 0 ? Number(a) - Number(b) : byRank;
}

const rankOf = (value: FieldValue): number =>
  value === null ? 0 : ['boolean', 'number', 'string'].indexOf(typeof value) + 1;

function equal(held: FieldValue, wanted: string): boolean {
  return held === null ? wanted === '' : distance(held, wanted) === 0;
}

function contains(held: FieldValue, wanted: string): boolean {
  return fold(held).includes(fold(wanted));
}

function oneOf(held: FieldValue, wanted: string): boolean {
  return wanted.split(',').some((each) => equal(held, each.trim()));
}

function isEmpty(held: FieldValue): boolean {
  return held === null || held === '';
}

const fold = (value: FieldValue): string => (value === null ? '' : String(value).toLowerCase());

const NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * Returns a negative number, 0 or a positive number if the field is before, equal to or after the value; NaN if they
 * cannot be compared.
 */
function distance(held: FieldValue, wanted: string): number {
  if (held === null) return Number.NaN;
  if (typeof held === 'number')
    return NUMBER.test(wanted.trim()) ? compareFields(held, Number(wanted)) : Number.NaN;
  return compareTexts(String(held), wanted);
}

/**
 * Compares texts: whole numbers by size (as bigints, because ids do not fit a number), then times, then other texts
 * by letters.
 */
function compareTexts(a: string, b: string): number {
  const [left, right] = [kindOf(a), kindOf(b)];
  if (left.rank !== right.rank) return left.rank - right.rank;
  return left.key < right.key ? -1 : left.key > right.key ? 1 : 0;
}

interface Kind {
  readonly rank: number;
  readonly key: bigint | number | string;
}

function kindOf(text: string): Kind {
  if (/^(0|[1-9]\d{0,99})$/.test(text)) return { rank: 0, key: BigInt(text) };
  const instant = instantOf(text);
  return Number.isNaN(instant) ? { rank: 2, key: text.toLowerCase() } : { rank: 1, key: instant };
}

const DATE_TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,7})?)?(Z|[+-]\d\d:\d\d)?)?$/i;

/**
 * Returns the milliseconds of an ISO 8601 date or date-time, in UTC if it has no offset (platform contract GEN-13).
 */
function instantOf(text: string): number {
  const match = DATE_TIME.exec(text);
  if (match === null) return Number.NaN;
  const [, time, , , offset] = match;
  return Date.parse(time !== undefined && offset === undefined ? `${text}Z` : text);
}
