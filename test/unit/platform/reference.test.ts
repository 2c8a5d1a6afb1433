import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { samples } from '../../../src/cli/platform/samples.ts';
import { operations } from '../../../src/platform/api.ts';
import { callText } from '../../../tools/reference/calls.ts';
import { introductions } from '../../../tools/reference/introductions.ts';
import { openApiDocument } from '../../../tools/reference/openapi.ts';
import { referencePages } from '../../../tools/reference/pages.ts';
import { remarks } from '../../../tools/reference/remarks.ts';
import { headings } from '../../docs/pages.ts';

const docs = new URL('../../../docs/platform/', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, docs), 'utf8');

describe('the reference', () => {
  it.each(
    referencePages().map(({ path, text }) => [path, text]),
  )('%s matches the descriptors', (path, text) => {
    expect(read(path), 'run `npm run reference`').toBe(text);
  });

  it('contains only generated pages and the page for curl', () => {
    const made = referencePages().map(({ path }) => path);
    expect(readdirSync(docs).toSorted()).toEqual([...made, 'curl.md', 'openapi.json'].toSorted());
  });

  it('links only to existing headings', () => {
    const pages = new Map(referencePages().map(({ path, text }) => [path, text]));
    const anchors = [...pages].flatMap(([path, text]) =>
      [...text.matchAll(/\]\(([\w.]*)#(\w+)\)/g)].map(([, to = '', anchor = '']) => [to || path, anchor]),
    );
    expect(anchors.length).toBeGreaterThan(operations.length);
    for (const [to = '', anchor] of anchors) {
      const found = headings(pages.get(to) ?? '', 2).map((heading) => heading.toLowerCase());
      expect(found, `${to}#${anchor}`).toContain(anchor);
    }
  });

  it('describes which members of a request require each other', () => {
    const ruled = operations.filter(({ request }) => (request.def.checks ?? []).length > 0);
    expect(ruled.map(({ id }) => id)).toContain('retrieve');
    expect(ruled.filter(({ id }) => remarks[id] === undefined).map(({ id }) => id)).toEqual([]);
    const known = new Set(operations.map(({ id }) => id));
    expect(Object.keys(remarks).filter((id) => !known.has(id))).toEqual([]);
  });

  it.each(Object.entries(introductions))('introduces %s in two to four sentences', (_capability, text) => {
    const sentences = text.split(/\.(?:\s|$)/).filter((sentence) => sentence !== '');
    expect(sentences.length).toBeGreaterThanOrEqual(2);
    expect(sentences.length).toBeLessThanOrEqual(4);
  });

  it('contains places, limits and defaults', () => {
    const page = (path: string) => referencePages().find((each) => each.path === path)?.text ?? '';
    expect(page('files.md')).toContain('| `id` | query, bare integer | id | yes | Id of the file |');
    expect(page('media.md')).toContain('| `fileIds` | `file_id` | list of texts, at most 50 | yes |');
    expect(page('bots.md')).toContain('| `temperature` |  | number, 0 to 2 |  | Sampling temperature |');
    expect(page('retrieval.md')).toContain('| `topk` |  | whole number, at least 1 | default `5` |');
    expect(page('retrieval.md')).toContain('| `keywords` | sent as one text with \\| between the values |');
    expect(page('workspaces.md')).toContain('| `omit` | not sent |');
    expect(page('users.md')).toContain('**This operation cannot be undone.**');
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

describe('the examples', () => {
  /** Replaces file names in a sample request with file objects. */
  const withFiles = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(withFiles) : { name: String(value), size: 0, async *open() {} };

  it.each(operations)('of $id is a request that the operation accepts', ({ id, request }) => {
    const sample = Object.entries(samples[id] ?? {});
    const given = sample.map(([name, value]) => [name, /^files?$/.test(name) ? withFiles(value) : value]);
    expect(request.safeParse(Object.fromEntries(given)).error?.issues ?? []).toEqual([]);
  });

  it('exist for all operations and no others', () => {
    expect(Object.keys(samples).toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
  });

  it('in TypeScript compile, and a wrong one would not', () => {
    const wrong = "await client.call(api.deleteFile, { name: 'x' });";
    const said = compile([...operations.map(callText), wrong])
      .trim()
      .split('\n');
    expect(said.filter((line) => /error TS/.test(line))).toEqual([expect.stringContaining("'name'")]);
  });
});

describe('the OpenAPI document', () => {
  it('matches the descriptors', () => {
    expect(JSON.parse(read('openapi.json')), 'run `npm run reference`').toEqual(openApiDocument());
  });

  it('is valid according to an independent validator', async () => {
    const validator = new Validator();
    expect(await validator.validate(JSON.parse(read('openapi.json')))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
    const broken = { ...openApiDocument(), info: undefined };
    expect((await new Validator().validate(JSON.parse(JSON.stringify(broken)))).valid).toBe(false);
  });

  it('describes the wire format: wire names, bare integers, codes, JSON in strings, lists as bodies', () => {
    const { paths } = JSON.parse(read('openapi.json'));
    const body = (path: string, method = 'post', type = 'application/json') =>
      paths[path][method].requestBody.content[type].schema;
    expect(body('/webapi/lite_api/v1/admin/clients').properties).toHaveProperty('trusted domains');
    expect(body('/openapi').properties.chatModelId).toMatchObject({
      type: ['integer', 'null'],
      format: 'int64',
    });
    expect(body('/v1/openapi/rag').properties.ragMode).toEqual({
      type: 'integer',
      enum: [1, 2, 3],
      description: 'How to search: 1 hybrid, 2 embedding, 3 fullText',
    });
    expect(body('/v1/openapi/rag')).toMatchObject({
      required: ['ragObject', 'topk', 'ragMode'],
      anyOf: [{ required: ['query'] }, { required: ['keywords'] }],
    });
    expect(body('/v1/openapi/workspace/file').properties.pageSize).toMatchObject({ minimum: 1, default: 10 });
    expect(body('/v1/openapi/user/pageList').required).toEqual([
      'orderField',
      'orderType',
      'pageIndex',
      'pageSize',
    ]);
    expect(body('/v1/openapi/workspace/update').properties.quota.type).toEqual(['number', 'null']);
    expect(body('/webapi/knowledge/v1/file/ekb-temporary').properties.file_id).toMatchObject({
      minItems: 1,
      maxItems: 50,
    });
    expect(body('/v1/openapi/rag').properties.keywords.type).toEqual(['string', 'null']);
    expect(body('/v1/openapi/workspace/create').properties.settings).toMatchObject({
      type: ['string', 'null'],
      contentMediaType: 'application/json',
    });
    expect(body('/v1/openapi/user', 'delete').type).toBe('array');
    expect(body('/v1/openapi/workspace/update').properties).not.toHaveProperty('omit');
    const upload = body('/v1/openapi/workspace/file/upload', 'post', 'multipart/form-data');
    expect(upload.properties.file).toMatchObject({ type: 'string', format: 'binary' });
    expect(upload.properties).toHaveProperty('eponymousCover');
    const erased = paths['/v1/openapi/workspaceType'].delete;
    expect(erased.parameters).toMatchObject([{ name: 'ids', in: 'query', required: false }]);
    expect(erased.requestBody.required).toBe(false);
    const legacy = paths['/webapi/lite_api/v2/api/chat-with-bot/{agent_id}/upload-images'].post;
    expect([legacy.deprecated, Object.keys(legacy.responses)]).toEqual([true, ['200', '401', 'default']]);
    const robots = '/lite_api/v1/robots/{robot_id}';
    expect(paths[robots]).toHaveProperty('post.operationId', 'getAssistantByPOST');
    expect(body(robots).properties).toHaveProperty('internal_use');
    const named = paths[robots].get.parameters.map((each: { name: string; in: string }) => [
      each.name,
      each.in,
    ]);
    expect(named).toEqual([
      ['robot_id', 'path'],
      ['internal_use', 'query'],
    ]);
    const erasing = paths['/v1/openapi/workspace/file/deleteFilePhysically'].delete;
    expect(erasing.parameters).toMatchObject([{ name: 'id', in: 'query', schema: { format: 'int64' } }]);
  });

  it('contains every operation once', () => {
    const { paths } = JSON.parse(read('openapi.json'));
    const ids = Object.values<Record<string, { operationId: string }>>(paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    expect(ids.filter((id) => !id.endsWith('ByPOST')).toSorted()).toEqual(
      operations.map(({ id }) => id).toSorted(),
    );
  });
});

const root = new URL('../../../', import.meta.url).pathname;

/** Returns the compiler's output for these calls, each in its own block. */
function compile(calls: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-calls-'));
  const head = `import { type api as all, type fileFromDisk as fromDisk, type PlatformClient } from '${root}src/platform/api.ts';
declare const client: PlatformClient;
declare const api: typeof all;
declare const fileFromDisk: typeof fromDisk;
`;
  const options = {
    noEmit: true,
    rewriteRelativeImportExtensions: false,
    allowImportingTsExtensions: true,
    rootDir: '/',
    typeRoots: [`${root}node_modules/@types`],
  };
  writeFileSync(join(folder, 'calls.ts'), head + calls.map((call) => `{\n${call}\n}\n`).join(''));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: `${root}tsconfig.json`,
      compilerOptions: options,
      include: ['calls.ts'],
      exclude: [],
    }),
  );
  try {
    return spawnSync(`${root}node_modules/.bin/tsc`, ['-p', folder], { encoding: 'utf8' }).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
