/** Small checks of Block Kit; each returns Slack's own error text. */

import { isJson } from '../args.ts';
import type { Json } from '../shapes.ts';

export type Faults = readonly string[];

export const fault = (at: string, what: string): Faults => [`[ERROR] ${what} [json-pointer:${at}]`];

export const missing = (at: string, field: string): Faults => fault(at, `missing required field: ${field}`);

export interface Lengths {
  readonly min?: number;
  readonly max: number;
}

/** Slack counts characters as JavaScript does: UTF-16 units. */
export function length(value: unknown, at: string, { min = 0, max }: Lengths): Faults {
  if (value === undefined) return [];
  if (typeof value !== 'string') return fault(at, 'must be a string');
  if (value.length < min) return fault(at, `must be more than ${min - 1} characters`);
  return value.length > max ? fault(at, `must be less than ${max + 1} characters`) : [];
}

export function needed(holder: Json, field: string, at: string, lengths: Lengths): Faults {
  return holder[field] === undefined ? missing(at, field) : length(holder[field], `${at}/${field}`, lengths);
}

export function items(value: unknown, at: string, { min = 1, max }: Lengths): Faults {
  if (!Array.isArray(value)) return fault(at, 'must be an array');
  if (value.length < min) return fault(at, `must have at least ${min} items`);
  return value.length > max ? fault(at, `no more than ${max} items allowed`) : [];
}

export function each(value: unknown, at: string, check: (item: Json, at: string) => Faults): Faults {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown, index) =>
    isJson(item) ? check(item, `${at}/${index}`) : fault(`${at}/${index}`, 'must be an object'),
  );
}

export function oneOf(value: unknown, at: string, allowed: readonly string[]): Faults {
  return value === undefined || allowed.includes(String(value)) ? [] : fault(at, 'invalid value');
}

export interface TextRule extends Lengths {
  /** True if the text must be `plain_text`, so that mrkdwn is refused. */
  readonly plain?: boolean;
}

/**
 * Checks a text object, 1 to 3,000 characters:
 * https://docs.slack.dev/reference/block-kit/composition-objects/text-object
 */
export function textObject(value: unknown, at: string, { min = 1, max, plain = false }: TextRule): Faults {
  if (!isJson(value)) return fault(at, 'must be a text object');
  if (value.type !== 'plain_text' && (plain || value.type !== 'mrkdwn'))
    return fault(`${at}/type`, plain ? 'must be plain_text' : 'must be plain_text or mrkdwn');
  return needed(value, 'text', at, { min, max });
}

export const optionalText = (value: unknown, at: string, rule: TextRule): Faults =>
  value === undefined ? [] : textObject(value, at, rule);
