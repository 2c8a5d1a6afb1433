/**
 * Replaces every part of each operation's sample request by other values, sends each variant to the sandbox, and
 * compares its verdict with that of the OpenAPI document.
 */

import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningSandbox, startSandbox } from '../../../sandbox/index.ts';
import { type AnyOperation, operations } from '../../../src/platform/api.ts';
import { documentedFor } from './documented.ts';
import { proofsAt, requestOf, sent } from './sent.ts';

/** Values of every kind. The symbol stands for a part that is left out. */
const ABSENT = Symbol('absent');
const VALUES = [ABSENT, null, '', 'x', 7, -1.5, true, [], {}];

const COMPANY = '1493041505002324001';

/** Members for which the sandbox needs what it knows, so that it accepts the request and checks the other members. */
const known: Readonly<Record<string, Record<string, unknown>>> = {
  updateUser: { id: undefined, userName: 'member-one' },
  updateOrg: { id: COMPANY, code: undefined, parentId: '-1', parentCode: undefined },
  pageOrgUsers: {
    orderField: 'userId',
    conditions: [{ fieldName: 'account', fieldValue: 'a', conditionalType: 1 }],
  },
  retrieve: { reranker: null },
};

/**
 * A refusal for a reason that no schema states: what the request names does not exist, is taken or is in use, or a
 * limit is the sandbox's own choice.
 */
const STATE =
  /unknown|already|in use|has members|below it|permission|is wrong|not accepted|must not be mixed|reserved|no field|cannot be moved|positive number|of 0 or more|must contain ids/;

/** Requests that the sandbox accepts beyond the document, because the platform contract says so. */
const LENIENT: readonly RegExp[] = [
  // GEN-9: an id may be an integer wherever it is a string, also in a list of ids or codes.
  /^\w+ (\S+\.)?(id|\w+Id|code|\w*Code|organizationIds|userIds|codes|classification_id|fieldValue|Extension)(\.\d+)? = 7$/,
  /^(deleteUsers|deleteOrgs|setUserRoles) \d = 7$/,
  /^retrieve workspaces\.0 = 7$/,
  // RAG-4, RAG-8: documented as required, but with a default.
  /^retrieve rag(Mode|Object) = (absent|null)$/,
  // MED-1: a single id in place of the list.
  /^temporaryLinks file_id = "x"$/,
  // AUT-10: a signature of another form is a wrong signature.
  /^loginWithClient signature = "x"$/,
];
/**
 * Requests that the sandbox refuses although the document accepts them. A schema cannot state that ids may be in the
 * query in place of the body, or that one of the conditions must name an organization (ORG-8).
 */
const NEEDED =
  /^delete(Workspaces|Types) {2}= absent$|^orgUserPages conditions( = \[\]|\.0 = absent|\.0\.fieldName = "x")$/;

type Path = readonly (string | number)[];

/** Returns a value that fits a schema, with every member that the schema names. */
function exampleOf(schema: Record<string, unknown>): unknown {
  const { type, enum: values, examples, items, properties, anyOf, contentSchema, minimum, maximum } = schema;
  const [first] = [schema.const, schema.default, ...list(values), ...list(examples)].filter(
    (each) => each !== undefined,
  );
  if (first !== undefined) return first;
  if (contentSchema !== undefined) return JSON.stringify(exampleOf(Object(contentSchema)));
  if (Array.isArray(anyOf) && type === undefined) return exampleOf(anyOf[0]);
  if (list(type).includes('array')) return [exampleOf(Object(items))];
  if (list(type).includes('object')) {
    return Object.fromEntries(
      Object.entries(Object(properties)).map(([name, each]) => [name, exampleOf(Object(each))]),
    );
  }
  if (schema.format === 'uuid') return '5a1d0000-0000-4000-8000-000000000001';
  if (list(type).includes('boolean')) return true;
  return list(type).includes('string') ? 'text' : (minimum ?? maximum ?? 1);
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** Returns the path of every part of a value, with the value itself. */
function pathsOf(value: unknown): readonly Path[] {
  const parts: readonly [string | number, unknown][] = Array.isArray(value)
    ? value.map((each, at) => [at, each])
    : Object.entries(typeof value === 'object' && value !== null ? value : {});
  return [[], ...parts.flatMap(([name, each]) => pathsOf(each).map((rest) => [name, ...rest]))];
}

/** Returns the value with another value at the path. */
function replaced(value: unknown, [name, ...rest]: Path, by: unknown): unknown {
  if (name === undefined) return by;
  const inner = replaced(Reflect.get(Object(value), name), rest, by);
  if (Array.isArray(value))
    return value.flatMap((each, at) => (at !== name ? [each] : inner === ABSENT ? [] : [inner]));
  const others = Object.entries(Object(value)).filter(([key]) => key !== name);
  return Object.fromEntries(inner === ABSENT ? others : [...others, [name, inner]]);
}

/** Returns the members of an answer that its schema does not describe. Names may be in any letter case (INC-4). */
function undescribed(schema: Record<string, unknown>, value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => undescribed(Object(schema.items), each, path));
  const { properties, additionalProperties } = schema;
  if (typeof value !== 'object' || value === null || properties === undefined) return [];
  const described = new Map(
    Object.entries(Object(properties)).map(([name, each]) => [name.toLowerCase(), each]),
  );
  return Object.entries(value).flatMap(([name, each]) => {
    const inner = described.get(name.toLowerCase());
    if (inner === undefined) return additionalProperties === true ? [] : [`${path}.${name}`];
    return undescribed(Object(inner), each, `${path}.${name}`);
  });
}

