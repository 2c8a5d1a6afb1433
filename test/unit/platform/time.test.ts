import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timeOf } from '../../../src/platform/shapes.ts';

describe('a date-time of the platform (GEN-13)', () => {
  it.each([
    ['2025-07-18', '2025-07-18T00:00:00.000Z'],
    ['2025-07-18T09:30', '2025-07-18T09:30:00.000Z'],
    ['2025-07-18 09:30:15', '2025-07-18T09:30:15.000Z'],
    ['2025-07-18T09:30:15.1', '2025-07-18T09:30:15.100Z'],
    ['2025-07-18T09:30:15.1234567', '2025-07-18T09:30:15.123Z'],
    ['2025-07-18T09:30:15.1234567Z', '2025-07-18T09:30:15.123Z'],
    ['2025-07-18T09:30:15+08:00', '2025-07-18T01:30:15.000Z'],
    ['2025-07-18T09:30:15-0330', '2025-07-18T13:00:15.000Z'],
  ])('%s is %s', (text, iso) => {
    expect(new Date(timeOf(text) ?? Number.NaN).toISOString()).toBe(iso);
  });

  it.each([
    '',
    'soon',
    '2025-13-01',
    '2025-02-30T25:00',
    '18.07.2025',
    '2025-07-18T09:30:15.12345678',
  ])('%j is not a date-time', (text) => expect(timeOf(text)).toBeUndefined());

  it('converts back every instant between 1970 and 2100', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
        (date) => {
          expect(timeOf(date.toISOString())).toBe(date.getTime());
        },
      ),
    );
  });
});
