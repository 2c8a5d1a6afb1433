/** Builds the platform's question from a message: its text, quotes and files, and the earlier conversation. */

import { ownWords } from '../../errors.ts';
import type { Agent, ImageFile, Question } from '../agents/agent.ts';
import { imageTypeOf } from '../agents/image.ts';
import type { LibraryDocument } from '../agents/library.ts';
import type { FileRef, Message } from '../message.ts';
import type { Notice } from '../reply.ts';
import type { SessionState } from '../stores/sessions.ts';
import { words } from '../words.ts';
import type { AddDocuments } from './documents.ts';

export interface QuestionContext extends FileContext {
  readonly account?: string | undefined;
  /** Locale of the person who asks, as a BCP 47 tag. */
  readonly locale?: string | undefined;
  /** The language chosen for the answer as a BCP 47 tag. */
  readonly language?: string | undefined;
  readonly earlier?: SessionState | undefined;
  /** True if the person agreed to send personal data. */
  readonly skipHint?: boolean;
}

interface Asked {
  readonly question: Question;
  /** Notices about files that the agent does not get, each with the reason. */
  readonly notices: readonly Notice[];
}

export async function makeQuestion(message: Message, context: QuestionContext): Promise<Asked> {
  const { agent, account, earlier, language, locale, signal, skipHint = false } = context;
  const { images, documents, notices } = await openFiles(message.files, context);
  const ids = images.length === 0 ? [] : await agent.gateway.uploadImages(images, { signal, account });
  const added = documents.length === 0 ? [] : ((await context.documents?.(documents)) ?? []);
  const question: Question = {
    text: message.text.trim() || wordsFor(documents.map(({ name }) => name)),
    quoted: message.quoted,
    images: ids,
    history: earlier?.history ?? [],
    session: earlier?.session,
    account,
    locale,
    language,
    ...(skipHint && { skipHint }),
  };
  return { question, notices: [...notices, ...added] };
}

/** Returns the text that the agent gets if people attach files and write no text. */
function wordsFor(documents: readonly string[]): string {
  return documents.length === 0 ? words.lookAtImage : words.lookAtDocuments(documents);
}

/** Maximum number of images of a question (platform contract IMG-5). */
const MAX_IMAGES = 10;
const MEBIBYTE = 1024 * 1024;
const MAX_IMAGE_BYTES = 10 * MEBIBYTE;
/** Maximum size of one document in bytes; it is held in memory during its upload. */
const MAX_DOCUMENT_BYTES = 20 * MEBIBYTE;

export interface FileContext {
  readonly agent: Agent;
  /** Uploads attached documents so that the agent finds them; absent if the policy does not allow it. */
  readonly documents?: AddDocuments | undefined;
  openFile(file: FileRef, limit: number): Promise<Uint8Array>;
  readonly signal: AbortSignal;
}

interface OpenedFiles {
  readonly images: readonly ImageFile[];
  readonly documents: readonly LibraryDocument[];
  readonly notices: readonly Notice[];
}

export async function openFiles(files: readonly FileRef[], context: FileContext): Promise<OpenedFiles> {
  const images: ImageFile[] = [];
  const documents: LibraryDocument[] = [];
  const notices = new Map<string, Notice>();
  const warn = (text: string) => notices.set(text, { tone: 'warning', text });
  for (const file of files.slice(0, MAX_IMAGES)) {
    const opened = await openOne(file, context);
    if (typeof opened === 'string') warn(opened);
    else if (opened.kind === 'image') images.push(opened.image);
    else documents.push(opened.document);
  }
  if (files.length > MAX_IMAGES)
    warn(context.documents ? words.tooManyFiles(MAX_IMAGES) : words.tooManyImages(MAX_IMAGES));
  return { images, documents, notices: [...notices.values()] };
}

type Opened =
  | { readonly kind: 'image'; readonly image: ImageFile }
  | { readonly kind: 'document'; readonly document: LibraryDocument };

/** Returns the opened file, or a sentence for the person that explains why the agent does not get it. */
async function openOne(file: FileRef, context: FileContext): Promise<Opened | string> {
  const { sees } = context.agent.gateway;
  const takesDocuments = context.documents !== undefined;
  if (!sees.images && !takesDocuments)
    return seemsImage(file) ? words.seesNoImages : words.takesNoFiles(file.name);
  const limit = takesDocuments ? MAX_DOCUMENT_BYTES : MAX_IMAGE_BYTES;
  if (file.bytes > limit) return tooLarge(file, takesDocuments);
  try {
    const bytes = await context.openFile(file, limit);
    return sort(file, bytes, context);
  } catch (thrown) {
    context.signal.throwIfAborted();
    return ownWords(thrown) ?? words.imageUnreadable(file.name);
  }
}

/** Judges a file by its reported type and name, because a file that the agent does not get is not downloaded. */
const seemsImage = ({ name, type }: FileRef): boolean =>
  type.startsWith('image/') || /\.(?:png|jpe?g|gif|webp)$/i.test(name);

function sort(file: FileRef, bytes: Uint8Array, { agent, documents }: FileContext): Opened | string {
  const { name } = file;
  const type = imageTypeOf(bytes);
  if (type === undefined) {
    const document = { name, type: file.type || 'application/octet-stream', bytes };
    return documents === undefined ? words.fileNotPassed(name) : { kind: 'document', document };
  }
  if (!agent.gateway.sees.images) return words.seesNoImages;
  if (bytes.byteLength > MAX_IMAGE_BYTES) return tooLarge(file, false);
  return { kind: 'image', image: { name, type, bytes } };
}

function tooLarge({ name }: FileRef, documents: boolean): string {
  return documents
    ? words.documentTooLarge(name, MAX_DOCUMENT_BYTES / MEBIBYTE)
    : words.imageTooLarge(name, MAX_IMAGE_BYTES / MEBIBYTE);
}
