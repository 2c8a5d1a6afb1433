/** Makes one OpenAPI 3.1 document of both interfaces of the platform from the operations' descriptors. Pure. */

import { type AnyOperation, bare, CAPABILITIES, factsOf, operations } from '../../src/platform/api.ts';
import { alternativesOf, demandedOf, idsInQuery, mayBeNull, withPlatformDefault } from './demands.ts';
import { results } from './results.ts';
import {
  isRequired,
  itemsOf,
  JOINED,
  type Json,
  type Member,
  membersOf,
  OWN,
  optionalSchema,
  orNull,
  wireName,
  wireSchema,
} from './wire-schema.ts';

const SECURITY: Readonly<Record<AnyOperation['credential'], readonly Json[]>> = {
  none: [],
  'api-key': [{ apiKey: [] }],
  'key-or-bearer': [{ apiKey: [] }, { bearer: [] }],
  bearer: [{ bearer: [] }],
  open: [{ openapi: [] }, { bearer: [] }],
  admin: [{ bearer: [] }],
};

const SCHEMES: Json = {
  apiKey: { type: 'apiKey', in: 'header', name: 'api-key', description: 'The key of one agent' },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      "A token of the lite interface. Operations on clients need the administrator's token. The Open API also accepts its own tokens in this form.",
  },
  openapi: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The word openapi, a space, and an access token of the Open API',
  },
};

export function openApiDocument(): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    for (const form of formsOf(operation)) {
      const item = paths[form.path] ?? {};
      paths[form.path] = { ...item, [form.method.toLowerCase()]: operationObject(operation, form) };
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
    components: { securitySchemes: SCHEMES, responses: RESPONSES },
  };
}

interface Form {
  readonly path: string;
  readonly method: AnyOperation['method'];
  readonly body: AnyOperation['body'];
  /** Added to the operation's id; empty for the first method that the platform's documentation shows. */
  readonly suffix: string;
}

/**
 * Returns one form for the first documented method of an operation. If the documentation shows a second method for the
 * same path, returns a form for that method too.
 */
function formsOf({ path, method, body, alternatives = [] }: AnyOperation): readonly Form[] {
  const documented = { path: path.replace('{idpWord}', 'idp'), method, body, suffix: '' };
  const other = alternatives.find((each) => each.method !== undefined && each.path === undefined)?.method;
  if (other === undefined) return [documented];
  // The body of a POST has the fields that the query of the GET has (platform contract ADM-5: two methods).
  return [documented, { ...documented, method: other, body: 'json', suffix: `By${other}` }];
}

function operationObject(operation: AnyOperation, { path, body, suffix }: Form): Json {
  const { id, capability, doc } = operation;
  const members = membersOf(operation.request).filter(({ name }) => !OWN[id]?.includes(name));
  const inPath = members.filter((each) => path.includes(`{${wireName(each)}}`));
  const inHeader = members.filter(({ member }) => factsOf(member).in === 'header');
  const rest = members.filter((each) => !inPath.includes(each) && !inHeader.includes(each));
  const inQuery = rest.filter(({ member }) => body === 'none' || factsOf(member).in === 'query');
  const inBody = rest.filter((each) => !inQuery.includes(each));
  const parameters = [
    ...inPath.map((each) => parameter(operation, each, 'path')),
    ...inQuery.map((each) => parameter(operation, each, 'query')),
    ...inHeader.map((each) => parameter(operation, each, 'header')),
    ...idsInQuery(operation),
  ];
  return {
    operationId: id + suffix,
    tags: [capability],
    summary: doc,
    ...othersOf(operation),
    ...(id === 'uploadImagesLegacy' && { deprecated: true }),
    security: SECURITY[operation.credential],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== 'none' && { requestBody: requestBody({ ...operation, body }, inBody) }),
    responses: {
      '200': { description: 'Success', content: content(operation) },
      ...((isLite(operation) || operation.credential !== 'none') && { '401': responseOf('Unauthorized') }),
      default: responseOf('Failure'),
    },
  };
}

