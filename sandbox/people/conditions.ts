/** Value of a field in a listing. */
export type FieldValue = string | number | boolean | null;

type Test = (held: FieldValue, wanted: string) => boolean;

/** Types of conditions, in the order of their numbers from 0 (platform contract ENU-22: conditions). */
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

/** Returns the type of condition that has this number; undefined if none has. */
export const conditionType = (value: unknown): ConditionType | undefined =>
  typeof value === 'number' ? TYPES[value] : undefined;

/**
 * True if the field meets the condition. Letter case does not matter. Null equals an empty text, and is neither greater
 * nor less than any value. These rules are the sandbox's choice, because the platform's documentation leaves them open
 * (ENU-22).
 */
export function meets(held: FieldValue, type: ConditionType, wanted: string): boolean {
  const test: Test = TESTS[type];
  return test(held, wanted);
}

/** Compares two values of any type, for sorting. The order is null, false, true, numbers, texts. */
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
 * Returns a negative number, 0 or a positive number if the field is less than, equal to or greater than the value; NaN
 * if the two cannot be compared.
 */
function distance(held: FieldValue, wanted: string): number {
  if (held === null) return Number.NaN;
  if (typeof held === 'number')
    return NUMBER.test(wanted.trim()) ? compareFields(held, Number(wanted)) : Number.NaN;
  return compareTexts(String(held), wanted);
}

/**
 * Compares texts. Whole numbers come first, then times, then all other texts. Whole numbers are compared by size, as
 * bigints, because ids exceed the exact range of numbers. Other texts are compared without regard to letter case.
 */
function compareTexts(a: string, b: string): number {
  const [left, right] = [kindOf(a), kindOf(b)];
  if (left.rank !== right.rank) return left.rank - right.rank;
  return left.key < right.key ? -1 : left.key > right.key ? 1 : 0;
}

function kindOf(text: string): { readonly rank: number; readonly key: bigint | number | string } {
  if (/^(0|[1-9]\d{0,99})$/.test(text)) return { rank: 0, key: BigInt(text) };
  const instant = instantOf(text);
  return instant === undefined ? { rank: 2, key: text.toLowerCase() } : { rank: 1, key: instant };
}

const DATE_TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,7})?)?(Z|[+-]\d\d:\d\d)?)?$/i;

/**
 * Returns a date or date-time of ISO 8601 in milliseconds since the epoch. A date-time without an offset counts as UTC
 * (platform contract GEN-13: date-times). Returns undefined for another text.
 */
export function instantOf(text: string): number | undefined {
  const match = DATE_TIME.exec(text);
  const [, time, , , offset] = match ?? [];
  const instant = Date.parse(time !== undefined && offset === undefined ? `${text}Z` : text);
  return match === null || Number.isNaN(instant) ? undefined : instant;
}
