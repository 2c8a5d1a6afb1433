import { type Block, chunksOf, type Divided, prepare } from '../knowledge/chunk.ts';
import type { IndexDeps } from '../knowledge/folder.ts';
import { embeddedPicture, keepPictures } from '../knowledge/pictures.ts';
import { reasonOf } from '../knowledge/read.ts';
import type { Options } from '../options.ts';
import type { Documents, StoredDocument } from '../store/documents.ts';
import { createReader, READING_LIMITS, type Reader } from './reading.ts';
import { preparationOf } from './settings.ts';
import type { Uploads } from './uploads.ts';
import type { Workspaces } from './workspaces.ts';

/**
 * Matches names of files for which reading always fails, so that people can try a failure (platform contract STA-2:
 * states of a file).
 */
const BROKEN = /\.broken\.[^.]+$/i;

/** Number of chunks that are written at once. Writing them takes about 50 ms. */
const CHUNKS_PER_WRITE = 100;

interface IndexingDeps extends Pick<IndexDeps, 'clock' | 'documents' | 'images' | 'signal'> {
  readonly options: Pick<Options, 'fileStateMs'>;
  readonly uploads: Uploads;
  readonly workspaces: Workspaces;
}

/** Reads files after their upload. After a restart, continues with the files that were not read yet. */
export function createIndexing(deps: IndexingDeps) {
  const { documents, uploads } = deps;
  const busy = new Set<Promise<void>>();
  const reader = createReader(READING_LIMITS, deps.signal);
  let queue: Promise<unknown> = Promise.resolve();
  // All files wait at the same time, but only one is read at a time.
  const enqueueRead = (work: () => Promise<void>): Promise<void> => {
    const turn = queue.then(work);
    queue = turn.catch(() => undefined);
    return turn;
  };
  const enqueue = ({ id, hash }: StoredDocument): void => {
    const version = () => unfinished(documents.find(id), hash, deps.signal);
    const read = () => enqueueRead(() => readVersion(deps, reader, version));
    const work: Promise<void> = indexOne(deps, version, read)
      .catch(() => undefined)
      .finally(async () => {
        busy.delete(work);
        if (busy.size === 0) await reader.stop();
      });
    busy.add(work);
  };
  for (const document of documents.list()) {
    if (isDone(document) || !uploads.has(document.id)) continue;
    documents.update({ ...document, state: 'waiting' });
    enqueue(document);
  }
  return {
    /** Queues a file. If it is overwritten before it is read, only its newest version is read. */
    enqueue,
    /** Resolves once all queued files have been read. */
    idle: async () => void (await Promise.all(busy)),
  };
}

const isDone = ({ state }: StoredDocument): boolean => state === 'success' || state === 'fail';

/**
 * Returns the current row of a version that still must be read. Returns undefined if the version was deleted,
 * overwritten or read, or if the sandbox is closing.
 */
function unfinished(
  now: StoredDocument | undefined,
  hash: string,
  signal: AbortSignal,
): StoredDocument | undefined {
  return now === undefined || now.hash !== hash || isDone(now) || signal.aborted ? undefined : now;
}

/**
 * Moves a file from `waiting` to `underway`, then to `success` or `fail`, at the times that the clock says (platform
 * contract STA-2: states; FIX-4: one clock).
 */
async function indexOne(
  deps: IndexingDeps,
  version: () => StoredDocument | undefined,
  read: () => Promise<void>,
): Promise<void> {
  const { clock, documents, options, signal } = deps;
  await clock.sleep(options.fileStateMs, signal);
  const waiting = version();
  if (waiting === undefined) return;
  documents.update({ ...waiting, state: 'underway' });
  await clock.sleep(options.fileStateMs, signal);
  await read();
}

async function readVersion(
  deps: IndexingDeps,
  reader: Reader,
  version: () => StoredDocument | undefined,
): Promise<void> {
  const before = version();
  if (before === undefined) return;
  try {
    if (BROKEN.test(before.name)) throw new Error('The file is broken.');
    const blocks = await reader.read({ type: before.type, bytes: deps.uploads.bytes(before.id) });
    await keep(deps, blocks, version);
  } catch (error) {
    const now = version();
    if (now === undefined) return;
    deps.uploads.finish(now.id, '', deps.clock.now());
    deps.documents.replace({ ...now, state: 'fail', reason: shortReason(error) }, []);
  }
}

async function keep(
  { clock, documents, images, uploads, workspaces }: IndexingDeps,
  blocks: readonly Block[],
  version: () => StoredDocument | undefined,
): Promise<void> {
  const document = version();
  if (document === undefined) return;
  const preparation = preparationOf(workspaces.withId(document.workspace)?.settings ?? '');
  const pictures = await keepPictures(document.id, blocks, images, embeddedPicture);
  const prepared = prepare(blocks, document.title, pictures, preparation);
  await write(documents, prepared, version);
  const written = version();
  if (written === undefined) return;
  // Store the Markdown before the state, so that every file in state `success` has its Markdown.
  uploads.finish(written.id, markdownOf(blocks, pictures), clock.now());
  documents.update({ ...written, state: 'success', reason: '' });
}

/** Replaces the chunks a few at a time, so that the server can answer requests in between. */
async function write(
  documents: Documents,
  { title, passages }: Divided,
  version: () => StoredDocument | undefined,
): Promise<void> {
  for (let at = 0; at === 0 || at < passages.length; at += CHUNKS_PER_WRITE) {
    const now = version();
    if (now === undefined) return;
    const chunks = chunksOf(passages.slice(at, at + CHUNKS_PER_WRITE));
    if (at === 0) documents.replace({ ...now, title }, chunks);
    else documents.append(now, chunks, at);
    await new Promise(setImmediate);
  }
}

/**
 * Returns why reading failed, on one line of at most 300 characters. Messages of npm packages are too long for a list.
 */
const shortReason = (error: unknown): string => reasonOf(error).replace(/\s+/g, ' ').slice(0, 300);

/**
 * Returns the blocks as one Markdown text. Embedded pictures are replaced by links with their file ids, as in the
 * chunks.
 */
function markdownOf(blocks: readonly Block[], pictures: ReadonlyMap<string, string>): string {
  const texts = blocks.map((block) => {
    if (block.kind === 'heading') return `${'#'.repeat(block.level)} ${block.text}`;
    if (block.kind !== 'image') return block.text;
    const { alt, source } = block;
    return `![${alt}](${pictures.get(source) ?? (source.startsWith('data:') ? '' : source)})`;
  });
  return `${texts.join('\n\n')}\n`;
}
