import { readdirSync, readFileSync } from 'node:fs';
import type { Plain } from '../../../src/kit/json.ts';

const folder = new URL('../../recorded/slack/', import.meta.url);

export const recordedNames = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.replace('.json', ''));

/** Returns a payload that was recorded from Slack. */
export function recorded(name: string): Plain {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as Plain;
}
