import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Documents, Replacement, StoredDocument } from '../store/documents.ts';
import type { Images } from '../store/images.ts';
import { type Block, chunksOf, type Preparation, prepare } from './chunk.ts';
import { embeddedPicture, keepPictures, pictureBeside, readCapped } from './pictures.ts';
import { isReadable, readBlocks, reasonOf } from './read.ts';

/** A file or folder whose documents are put into a workspace. */
export interface KnowledgeSource {
  readonly path: string;
  readonly workspace: string;
}

export interface IndexProgress {
  readonly done: number;
  readonly total: number;
}

export interface IndexDeps {
  readonly documents: Documents;
  readonly images: Images;
  /** Returns how the workspace's documents are prepared for search; undefined if the workspace does not exist. */
  readonly preparation: (workspace: string) => Preparation | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: IndexProgress) => void;
}

/** Version of the code that reads and divides files. When it changes, the sandbox reads all files again. */
const INDEX_VERSION = '2';
/** Maximum bytes of a document. A larger one gets the state `fail`. */
const FILE_LIMIT = 20 * 1024 * 1024;
/** Number of files that are loaded while another one is indexed. */
const READ_AHEAD = 4;
/** Maximum number of files from all sources together. */
const MAX_FILES = 10_000;

interface FoundFile extends KnowledgeSource {
  readonly root: string;
}

/**
 * Updates the index from the sources: reads new and changed files, and removes missing ones. Uploaded files stay.
 * Sources for a deleted workspace are skipped.
 */
export async function indexSources(sources: readonly KnowledgeSource[], deps: IndexDeps): Promise<void> {
  const open = sources.filter(({ workspace }) => deps.preparation(workspace) !== undefined);
  const files = (await Promise.all(open.map(filesOf))).flat().slice(0, MAX_FILES);
  const wanted = new Set(files.map((file) => file.path));
  for (const document of deps.documents.list())
    if (isAbsolute(document.path) && !wanted.has(document.path)) deps.documents.remove(document.id);
  const gathered = gather(deps.documents);
  const ahead = files.slice(0, READ_AHEAD).map(load);
  for (const [done, file] of files.entries()) {
    if (deps.signal.aborted) return;
    deps.onProgress({ done, total: files.length });
    const loaded = await (ahead.shift() ?? load(file));
    ahead.push(...files.slice(done + READ_AHEAD, done + READ_AHEAD + 1).map(load));
    await indexFile(file, loaded, { ...deps, documents: gathered.documents });
    // Let the server answer requests between two files.
    await new Promise(setImmediate);
  }
  gathered.flush();
  deps.onProgress({ done: files.length, total: files.length });
}

async function filesOf(source: KnowledgeSource): Promise<readonly FoundFile[]> {
  const root = resolve(source.path);
  const info = await stat(root).catch(() => undefined);
  if (info === undefined) return [];
  if (info.isFile()) return [{ path: root, root: dirname(root), workspace: source.workspace }];
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && isReadable(extension(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/(^|[\\/])(\.|node_modules[\\/])/.test(relative(root, path)))
    .sort()
    .map((path) => ({ path, root, workspace: source.workspace }));
}

const extension = (name: string): string => extname(name).slice(1).toLowerCase();

/**
 * Loads a file. The bytes are empty if the file is too large or cannot be read. `size` is the file's size in bytes in
 * any case.
 */
async function load(file: FoundFile) {
  const size = (await stat(file.path).catch(() => undefined))?.size ?? 0;
  const read = size > FILE_LIMIT ? undefined : await readCapped(file.path, FILE_LIMIT);
  const bytes = read ?? Buffer.alloc(0);
  return { size: Math.max(size, bytes.length), bytes };
}

async function indexFile(
  file: FoundFile,
  { size, bytes }: Awaited<ReturnType<typeof load>>,
  deps: IndexDeps,
): Promise<void> {
  const { documents } = deps;
  const preparation = deps.preparation(file.workspace);
  if (preparation === undefined) return;
  // Other settings give other chunks, so the hash covers the settings too, not only the content.
  const recipe = INDEX_VERSION + JSON.stringify(preparation);
  const hash = createHash('sha256').update(recipe).update(bytes).digest('hex');
  const known = documents.at(file.path);
  if (known?.hash === hash && known.workspace === file.workspace && known.state !== 'underway') return;
  const name = basename(file.path);
  const announced = documents.announce({
    workspace: file.workspace,
    path: file.path,
    name,
    title: basename(name, extname(name)),
    type: extension(name),
    size,
    hash,
    state: 'underway',
    reason: '',
    fullPath: `/${relative(file.root, file.path).replaceAll('\\', '/')}`,
    created: deps.clock.now(),
    modified: deps.clock.now(),
    createdBy: '',
    modifiedBy: '',
  });
  try {
    if (size > FILE_LIMIT) throw new Error(`The file is larger than ${FILE_LIMIT} bytes.`);
    if (bytes.length === 0) throw new Error('The file is empty or cannot be read.');
    await keepDocument(announced, await readBlocks(announced.type, bytes), preparation, deps);
  } catch (error) {
    documents.replace({ ...announced, state: 'fail', reason: reasonOf(error) }, []);
  }
}

async function keepDocument(
  document: StoredDocument,
  blocks: readonly Block[],
  preparation: Preparation,
  deps: IndexDeps,
): Promise<void> {
  const folder = dirname(document.path);
  const find = async (source: string) =>
    (await embeddedPicture(source)) ?? (await pictureBeside(source, folder));
  const pictures = await keepPictures(document.id, blocks, deps.images, find);
  const { title, passages } = prepare(blocks, document.title, pictures, preparation);
  deps.documents.replace({ ...document, title, state: 'success' }, chunksOf(passages));
}

/**
 * Characters of text to write in one transaction. FTS5 writes a segment at each commit and merges the segments later,
 * so one transaction for 32 small documents needs half the time of 32 transactions. Requests wait about 0.15 s while a
 * transaction is written.
 */
const CHARACTERS_PER_WRITE = 300_000;

/**
 * Collects replaced documents, so that many small ones are written together. `flush` writes the documents that are
 * still collected. If the sandbox stops before a document is written, the document stays in state `underway`, and is
 * read again at the next start.
 */
export function gather(documents: Documents) {
  let waiting: Replacement[] = [];
  let length = 0;
  const flush = () => {
    documents.replaceAll(waiting.flatMap((replacement) => currentVersion(replacement, documents)));
    waiting = [];
    length = 0;
  };
  const replace: Documents['replace'] = (document, chunks) => {
    waiting.push({ document, chunks });
    length += chunks.reduce((sum, chunk) => sum + chunk.text.length, 0);
    if (length >= CHARACTERS_PER_WRITE) flush();
  };
  return { documents: { ...documents, replace }, flush };
}

/**
 * Returns what to write for a document that was read some time ago: nothing if the document was deleted in the
 * meantime, otherwise the document with its current metadata, which may have been edited in the meantime.
 */
function currentVersion({ document, chunks }: Replacement, documents: Documents): readonly Replacement[] {
  const now = documents.find(document.id);
  return now === undefined ? [] : [{ document: { ...document, metadata: now.metadata }, chunks }];
}