/** Describes the paths that some servers use in place of the documented one. */
function othersOf({ path, alternatives = [] }: AnyOperation): Json {
  const others = new Set(alternatives.map((each) => each.path ?? path));
  others.delete(path);
  return others.size === 0 ? {} : { description: `Some servers use the path ${[...others].join(' or ')}.` };
}

function parameter(operation: AnyOperation, each: Member, place: 'path' | 'query' | 'header'): Json {
  const name = wireName(each);
  const schema = withPlatformDefault(operation, name, wireSchema(each.member, { side: 'request' }));
  return { name, in: place, required: place === 'path' || isRequired(each.member), schema };
}

function requestBody(operation: AnyOperation, members: readonly Member[]): Json {
  const list = members.find(({ member }) => factsOf(member).in === 'list');
  const schema =
    list === undefined ? bodySchema(operation, members) : wireSchema(list.member, { side: 'request' });
  const type = operation.body === 'form' ? 'multipart/form-data' : 'application/json';
  const required = idsInQuery(operation).length === 0 && (list !== undefined || 'required' in schema);
  return { required, content: { [type]: { schema } } };
}

function bodySchema(operation: AnyOperation, members: readonly Member[]): Json {
  const joined = JOINED[operation.id] ?? {};
  const byClient = members.filter(({ member }) => isRequired(member)).map(wireName);
  const required = demandedOf(operation, byClient);
  const properties = members.map((each) => {
    const name = wireName(each);
    const schema = joined[name] ?? wireSchema(each.member, { side: 'request' });
    const completed = withPlatformDefault(operation, name, schema);
    if (!required.includes(name)) return [name, optionalSchema(completed)];
    return [name, mayBeNull(operation, completed) ? orNull(completed) : completed];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    ...alternativesOf(operation),
  };
}

function content(operation: AnyOperation): Json {
  if (operation.answer === 'bytes')
    return { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
  const json = { 'application/json': { schema: envelope(operation, dataSchema(operation)) } };
  if (operation.answer === 'json') return json;
  return {
    ...json,
    'text/event-stream': {
      schema: { type: 'string', description: 'A stream of events. Each event contains this object' },
    },
  };
}

function dataSchema({ id, shape, response }: AnyOperation): Json {
  const known = results[id];
  if (known !== undefined) return known;
  if (shape === 'nothing') return {};
  return wireSchema(shape === 'page' ? itemsOf(response) : bare(response), { side: 'result' });
}

/**
 * True if the result of the operation is inside the envelope of the lite interface. The upload of files in the lite
 * interface is an exception: its result is inside the envelope of the Open API (platform contract GEN-3 to GEN-8:
 * envelopes).
 */
const isLite = ({ path }: AnyOperation): boolean => !/^\/(v1\/)?openapi|^\/Api\//.test(path);

const PAGING: Json = {
  pageIndex: { type: 'integer' },
  pageSize: { type: 'integer' },
  totalCount: {
    type: 'integer',
    description: 'Number of all elements; 0 or -1 if the platform does not count them',
  },
};

function envelope(operation: AnyOperation, data: Json): Json {
  if (isLite(operation)) {
    return {
      type: 'object',
      properties: {
        code: { type: 'integer', description: '200 or 201' },
        message: { type: 'string' },
        data,
      },
      required: ['code'],
    };
  }
  return {
    type: 'object',
    properties: {
      success: { type: 'boolean' },
      msg: { type: ['string', 'null'] },
      data,
      ...(operation.shape === 'page' && PAGING),
    },
    required: ['success'],
  };
}

const responseOf = (name: string): Json => ({ $ref: `#/components/responses/${name}` });

/** Responses that all operations share. */
const RESPONSES: Json = {
  Unauthorized: failure('The credential is missing, unknown or expired'),
  Failure: failure('An error in the format of this interface'),
};

function failure(description: string): Json {
  const properties = {
    code: { type: 'integer' },
    message: { type: 'string' },
    success: { type: 'boolean' },
    msg: { type: ['string', 'null'] },
    data: {},
  };
  return { description, content: { 'application/json': { schema: { type: 'object', properties } } } };
}