describe('verdicts of the sandbox and of the document', () => {
  let sandbox: RunningSandbox;
  let proofs: Awaited<ReturnType<typeof proofsAt>>;
  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0, memory: true, knowledge: [], options: { paceMs: 0 } });
    proofs = await proofsAt(sandbox.url);
  });
  afterAll(() => sandbox.close());

  async function ask({ credential, method }: AnyOperation, path: string, body: unknown) {
    const headers = { 'content-type': 'application/json', ...proofs[credential] };
    const answer = await fetch(sandbox.url + path, {
      method,
      headers,
      ...(body !== ABSENT && { body: JSON.stringify(body) }),
    });
    return { ok: answer.ok, text: await answer.text() };
  }

  async function refusal(operation: AnyOperation, path: string, body: unknown) {
    const { ok, text } = await ask(operation, path, body);
    return (ok && !text.includes('"success":false')) || STATE.test(text) ? undefined : text;
  }

  const read = operations.filter(({ method, answer }) => method === 'GET' && answer === 'json');
  it.each(read)('the document describes every member of the answer to $id', async (operation) => {
    const { path } = sent(operation, requestOf(operation));
    const answer = await fetch(sandbox.url + path, { headers: proofs[operation.credential] });
    const content = documentedFor(sent(operation, requestOf(operation)))?.responses[200].content;
    expect(undescribed(Object(content?.['application/json']?.schema), await answer.json())).toEqual([]);
  });

  const ajv = new Ajv2020({ strict: false });
  ajv.addFormat('int64', true).addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
  ajv
    .removeKeyword('contentMediaType')
    .addKeyword({ keyword: 'contentMediaType', validate: (_type: unknown, text: unknown) => isJson(text) });

  const named = operations.filter((operation) => /^[{[]/.test(sent(operation, requestOf(operation)).request));
  it.each(named)('$id', { timeout: 120_000 }, async (operation) => {
    const exchange = sent(operation, requestOf(operation));
    const documented = documentedFor(exchange)?.requestBody;
    const schema = Object(documented?.content['application/json']?.schema);
    const validate = ajv.compile(schema);
    const sample = JSON.parse(exchange.request);
    const whole = { ...Object(exampleOf(schema)), ...sample, ...known[operation.id] };
    const body = Array.isArray(sample) ? sample : JSON.parse(JSON.stringify(whole));
    const { text } = await ask(operation, exchange.path, body);
    expect(text).toMatch(/"success":true|"code":20|unknown|is wrong/);
    const content = documentedFor(exchange)?.responses[200].content['application/json'];
    if (content !== undefined) expect(undescribed(Object(content.schema), JSON.parse(text))).toEqual([]);
    const found: string[] = [];
    for (const path of pathsOf(body)) {
      for (const value of VALUES) {
        const what = `${operation.id} ${path.join('.')} = ${value === ABSENT ? 'absent' : JSON.stringify(value)}`;
        const variant = replaced(body, path, value);
        const refused = await refusal(operation, exchange.path, variant);
        const fits = variant === ABSENT ? documented?.required !== true : validate(variant);
        if (fits ? refused === undefined || NEEDED.test(what) : refused !== undefined) continue;
        if (fits || !LENIENT.some((each) => each.test(what))) found.push(`${what}: ${refused ?? 'accepted'}`);
      }
    }
    expect(found).toEqual([]);
  });
});

/** True if the text contains JSON. An empty text counts as absent, and another type is a matter of another keyword. */
function isJson(text: unknown): boolean {
  try {
    return typeof text !== 'string' || text === '' || JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}
