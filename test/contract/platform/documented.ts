/** Reads the OpenAPI document as any client would, without Parley's descriptors, and compares exchanges with it. */

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Exchange } from './recording-proxy.ts';

type Json = Readonly<Record<string, unknown>>;
type Schema = Parameters<typeof z.fromJSONSchema>[0];
type Content = Readonly<Record<string, { readonly schema: Schema }>>;

export interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: { readonly 200: { readonly content: Content } };
}

const document: { readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>> } =
  JSON.parse(readFileSync(new URL('../../../docs/platform/openapi.json', import.meta.url), 'utf8'));

/** Finds the operation of a request. A path without parameters takes precedence over one with parameters. */
export function documentedFor({ method, path }: Exchange): DocumentedOperation | undefined {
  const plain = path.replace(/\?.*/, '');
  const found = Object.entries(document.paths)
    .filter(([template, item]) => pattern(template).test(plain) && method.toLowerCase() in item)
    .toSorted(([a], [b]) => a.split('{').length - b.split('{').length);
  return found[0]?.[1][method.toLowerCase()];
}

const pattern = (template: string): RegExp =>
  new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);

/**
 * Returns the differences between an exchange and `docs/platform/openapi.json`. Each difference names the operation
 * and the part that differs.
 */
export function differences(exchange: Exchange): readonly string[] {
  const operation = documentedFor(exchange);
  if (operation === undefined) return [`${exchange.method} ${exchange.path} is not in the document`];
  const said = [...requestDifferences(exchange), ...ofAnswer(exchange, operation)];
  return said.map((each) => `${operation.operationId}: ${each}`);
}

/** Returns the differences between a request and the document. */
export function requestDifferences(exchange: Exchange): readonly string[] {
  const { path, request, requestType } = exchange;
  const operation = documentedFor(exchange);
  const named = (operation?.parameters ?? []).map(({ name }) => name);
  const query = [...new URL(path, 'http://localhost').searchParams.keys()];
  const unknown = query.filter((name) => !named.includes(name)).map((name) => `query ${name} is unknown`);
  const body = operation?.requestBody?.content;
  if (request === '') return unknown;
  const form = body?.['multipart/form-data']?.schema;
  if (form !== undefined) return [...unknown, ...ofForm(request, form as Json)];
  const json = body?.['application/json']?.schema;
  if (json === undefined) return [...unknown, `a body of ${requestType} is unknown`];
  const sent = parsed(Buffer.from(request, 'latin1').toString());
  return [
    ...unknown,
    ...faults('request', json, sent),
    ...strangers(json as Json, sent),
    ...lackingAlternatives(json as Json, sent),
  ];
}

/**
 * Some members form a group, of which a request must contain at least one. Returns the groups of which this request
 * contains no member. The schema validator does not check groups.
 */
function lackingAlternatives(schema: Json, sent: unknown): readonly string[] {
  const groups = (schema.allOf ?? [schema]) as readonly { readonly anyOf?: readonly Json[] }[];
  const names = groups.map(({ anyOf = [] }) => anyOf.flatMap(({ required }) => (required ?? []) as string[]));
  const given = Object.keys(Object(sent));
  return names
    .filter((group) => group.length > 0 && !group.some((name) => given.includes(name)))
    .map((group) => `request needs one of ${group.join(', ')}`);
}

function ofForm(request: string, schema: Json): readonly string[] {
  const names = [...request.matchAll(/\r\ncontent-disposition: form-data; name="([^"]*)"/gi)];
  const known = Object.keys(schema.properties ?? {});
  const required = (schema.required ?? []) as readonly string[];
  const sent = names.map(([, name = '']) => name);
  return [
    ...sent.filter((name) => !known.includes(name)).map((name) => `part ${name} is unknown`),
    ...required.filter((name) => !sent.includes(name)).map((name) => `part ${name} is missing`),
  ];
}

/** Returns a fault for each field of a request that the OpenAPI document does not define. */
function strangers(schema: Json, sent: unknown): readonly string[] {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return [];
  const known = Object.keys(schema.properties ?? {});
  return Object.keys(sent)
    .filter((name) => !known.includes(name))
    .map((name) => `request.${name} is unknown`);
}

function ofAnswer({ answer, answerType }: Exchange, operation: DocumentedOperation): readonly string[] {
  const content = operation.responses[200].content;
  if (!answerType.startsWith('application/json')) {
    return 'application/json' in content ? [`an answer of ${answerType} is unknown`] : [];
  }
  const schema = content['application/json']?.schema;
  return schema === undefined ? ['a JSON answer is unknown'] : faults('answer', schema, parsed(answer));
}

function faults(what: string, schema: Schema, value: unknown): readonly string[] {
  const checked = z.fromJSONSchema(schema).safeParse(value);
  return (checked.error?.issues ?? []).map(
    ({ path, message }) => `${[what, ...path.map(String)].join('.')}: ${message}`,
  );
}

/**
 * Parses JSON, with 1 in place of integers outside the safe range, such as 64-bit ids, because the validator refuses
 * them.
 */
const parsed = (text: string): unknown =>
  JSON.parse(text, (_name, value) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && Math.abs(value) > 1e15 ? 1 : value,
  );
