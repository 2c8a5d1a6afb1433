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
