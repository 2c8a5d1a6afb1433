/** One OpenAPI 3.1 document of both interfaces, made of the descriptors. Pure. */

import type { z } from 'zod';
import {
  type AnyOperation,
  bare,
  CAPABILITIES,
  factsOf,
  operations,
  toType,
} from '../../src/platform/api.ts';
import { results } from './results.ts';
import { isRequired, JOINED, type Json, OWN, objectSchema, wireName, wireSchema } from './wire-schema.ts';

const SECURITY: Readonly<Record<AnyOperation['credential'], readonly Json[]>> = {
  none: [],
  'api-key': [{ apiKey: [] }],
  'key-or-bearer': [{ apiKey: [] }, { bearer: [] }],
  bearer: [{ bearer: [] }],
  open: [{ openapi: [] }, { bearer: [] }],
  admin: [{ bearer: [] }],
};

export function openApiDocument(): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    for (const { path, method, suffix } of formsOf(operation)) {
      const item = paths[path] ?? {};
      paths[path] = { ...item, [method.toLowerCase()]: operationObject(operation, suffix) };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent platform',
      version: '1.0.0',
      description:
        'Both HTTP interfaces of the agent platform: lite and Open API. Generated from the descriptors.',
    },
    servers: [{ url: 'http://127.0.0.1:3001', description: 'The sandbox' }],
    tags: Object.entries(CAPABILITIES).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'api-key' },
        bearer: { type: 'http', scheme: 'bearer' },
        openapi: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The word openapi, a space, and an access token of the Open API',
        },
      },
    },
  };
}

/** The documented form, and another method of the same path where the documents show both. */
function formsOf({ path, method, alternatives = [] }: AnyOperation) {
  const shown = path.replace('{idpWord}', 'idp');
  const other = alternatives.find((each) => each.method !== undefined && each.path === undefined);
  return [
    { path: shown, method, suffix: '' },
    ...(other?.method === undefined
      ? []
      : [{ path: shown, method: other.method, suffix: `By${other.method}` }]),
  ];
}

interface Member {
  readonly name: string;
  readonly member: z.ZodType;
}

function operationObject(operation: AnyOperation, suffix: string): Json {
  const { id, capability, doc, path } = operation;
  const members = Object.entries(operation.request.shape)
    .map(([name, member]): Member => ({ name, member: toType(member) }))
    .filter(({ name }) => !(OWN[id] ?? []).includes(name));
  const inPath = members.filter((each) => path.includes(`{${wireName(each)}}`));
  const rest = members.filter((each) => !inPath.includes(each));
  const inQuery = rest.filter(({ member }) => operation.body === 'none' || factsOf(member).in === 'query');
  const inBody = rest.filter((each) => !inQuery.includes(each));
  const parameters = [
    ...inPath.map((each) => parameter(each, 'path')),
    ...inQuery.map((each) => parameter(each, 'query')),
  ];
  return {
    operationId: id + suffix,
    tags: [capability],
    summary: doc,
    security: SECURITY[operation.credential],
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body !== 'none' && { requestBody: requestBody(operation, inBody) }),
    responses: { '200': { description: 'Success', content: content(operation) }, default: FAILURE },
  };
}

const parameter = (each: Member, place: 'path' | 'query'): Json => ({
  name: wireName(each),
  in: place,
  required: place === 'path' || isRequired(each.member),
  schema: wireSchema(each.member),
});

function requestBody({ id, body, request }: AnyOperation, members: readonly Member[]): Json {
  const list = members.find(({ member }) => factsOf(member).in === 'list');
  const whole = objectSchema(request);
  const names = members.map(wireName);
  const properties = { ...pick(whole.properties, names), ...JOINED[id] };
  const required = names.filter((name) => (whole.required as readonly string[] | undefined)?.includes(name));
  const schema =
    list === undefined
      ? { type: 'object', properties, ...(required.length > 0 && { required }) }
      : wireSchema(list.member);
  const type = body === 'form' ? 'multipart/form-data' : 'application/json';
  return { required: true, content: { [type]: { schema } } };
}

function pick(properties: unknown, names: readonly string[]): Json {
  const known = properties as Json;
  return Object.fromEntries(names.map((name) => [name, known[name]]));
}

/** The lite interface, the Open API, and the lite file upload have an envelope each. */
const isLite = ({ path }: AnyOperation): boolean => !/^\/(v1\/)?openapi|^\/Api\//.test(path);

function content(operation: AnyOperation): Json {
  if (operation.answer === 'bytes')
    return { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
  const json = { 'application/json': { schema: envelope(operation) } };
  if (operation.answer === 'json') return json;
  return {
    ...json,
    'text/event-stream': { schema: { type: 'string', description: 'Events, each with such an object' } },
  };
}

function envelope(operation: AnyOperation): Json {
  const data = dataSchema(operation);
  if (isLite(operation)) {
    return {
      type: 'object',
      properties: { code: { type: 'integer' }, message: { type: 'string' }, data },
      required: ['code'],
    };
  }
  const paging = {
    pageIndex: { type: 'integer' },
    pageSize: { type: 'integer' },
    totalCount: { type: 'integer' },
  };
  return {
    type: 'object',
    properties: {
      success: { type: 'boolean' },
      msg: { type: ['string', 'null'] },
      data,
      ...(operation.shape === 'page' && paging),
    },
    required: ['success'],
  };
}

function dataSchema({ id, shape, response }: AnyOperation): Json {
  const known = results[id];
  if (known !== undefined) return known;
  if (shape === 'nothing') return { type: ['object', 'null'] };
  const schema = bare(response);
  if (shape === 'one') return wireSchema(schema);
  const list =
    shape === 'page' ? toType(Reflect.get(Reflect.get(schema, 'shape') as object, 'items')) : schema;
  return wireSchema(list);
}

const FAILURE: Json = {
  description: 'A refusal, in the envelope of the interface',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: {
          code: { type: 'integer' },
          message: { type: 'string' },
          success: { type: 'boolean' },
          msg: { type: ['string', 'null'] },
        },
      },
    },
  },
};
