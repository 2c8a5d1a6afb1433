/** Bounds of a member, as JSON Schema has them and as a sentence has them. Pure. */

import { z } from 'zod';

/** Bounds of a number, a text or a list. */
export interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

const NAMES = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const;

/** What a schema demands of a value's size; the bounds that every whole number has are none. */
export function boundsOf(schema: z.ZodType): Bounds {
  const whole = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const told = NAMES.map((name) => [name, whole[name]] as const).filter(
    ([, value]) => typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER,
  );
  return Object.fromEntries(told);
}

/** The kind of a member with its bounds; that a text or a list holds something goes without saying. */
export function boundedText(kind: string, bounds: Bounds): string {
  const { minimum, maximum, maxLength, minItems, maxItems } = bounds;
  if (maxLength !== undefined) return `${kind}, at most ${maxLength} characters`;
  if (maxItems !== undefined && maxItems === minItems) return `${kind}, exactly ${maxItems}`;
  if (maxItems !== undefined) return `${kind}, at most ${maxItems}`;
  if (minimum !== undefined && maximum !== undefined) return `${kind}, ${minimum} to ${maximum}`;
  return minimum === undefined ? kind : `${kind}, at least ${minimum}`;
}
