import type { Clock } from '../clock.ts';
import type { Block } from '../knowledge/blocks.ts';
import { chunkOf, divide } from '../knowledge/chunk.ts';
import { embeddedPicture, keepPictures } from '../knowledge/pictures.ts';
import { readBlocks } from '../knowledge/read.ts';
import type { Images } from '../media/images.ts';
import type { Documents, StoredDocument } from '../store/documents.ts';
import { cutPassages } from './cut.ts';
import { preparationOf } from './settings.ts';
import type { Uploads } from './uploads.ts';
import type { Workspaces } from './workspaces.ts';

/** Names that always fail, so that failing can be tried (platform contract STA-2). */
const BROKEN = /\.broken\.[^.]+$/i;

export interface ShelvingParts {
  readonly clock: Clock;
  readonly documents: Documents;
  readonly images: Images;
  readonly uploads: Uploads;
  readonly workspaces: Workspaces;
  /** Milliseconds that a file stays in each of the states before its last one. */
  readonly stateMs: () => number;
  readonly signal: AbortSignal;
}

/** Reads uploaded files after their upload, one after the other. */
export interface Shelving {
  /** Puts a file into the row of those to be read; the latest version of it is what is read. */
  enqueue(document: string): void;
  /** Resolves when nothing is left to read. */
  idle(): Promise<void>;
}

/** Goes on with what an earlier life left unread. */
export function createShelving(parts: ShelvingParts): Shelving {
  let row: Promise<void> = Promise.resolve();
  const enqueue = (document: string): void => {
    row = row.then(() => shelve(parts, document)).catch(() => undefined);
  };
  for (const { id, state } of parts.documents.list()) {
    if (state !== 'success' && state !== 'fail' && parts.uploads.bytes(id) !== undefined) enqueue(id);
  }
  return { enqueue, idle: () => row };
}

/** waiting → underway → success or fail, by the clock (platform contract STA-2, FIX-4). */
async function shelve(parts: ShelvingParts, id: string): Promise<void> {
  const { clock, documents, uploads, stateMs, signal } = parts;
  await clock.sleep(stateMs(), signal);
  const waiting = documents.find(id);
  if (waiting === undefined || signal.aborted || waiting.state !== 'waiting') return;
  documents.update({ ...waiting, state: 'underway' });
  await clock.sleep(stateMs(), signal);
  if (signal.aborted) return;
  const { hash } = waiting;
  const blocks = await blocksOf(waiting, uploads).catch((error: unknown) => reasonOf(error));
  const now = documents.find(id);
  // It may have been deleted, or overwritten by another version that has its own place in the row.
  if (now === undefined || now.hash !== hash || signal.aborted) return;
  if (typeof blocks === 'string') documents.replace({ ...now, state: 'fail', reason: blocks }, []);
  else await keep(parts, now, blocks);
  uploads.finish(id, typeof blocks === 'string' ? '' : markdownOf(blocks), clock.now());
}

async function blocksOf(document: StoredDocument, uploads: Uploads): Promise<readonly Block[]> {
  if (BROKEN.test(document.name)) throw new Error('The file is broken.');
  return await readBlocks(document.type, Buffer.from(uploads.bytes(document.id) ?? []));
}

async function keep(parts: ShelvingParts, document: StoredDocument, blocks: readonly Block[]): Promise<void> {
  const { documents, images, workspaces } = parts;
  const { cutting, enabled } = preparationOf(workspaces.withId(document.workspace)?.settings ?? '');
  const links = await keepPictures(document.id, blocks, images, embeddedPicture);
  const link = (source: string) => links.get(source);
  // Cut by characters, a section is whole before that, so that each piece but its first can repeat the one before.
  const divided = divide(
    blocks,
    document.title,
    link,
    ...(cutting === undefined ? [] : [Number.POSITIVE_INFINITY]),
  );
  const { title, passages } = divided;
  const cut = cutting === undefined ? passages : cutPassages(passages, cutting);
  const chunks = enabled ? cut.map((passage) => chunkOf(title, passage)) : [];
  documents.replace({ ...document, title, state: 'success', reason: '' }, chunks);
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : 'The file cannot be read.';

/** What was read, as one Markdown text; pictures are named by their alternative text. */
function markdownOf(blocks: readonly Block[]): string {
  const texts = blocks.map((block) => {
    if (block.kind === 'heading') return `${'#'.repeat(block.level)} ${block.text}`;
    return block.kind === 'image' ? `![${block.alt}]()` : block.text;
  });
  return `${texts.join('\n\n')}\n`;
}
