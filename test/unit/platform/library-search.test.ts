import { expect, it } from 'vitest';
import { createLibrary } from '../../../src/platform/library.ts';
import { Secret } from '../../../src/secret.ts';
import { sendJson } from '../../fakes/hostile-platform.ts';
import { eachWithRig } from './typed-client.ts';

const rig = eachWithRig();

const hit = (fileId: string, scores: object) => ({
  chunkId: `c-${fileId}`,
  fileId,
  fileName: `File ${fileId}.pdf`,
  content: 'A passage.',
  url: `/files/${fileId}`,
  ...scores,
});

async function search(results: readonly unknown[]) {
  rig.server.on('/v1/openapi/rag', (_request, response) =>
    sendJson(response, { success: true, msg: '', data: { searchId: '1', results } }),
  );
  const open = {
    kind: 'client-account' as const,
    client: 'demo',
    secret: new Secret('client-secret-1'),
    account: 'service',
  };
  const library = createLibrary(rig.owner.platform.client({ open }), undefined as never);
  return library.search('hotels', {}, { signal: new AbortController().signal });
}

it('a search reports the score that ranked the passages; a 0 of a missing reranker does not count', async () => {
  const found = await search([
    hit('1', { searchScore: 0.15, rrfScore: 0.0328, rerankScore: 0 }),
    hit('2', { searchScore: 0.62, rrfScore: 0.0161, rerankScore: 0 }),
  ]);
  expect(found.map(({ score, source }) => [score, source.score])).toEqual([
    [{ kind: 'rank', value: 0.0328 }, 0.15],
    [{ kind: 'rank', value: 0.0161 }, 0.62],
  ]);
});

it.each([
  ['a reranker', { searchScore: 0.2, rrfScore: 0.03, rerankScore: 0.9 }, { kind: 'relevance', value: 0.9 }],
  ['a reranker with scores above 1', { rerankScore: 7.5 }, { kind: 'rank', value: 7.5 }],
  ['one index alone', { searchScore: 0.2, rrfScore: 0, rerankScore: 0 }, { kind: 'relevance', value: 0.2 }],
  ['one index alone, other scores absent', { searchScore: 0.2 }, { kind: 'relevance', value: 0.2 }],
  ['no score', {}, undefined],
])('a search ranked by %s reports that score', async (_name, scores, score) => {
  const [found] = await search([hit('1', scores)]);
  expect(found?.score).toEqual(score);
});

it('a search keeps the link of each file', async () => {
  const found = await search([hit('1', {}), hit('2', {})]);
  expect(found.map(({ source }) => source.link)).toEqual([
    `${rig.server.url}/files/1`,
    `${rig.server.url}/files/2`,
  ]);
});

it('a search names a document by the title in its metadata, else by its file name', async () => {
  const found = await search([
    { ...hit('1', {}), metadata: { Title: 'Hotels abroad' } },
    { ...hit('2', {}), metadata: JSON.stringify({ Title: ' ' }) },
    hit('3', {}),
  ]);
  expect(found.map(({ source }) => source.title)).toEqual(['Hotels abroad', 'File 2.pdf', 'File 3.pdf']);
});
