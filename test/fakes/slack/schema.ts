/** Checks arguments against Slack's own types: schema/schema.json, made by schema/make.ts. */

import { readFileSync } from 'node:fs';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { Call } from './call.ts';
import { checkMarkdown, checkSomething, contentOf } from './checks/text.ts';
import type { Log } from './log.ts';
import { refuseWith } from './refusal.ts';
import type { Json } from './shapes.ts';

/**
 * Maximum number of reported errors. One wrong block causes many errors, because it fails against every type in the
 * union of blocks. The few deepest errors name the cause.
 */
const TOLD = 5;

const ajv = new Ajv({ strict: false, code: { optimize: false } });
const checks = new Map<string, ValidateFunction | undefined>();

function checkOf(method: string): ValidateFunction | undefined {
  if (checks.has(method)) return checks.get(method);
  if (ajv.getSchema('slack') === undefined) ajv.addSchema(readSchema(), 'slack');
  const known = method in (readSchema().properties as Json);
  const check = known ? ajv.compile({ $ref: `slack#/properties/${method}` }) : undefined;
  checks.set(method, check);
  return check;
}

let schema: Json | undefined;

export function readSchema(): Json {
  schema ??= JSON.parse(readFileSync(new URL('./schema/schema.json', import.meta.url), 'utf8')) as Json;
  return schema;
}

/** The methods that the schema covers. */
export const typedMethods = (): readonly string[] => Object.keys(readSchema().properties as Json);

/** Returns the schema's `$comment`: the sources that it was made from, and a hash of the rest of the schema. */
export const schemaComment = (): unknown => JSON.parse(String(readSchema().$comment));

const SAYING = new Set(['chat.postMessage', 'chat.postEphemeral', 'chat.update']);

/** Records and refuses arguments that do not match Slack's types, with the method's own error code if it has one. */
export function checkArguments(log: Log, { method, args, token }: Call): void {
  const { team_id: team, ...rest } = args;
  const typed = token.enterprise === undefined && team !== undefined ? args : rest;
  const messages = faultsOf(method, typed);
  if (messages.length === 0) return;
  log.violations.push({ method, messages, args });
  if (SAYING.has(method)) {
    checkMarkdown(contentOf(args));
    checkSomething(contentOf(args));
  }
  const about = (field: string) => messages.some((message) => message.includes(`json-pointer:/${field}`));
  if (about('blocks')) refuseWith('invalid_blocks', messages);
  if (about('chunks')) refuseWith('invalid_chunks', messages);
  if (about('metadata')) refuseWith('invalid_metadata_format', messages);
  refuseWith('invalid_arguments', messages);
}

export function faultsOf(method: string, args: Json): readonly string[] {
  const check = checkOf(method);
  if (check === undefined || check(args)) return [];
  return [...new Set(deepest(check.errors ?? []).map(say))].slice(0, TOLD);
}

function deepest(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const depth = ({ instancePath }: ErrorObject) => instancePath.split('/').length;
  const telling = errors.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'const');
  const most = Math.max(...(telling.length > 0 ? telling : errors).map(depth));
  return (telling.length > 0 ? telling : errors).filter((error) => depth(error) === most);
}

const say = ({ instancePath, message, params }: ErrorObject): string => {
  const extra = 'additionalProperty' in params ? `: ${String(params.additionalProperty)}` : '';
  return `[ERROR] ${message ?? 'invalid'}${extra} [json-pointer:${instancePath}]`;
};
