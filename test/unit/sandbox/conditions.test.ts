import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ConditionType,
  compareFields,
  conditionType,
  type FieldValue,
  meets,
} from '../../../sandbox/people/conditions.ts';

/** The condition types in the order of their numbers, 0 to 13 (platform contract ENU-22). */
const TYPES: readonly ConditionType[] = [
  'exact',
  'fuzzy',
  'greater',
  'greaterOrEqual',
  'less',
  'lessOrEqual',
  'in',
  'notIn',
  'leftFuzzy',
  'rightFuzzy',
  'notEqual',
  'nullOrEmpty',
  'notEmpty',
  'notLike',
];

/** The result of each of the fourteen condition types for a field and a value (platform contract ENU-22, CHK-19). */
const TABLE: readonly [ConditionType, FieldValue, string, boolean][] = [
  ['exact', 'Alice', 'aLICE', true],
  ['exact', 'Alice', 'Alic', false],
  ['exact', null, '', true],
  ['exact', null, 'null', false],
  ['exact', 7, '7', true],
  ['exact', 7, '7.0', true],
  ['exact', 7, 'seven', false],
  ['exact', 0, '', false],
  ['exact', true, 'True', true],
  ['exact', false, '0', false],
  ['exact', '007', '7', false],
  ['exact', '4493041505002323001', '4493041505002323000', false],
  ['fuzzy', '张伟 (Wei)', 'wei', true],
  ['fuzzy', 'Alice', 'x', false],
  ['fuzzy', null, 'x', false],
  ['greater', 10, '9', true],
  ['greater', 9, '9', false],
  ['greater', '10', '9', true],
  ['greater', '4493041505002323001', '4493041505002323000', true],
  ['greater', '2026-01-05T09:00:00.000Z', '2026-01-05', true],
  ['greater', '2026-01-05T09:00:00.000Z', '2026-01-05T11:30:00+02:00', false],
  ['greater', '2026-01-05T09:00:00.000Z', '2026-01-05T08:59:59', true],
  ['greater', 'b', 'A', true],
  ['greater', null, '', false],
  ['greater', 5, 'four', false],
  ['greaterOrEqual', 9, '9', true],
  ['greaterOrEqual', 8, '9', false],
  ['greaterOrEqual', 'B', 'b', true],
  ['less', 8, '9', true],
  ['less', 9, '9', false],
  ['less', '9', '10', true],
  ['less', null, 'z', false],
  ['lessOrEqual', 9, '9', true],
  ['lessOrEqual', '2026-01-05', '2026-01-05T00:00:00Z', true],
  ['lessOrEqual', 10, '9', false],
  ['in', 'bob', 'alice, BOB', true],
  ['in', 'bob', 'alice,bobby', false],
  ['in', 2, '1,2,3', true],
  ['notIn', 'bob', 'alice,bob', false],
  ['notIn', null, 'alice,bob', true],
  ['leftFuzzy', 'Alice', 'AL', true],
  ['leftFuzzy', 'Alice', 'ce', false],
  ['rightFuzzy', 'Alice', 'CE', true],
  ['rightFuzzy', 'Alice', 'al', false],
  ['notEqual', 'alice', 'ALICE', false],
  ['notEqual', null, 'alice', true],
  ['nullOrEmpty', null, 'ignored', true],
  ['nullOrEmpty', '', 'ignored', true],
  ['nullOrEmpty', 0, 'ignored', false],
  ['nullOrEmpty', false, 'ignored', false],
  ['notEmpty', 'x', 'ignored', true],
  ['notEmpty', null, 'ignored', false],
  ['notLike', 'Alice', 'LIC', false],
  ['notLike', 'Alice', 'x', true],
];

describe('conditions (CHK-19)', () => {
  it.each(TABLE)('%s: %j against %j is %j', (name, held, wanted, expected) => {
    expect(meets(held, name, wanted)).toBe(expected);
  });

  it('has fourteen types, numbered 0 to 13, and no other', () => {
    expect(Array.from({ length: 14 }, (_, number) => conditionType(number))).toEqual(TYPES);
    expect(new Set(TABLE.map(([name]) => name))).toEqual(new Set(TYPES));
    for (const value of [-1, 14, 1.5, '0', null, undefined, 'exact', '__proto__', {}]) {
      expect(conditionType(value)).toBeUndefined();
    }
  });

  const field: fc.Arbitrary<FieldValue> = fc.oneof(
    fc.constantFrom<FieldValue>(null, '', 'Ä', 'ä', '0', '00', '10', '9', '1a', '2026-01-05', '2026-13-45'),
    fc.string(),
    fc.integer().map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.boolean(),
    fc.double({ noNaN: true }),
  );

  it('sorts by one total order', () => {
    fc.assert(
      fc.property(field, field, field, (a, b, c) => {
        expect(Math.sign(compareFields(a, b))).toBe(-Math.sign(compareFields(b, a)) + 0);
        if (compareFields(a, b) <= 0 && compareFields(b, c) <= 0) {
          expect(compareFields(a, c)).toBeLessThanOrEqual(0);
        }
      }),
    );
  });
});
