/** Generates random values for any schema of the platform's operations. */

import fc from 'fast-check';
import { z } from 'zod';
import { bare, factsOf, toType } from '../../../src/platform/api.ts';

/** Texts with any character that JSON can represent, except texts of white space only. */
const words = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 12 })
  .map((text) => text.toWellFormed())
  .filter((text) => text.trim() !== '');
/** Ids of 1 to 19 digits. Half of them exceed the integers that a JavaScript number can hold. */
const ids = fc.oneof(
  fc.bigInt({ min: 1n, max: 2n ** 53n }).map(String),
  fc.bigInt({ min: 2n ** 53n + 1n, max: 2n ** 63n - 1n }).map(String),
);

/**
 * Any JSON value as it is after a transfer: null is removed, negative zero is zero, and there are no unsafe integers.
 */
const anything = fc
  .jsonValue({ maxDepth: 2 })
  .filter((value) => value !== null && !/\d{16}/.test(JSON.stringify(value)))
  .map((value): unknown => JSON.parse(JSON.stringify(value)));
/** A workspace's settings, whose properties are not fully documented. */
const settings = { zeta: 1, setting: { later: { deep: [1] }, mode: 'refine' }, useWorkspaceSetting: true };

/** Returns values that match the schema. The caller must filter them by rules that involve several members. */
export function arbitraryOf(schema: z.ZodType): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return fc.option(arbitraryOf(bare(schema)), { nil: undefined });
  }
  if (schema instanceof z.ZodNullable) return fc.option(arbitraryOf(bare(schema)), { nil: null });
  if (schema instanceof z.ZodObject) return objectOf(schema);
  if (schema instanceof z.ZodArray) {
    return fc.array(arbitraryOf(toType(schema.element)), { minLength: 1, maxLength: 2 });
  }
  if (schema instanceof z.ZodUnion) {
    return fc.oneof(...schema.options.map((each) => arbitraryOf(toType(each))));
  }
  if (schema instanceof z.ZodRecord) {
    return fc.dictionary(fc.stringMatching(/^[A-Za-z]{1,8}$/), arbitraryOf(toType(schema.valueType)));
  }
  return scalarOf(schema);
}

function objectOf(schema: z.ZodObject): fc.Arbitrary<unknown> {
  const members = Object.entries(schema.shape).map(([name, member]) => [name, arbitraryOf(toType(member))]);
  return fc.record(Object.fromEntries(members)).map(withoutAbsent);
}

const withoutAbsent = (record: object): object =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));

function scalarOf(schema: z.ZodType): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options);
  if (schema instanceof z.ZodLiteral) return fc.constantFrom(...schema.values);
  if (schema instanceof z.ZodBoolean) return fc.boolean();
  if (schema instanceof z.ZodNumber) return numberOf(schema);
  if (schema instanceof z.ZodString) return textOf(schema);
  if (schema instanceof z.ZodUnknown) return anything;
  if (schema instanceof z.ZodCustom) return fc.constant(settings);
  throw new TypeError(`No values are known of ${schema.def.type}.`);
}

function numberOf({ minValue, maxValue, isInt }: z.ZodNumber): fc.Arbitrary<number> {
  const min = Math.max(minValue ?? -1e6, -1e13);
  const max = Math.min(maxValue ?? 1e13, 1e13);
  return isInt
    ? fc.integer({ min: Math.ceil(min), max: Math.floor(max) })
    : // JSON has no negative zero.
      fc.double({ min, max, noNaN: true }).map((value) => value + 0);
}

function textOf(schema: z.ZodString): fc.Arbitrary<string> {
  if (factsOf(schema).as === 'integer') return ids;
  const longest = schema.maxLength ?? Infinity;
  const patterns = (schema.def.checks ?? []).flatMap((check) =>
    check instanceof z.core.$ZodCheckRegex ? [check._zod.def.pattern] : [],
  );
  const [pattern] = patterns;
  if (pattern !== undefined) return fc.stringMatching(pattern);
  return words.map((text) => text.slice(0, longest).toWellFormed());
}
