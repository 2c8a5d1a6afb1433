import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../bin/reference/openapi.ts';
import { referencePages } from '../../../bin/reference/pages.ts';
import { operations } from '../../../src/platform/index.ts';

const read = (path: string): string =>
  readFileSync(new URL(`../../../docs/platform/${path}`, import.meta.url), 'utf8');

describe('the reference', () => {
  it.each(
    referencePages().map(({ path, text }) => [path, text]),
  )('%s is what the descriptors give', (path, text) => {
    expect(read(path), 'run `npm run reference`').toBe(text);
  });

  it('has a description for every member', () => {
    const bare = referencePages().flatMap(({ path, text }) =>
      text
        .split('\n')
        .filter((line) => line.startsWith('| `') && /\|\s*\|$/.test(line))
        .map((line) => `${path}: ${line}`),
    );
    expect(bare).toEqual([]);
  });
});

describe('the OpenAPI document', () => {
  it('is what the descriptors give', () => {
    expect(JSON.parse(read('openapi.json')), 'run `npm run reference`').toEqual(openApiDocument());
  });

  it('is valid for a validator that is not ours', async () => {
    const validator = new Validator();
    expect(await validator.validate(JSON.parse(read('openapi.json')))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
    const broken = { ...openApiDocument(), info: undefined };
    expect((await new Validator().validate(JSON.parse(JSON.stringify(broken)))).valid).toBe(false);
  });

  it('speaks of what travels: wire names, bare integers, codes, JSON in strings, lists as bodies', () => {
    const { paths } = JSON.parse(read('openapi.json'));
    const body = (path: string, method = 'post', type = 'application/json') =>
      paths[path][method].requestBody.content[type].schema;
    expect(body('/webapi/lite_api/v1/admin/clients').properties).toHaveProperty('trusted domains');
    expect(body('/openapi').properties.chatModelId).toMatchObject({ type: 'integer', format: 'int64' });
    expect(body('/v1/openapi/rag').properties.ragMode.oneOf).toContainEqual({ const: 1, title: 'hybrid' });
    expect(body('/v1/openapi/rag').properties.keywords).toMatchObject({ type: 'string' });
    expect(body('/v1/openapi/workspace/create').properties.settings).toMatchObject({
      type: 'string',
      contentMediaType: 'application/json',
    });
    expect(body('/v1/openapi/user', 'delete').type).toBe('array');
    expect(body('/v1/openapi/workspace/update').properties).not.toHaveProperty('omit');
    const upload = body('/v1/openapi/workspace/file/upload', 'post', 'multipart/form-data');
    expect(upload.properties.file).toMatchObject({ type: 'string', format: 'binary' });
    expect(upload.properties).toHaveProperty('eponymousCover');
    expect(paths['/lite_api/v1/robots/{robot_id}']).toHaveProperty('post.operationId', 'getAssistantByPOST');
  });

  it('has every operation once', () => {
    const { paths } = JSON.parse(read('openapi.json'));
    const ids = Object.values<Record<string, { operationId: string }>>(paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    expect(ids.filter((id) => !id.endsWith('ByPOST')).toSorted()).toEqual(
      operations.map(({ id }) => id).toSorted(),
    );
  });
});
