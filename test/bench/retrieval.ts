/**
 * Measures how fast the sandbox reads documents, how fast it finds passages among 10,000 over HTTP, and how often it
 * finds the right one.
 */

import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningSandbox, startSandbox } from '../../sandbox/index.ts';
import { plausibleDocuments } from '../fakes/plausible-text.ts';
import { seeded } from '../fakes/seeded.ts';
import type { Figure } from './figure.ts';

const SEED = 20_260_105;
/** Minimum bytes of the generated documents, which make a little more than 10,000 passages. */
const BYTES = 7_400_000;
const WARM_UP = 20;
const SEARCHES = 300;
const P95_MS = 30;
/** Maximum milliseconds of the first search after a start. */
const FIRST_MS = 500;
const MB_A_SECOND = 2;
const RECALL = 0.65;
const CORPUS = new URL('../../sandbox/corpus', import.meta.url).pathname;

interface Question {
  readonly query: string;
  readonly file: string;
  readonly heading: string;
}

export async function run(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-retrieval-'));
  try {
    return [await shippedRecall(), ...(await amongMany(folder))];
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function shippedRecall(): Promise<Figure> {
  const sandbox = await startSandbox({ port: 0, memory: true });
  await sandbox.indexed;
  const recall = await recallOf(await questions(), await finder(sandbox));
  await sandbox.close();
  return atLeast('retrieval: recall@5, shipped documents', recall, RECALL, '');
}

async function amongMany(folder: string): Promise<readonly Figure[]> {
  const written = await writeDocuments(join(folder, 'documents'));
  const began = performance.now();
  const settings = { port: 0, data: join(folder, 'data') };
  const sandbox = await startSandbox({ ...settings, knowledge: [join(folder, 'documents')] });
  await sandbox.indexed;
  const speed = written.bytes / 1e6 / ((performance.now() - began) / 1_000);
  await sandbox.close();

  const both = await startSandbox({ ...settings, knowledge: [join(folder, 'documents'), CORPUS] });
  await both.indexed;
  const find = await finder(both);
  const first = await timed(() => find('how long is a visitor pass valid'));
  const times = await measure(written.queries, find);
  const asked = (await questions()).filter(({ file }) => both.documents().some(({ name }) => name === file));
  const recall = await recallOf(asked, find);
  await both.close();
  return [
    atLeast('retrieval: documents read and indexed on disk', speed, MB_A_SECOND, 'MB/s'),
    atMost('retrieval: hybrid search among 10,000 passages, p50', at(times, 0.5), P95_MS),
    atMost('retrieval: hybrid search among 10,000 passages, p95', at(times, 0.95), P95_MS),
    atMost('retrieval: hybrid search among 10,000 passages, worst', at(times, 1), 10 * P95_MS),
    atMost('retrieval: the first search after a start', first, FIRST_MS),
    {
      name: 'retrieval: recall@5 among 10,000 others',
      value: recall,
      unit: '',
      target: 'as measured',
      ok: true,
    },
  ];
}

/** Writes the documents, and makes questions from some of their sentences. */
async function writeDocuments(folder: string): Promise<{ bytes: number; queries: readonly string[] }> {
  await mkdir(folder, { recursive: true });
  const random = seeded(SEED);
  const queries: string[] = [];
  let bytes = 0;
  for (const { name, text } of plausibleDocuments(SEED)) {
    await writeFile(join(folder, name), text);
    bytes += Buffer.byteLength(text);
    if (random() < 0.5) queries.push(queryFrom(text, random()));
    if (bytes >= BYTES) break;
  }
  return { bytes, queries };
}

/** Returns a question with words of one sentence; one question in fifty is a whole document. */
function queryFrom(text: string, where: number): string {
  const sentences = text
    .split(/(?<=[.。])\s*/u)
    .filter((sentence) => sentence.length > 12 && !sentence.includes('#'));
  const middle = sentences[Math.floor(where * sentences.length)] ?? text;
  if (where < 0.02) return text;
  return middle.includes(' ')
    ? `what about ${middle.split(' ').slice(0, 8).join(' ')}?`
    : middle.slice(0, 14);
}

async function measure(queries: readonly string[], find: Find): Promise<readonly number[]> {
  const times: number[] = [];
  for (let index = 0; index < WARM_UP + SEARCHES; index += 1) {
    const took = await timed(() => find(queries[index % queries.length] ?? ''));
    if (index >= WARM_UP) times.push(took);
  }
  return times.sort((a, b) => a - b);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

interface Item {
  readonly fileName: string;
  readonly metadata: { readonly Heading: string };
}

type Find = (query: string) => Promise<readonly Item[]>;

/** Signs in once. Returns a function that searches over HTTP with the default settings. */
async function finder(sandbox: RunningSandbox): Promise<Find> {
  const token = await signIn(sandbox);
  return async (query) => {
    const response = await fetch(`${sandbox.url}/v1/openapi/rag`, {
      method: 'POST',
      headers: { authorization: `openapi ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, ragObject: 0, ragMode: 1, topk: 5 }),
    });
    const answer = (await response.json()) as { success: boolean; msg: string; data: { results: Item[] } };
    if (!answer.success) throw new Error(`Retrieval failed: ${answer.msg}`);
    return answer.data.results;
  };
}

async function signIn({ url, catalogue }: RunningSandbox): Promise<string> {
  const { client, secret, account } = catalogue.openClient;
  const timestamp = Date.now();
  const nonce = randomBytes(3).toString('hex');
  const plain = `client:${client}secret:${secret}account:${account}timestamp:${timestamp}nonce:${nonce}`;
  const signature = createHash('md5').update(plain).digest('hex');
  const response = await fetch(`${url}/openapi/auth/client_with_account`, {
    method: 'POST',
    body: JSON.stringify({ client, account, timestamp, nonce, signature }),
  });
  return ((await response.json()) as { data: { access_token: string } }).data.access_token;
}

async function questions(): Promise<readonly Question[]> {
  const file = new URL('../recorded/retrieval/questions.json', import.meta.url);
  const { answered } = JSON.parse(await readFile(file, 'utf8')) as { answered: [string, string, string][] };
  return answered.map(([query, name, heading]) => ({ query, file: name, heading }));
}

async function recallOf(asked: readonly Question[], find: Find): Promise<number> {
  let found = 0;
  for (const { query, file, heading } of asked) {
    const answers = ({ fileName, metadata }: Item): boolean =>
      fileName === file && metadata.Heading.split(' › ').includes(heading);
    if ((await find(query)).some(answers)) found += 1;
  }
  return found / asked.length;
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;

const atLeast = (name: string, value: number, target: number, unit: string): Figure => ({
  name,
  value,
  unit,
  target: `>= ${target} ${unit}`.trim(),
  ok: value >= target,
});

const atMost = (name: string, value: number, target: number): Figure => ({
  name,
  value,
  unit: 'ms',
  target: `<= ${target} ms`,
  ok: value <= target,
});
