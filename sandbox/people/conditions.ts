/** What a listed field may hold. */
export type FieldValue = string | number | boolean | null;

/** The numbers of platform contract ENU-22, by what they mean. */
export const CONDITION_TYPES = {
  exact: 0,
  fuzzy: 1,
  greater: 2,
  greaterOrEqual: 3,
  less: 4,
  lessOrEqual: 5,
  in: 6,
  notIn: 7,
  leftFuzzy: 8,
  rightFuzzy: 9,
  notEqual: 10,
  nullOrEmpty: 11,
  notEmpty: 12,
  notLike: 13,
} as const;

export type ConditionType = (typeof CONDITION_TYPES)[keyof typeof CONDITION_TYPES];

type Test = (held: FieldValue, wanted: string) => boolean;

const TESTS: Readonly<Record<ConditionType, Test>> = {
  0: equal,
  1: contains,
  2: (held, wanted) => distance(held, wanted) > 0,
  3: (held, wanted) => distance(held, wanted) >= 0,
  4: (held, wanted) => distance(held, wanted) < 0,
  5: (held, wanted) => distance(held, wanted) <= 0,
  6: oneOf,
  7: (held, wanted) => !oneOf(held, wanted),
  8: (held, wanted) => fold(held).startsWith(fold(wanted)),
  9: (held, wanted) => fold(held).endsWith(fold(wanted)),
  10: (held, wanted) => !equal(held, wanted),
  11: isEmpty,
  12: (held) => !isEmpty(held),
  13: (held, wanted) => !contains(held, wanted),
};

/** The condition type of a request; undefined for a number or word that is none. */
export function conditionType(value: unknown): ConditionType | undefined {
  return Object.values(CONDITION_TYPES).find((type) => type === value);
}

/** Types 11 and 12 look at the field alone. */
export const needsValue = (type: ConditionType): boolean =>
  type !== CONDITION_TYPES.nullOrEmpty && type !== CONDITION_TYPES.notEmpty;

/**
 * Whether a field meets a condition. Case of letters never counts, null equals the empty text, and null is neither
 * greater nor less than anything (our choice, where platform contract ENU-22 leaves it open).
 */
export const meets = (held: FieldValue, type: ConditionType, wanted: string): boolean =>
  TESTS[type](held, wanted);

/** One order over everything that a field may hold, for sorting: null, then false and true, numbers, texts. */
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

/** Negative, 0 or positive as the field lies before, at or after the value; NaN where neither can be said. */
function distance(held: FieldValue, wanted: string): number {
  if (held === null) return Number.NaN;
  if (typeof held === 'number')
    return NUMBER.test(wanted.trim()) ? compareFields(held, Number(wanted)) : Number.NaN;
  return compareTexts(String(held), wanted);
}

/** Whole numbers by size (ids do not fit a number), then points in time, then everything else by its letters. */
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

/** Milliseconds of an ISO 8601 date or date-time; without an offset it is UTC (platform contract GEN-13). */
function instantOf(text: string): number {
  const match = DATE_TIME.exec(text);
  if (match === null) return Number.NaN;
  const [, time, , , offset] = match;
  return Date.parse(time !== undefined && offset === undefined ? `${text}Z` : text);
}
