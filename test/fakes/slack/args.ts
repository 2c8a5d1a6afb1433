/** Arguments of a call, from JSON or a form, and readers that check the type of each value. */

import { refuse } from './refusal.ts';
import type { Json } from './shapes.ts';

/** Arguments that a form sends as JSON text. https://docs.slack.dev/apis/web-api/#slack-web-api__basics__post-bodies */
const STRUCTURED = new Set([
  'attachments',
  'blocks',
  'chunks',
  'files',
  'file_ids',
  'loading_messages',
  'metadata',
  'prompts',
  'view',
]);
const BOOLEANS = new Set([
  'as_user',
  'inclusive',
  'include_all_metadata',
  'include_locale',
  'include_num_members',
  'link_names',
  'mrkdwn',
  'prevent_creation',
  'reply_broadcast',
  'return_im',
  'test',
  'unfurl_links',
  'unfurl_media',
]);
const NUMBERS = new Set(['count', 'length', 'limit', 'page']);

export function readForm(body: string): Json {
  const args: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(body)) args[name] = fromForm(name, value);
  return args;
}

function fromForm(name: string, value: string): unknown {
  if (STRUCTURED.has(name)) return structured(name, value);
  if (BOOLEANS.has(name) && /^(true|false|0|1)$/.test(value)) return value === 'true' || value === '1';
  if (NUMBERS.has(name) && /^\d+$/.test(value)) return Number(value);
  return value;
}

function structured(name: string, value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    if (name === 'blocks') return refuse('invalid_blocks_format');
    if (name === 'metadata') return refuse('invalid_metadata_format');
    return value;
  }
}

export function readJson(body: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    refuse('invalid_json');
  }
  return isJson(value) ? value : refuse('json_not_object');
}

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const text = (args: Json, name: string): string | undefined =>
  typeof args[name] === 'string' ? args[name] : undefined;

export const flag = (args: Json, name: string): boolean | undefined =>
  typeof args[name] === 'boolean' ? args[name] : undefined;

export const number = (args: Json, name: string): number | undefined =>
  typeof args[name] === 'number' ? args[name] : undefined;

export const list = (args: Json, name: string): readonly Json[] | undefined => {
  const value = args[name];
  return Array.isArray(value) ? value.filter(isJson) : undefined;
};

export const child = (args: Json, name: string): Json | undefined => {
  const value = args[name];
  return isJson(value) ? value : undefined;
};

export function needText(args: Json, name: string): string {
  return (
    text(args, name) ??
    refuse('invalid_arguments', {
      response_metadata: { messages: [`[ERROR] missing required field: ${name}`] },
    })
  );
}
