/** Builds the platform's question from a message: its text, quotes and files, and the earlier conversation. */

import { BridgeError, ownWords } from '../../errors.ts';
import type { Agent, ImageFile, Question } from '../agents/agent.ts';
import { imageTypeOf } from '../agents/image.ts';
import type { LibraryDocument } from '../agents/library.ts';
import { type FileRef, type Message, ownQuotes, type Quote } from '../message.ts';
import type { Notice } from '../reply.ts';
import type { SessionState } from '../stores/sessions.ts';
import { words } from '../words.ts';
import type { AddDocuments } from './documents.ts';

export interface QuestionContext
  extends FileContext,
    Pick<Question, 'account' | 'locale' | 'language' | 'skipHint' | 'lite'> {
  readonly earlier?: SessionState | undefined;
}

interface MadeQuestion {
  readonly question: Question;
  /** Notices about what the agent does not get: one with the reasons, and those about documents. */
  readonly notices: readonly Notice[];
}

/** @throws BridgeError `question-empty` if the message has no words, and nothing of what it contains reaches the agent */
export async function makeQuestion(message: Message, context: QuestionContext): Promise<MadeQuestion> {
  const { agent, account, earlier, language, lite, locale, signal, skipHint = false } = context;
  const opened = await openFiles(message.files, context);
  const { images, documents } = opened;
  const ids = images.length === 0 ? [] : await agent.gateway.uploadImages(images, { signal, account });
  const added = documents.length === 0 ? [] : ((await context.documents?.(documents)) ?? []);
  const isLost = (_: LibraryDocument, index: number) => added[index]?.notice.tone === 'warning';
  const lost = documents.filter(isLost).map(({ name }) => theFile(name));
  const given = documents.filter((each, index) => !isLost(each, index)).map(({ name }) => name);
  const found = added.flatMap(({ file }) => (file === undefined ? [] : [file]));
  const { omitted: unsent = [] } = message;
  const omitted = [...unsent, ...opened.omitted, ...lost];
  const quoted = [...message.quoted, ...opened.texts];
  const reasons = [...opened.reasons, ...(unsent.length === 0 ? [] : [words.notIncluded(unsent)])];
  const text = message.text.trim() || wordsFor({ images: ids, documents: given, quoted });
  if (text === undefined) throw nothingToAsk([...reasons, ...added.map(({ notice }) => notice.text)]);
  const question: Question = {
    text,
    asker: message.sender,
    thread: message.thread,
    quoted,
    images: ids,
    history: earlier?.history ?? [],
    session: earlier?.session,
    account,
    locale,
    language,
    ...(found.length > 0 && { documents: found }),
    ...(omitted.length > 0 && { omitted }),
    ...(skipHint && { skipHint }),
    ...(lite !== undefined && { lite }),
  };
  const warnings: readonly Notice[] =
    reasons.length === 0 ? [] : [{ tone: 'warning', text: reasons.join(' ') }];
  return { question, notices: [...warnings, ...added.map(({ notice }) => notice)] };
}

interface Given extends Pick<Question, 'images' | 'quoted'> {
  readonly documents: readonly string[];
}

/** Returns the question's text if the person wrote none; undefined if the agent gets no other content either. */
function wordsFor({ images, documents, quoted }: Given): string | undefined {
  if (documents.length > 0) return words.lookAtDocuments(documents);
  if (images.length > 0) return words.lookAtImage;
  return ownQuotes(quoted).length > 0 ? words.sayWhatItIsAbout : undefined;
}

const nothingToAsk = (reasons: readonly string[]): BridgeError =>
  new BridgeError('question-empty', 'The message has no words, and the agent gets nothing else of it.', {
    tellUser: [...reasons, words.nothingToAsk].join(' '),
  });

const theFile = (name: string): string => `the file ${name}`;

/** Maximum number of files of a question; also the platform's limit for images (platform contract IMG-5). */
const MAX_FILES = 10;
const MEBIBYTE = 1024 * 1024;
const MAX_IMAGE_BYTES = 10 * MEBIBYTE;
/** Maximum size of one document in bytes; it is held in memory during its upload. */
const MAX_DOCUMENT_BYTES = 20 * MEBIBYTE;
/** Maximum UTF-16 units of a text file that the agent reads with the question. */
const MAX_TEXT_CHARS = 12_000;

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
  /** Texts of files that the agent reads with the question. */
  readonly texts: readonly Quote[];
  /** Descriptions of what the agent does not get. */
  readonly omitted: readonly string[];
  /** Sentences for the person that explain why, without repetitions. */
  readonly reasons: readonly string[];
}

export async function openFiles(files: readonly FileRef[], context: FileContext): Promise<OpenedFiles> {
  const images: ImageFile[] = [];
  const documents: LibraryDocument[] = [];
  const texts: Quote[] = [];
  const omitted: string[] = [];
  const reasons = new Set<string>();
  for (const file of files.slice(0, MAX_FILES)) {
    const isEarlier = file.earlier === true;
    const { image, document, text, refusal } = await openOne(
      file,
      isEarlier ? { ...context, documents: undefined } : context,
    );
    if (image) images.push(image);
    if (document) documents.push(document);
    if (text) texts.push({ author: file.name, text: beginning(text.words), kind: 'file' });
    if (text?.isCut || (text && text.words.length > MAX_TEXT_CHARS)) omitted.push(words.restOf(file.name));
    if (refusal) omitted.push(theFile(file.name));
    if (refusal && !isEarlier) reasons.add(refusal);
  }
  omitted.push(...files.slice(MAX_FILES).map(({ name }) => theFile(name)));
  if (files.filter(({ earlier }) => earlier !== true).length > MAX_FILES)
    reasons.add(context.documents ? words.tooManyFiles(MAX_FILES) : words.tooManyImages(MAX_FILES));
  return { images, documents, texts, omitted, reasons: [...reasons] };
}

const beginning = (text: string): string => text.slice(0, MAX_TEXT_CHARS).toWellFormed();

interface Opened {
  readonly image?: ImageFile;
  readonly document?: LibraryDocument;
  /** `isCut`: the channel sent only the beginning of the file. */
  readonly text?: { readonly words: string; readonly isCut: boolean };
  /** A sentence for the person that explains why the agent does not get the file. */
  readonly refusal?: string;
}

async function openOne(file: FileRef, context: FileContext): Promise<Opened> {
  const { preview, bytes } = file;
  const opened = await openWhole(file, context);
  if (preview === undefined || opened.text !== undefined || opened.image !== undefined) return opened;
  const isCut = Buffer.byteLength(preview) < bytes;
  const { document } = opened;
  return { text: { words: preview, isCut: isCut && document === undefined }, ...(document && { document }) };
}

async function openWhole(file: FileRef, context: FileContext): Promise<Opened> {
  const { sees } = context.agent.gateway;
  const takesDocuments = context.documents !== undefined;
  if (!sees.images && !takesDocuments && !seemsText(file))
    return { refusal: seemsImage(file) ? words.seesNoImages : words.takesNoFiles(file.name) };
  const limit = takesDocuments ? MAX_DOCUMENT_BYTES : MAX_IMAGE_BYTES;
  if (file.bytes > limit) return { refusal: tooLarge(file, takesDocuments) };
  try {
    return sort(file, await context.openFile(file, limit), context);
  } catch (thrown) {
    context.signal.throwIfAborted();
    return { refusal: ownWords(thrown) ?? words.imageUnreadable(file.name) };
  }
}

/** Judges a file by its reported type and name, because a file that the agent does not get is not downloaded. */
const seemsImage = ({ name, type }: FileRef): boolean =>
  type.startsWith('image/') || /\.(?:png|jpe?g|gif|webp)$/i.test(name);

const seemsText = ({ name, type }: FileRef): boolean =>
  /^text\/|^application\/(?:json|xml|yaml|x-yaml|javascript|x-sh|sql|toml)$|\+(?:json|xml)$/.test(type) ||
  /\.(?:txt|log|md|csv|tsv|json|xml|ya?ml|toml|ini|sql|diff|patch)$/i.test(name);

function sort(file: FileRef, bytes: Uint8Array, { agent, documents }: FileContext): Opened {
  const { name } = file;
  const type = imageTypeOf(bytes);
  if (type !== undefined) {
    if (!agent.gateway.sees.images) return { refusal: words.seesNoImages };
    if (bytes.byteLength > MAX_IMAGE_BYTES) return { refusal: tooLarge(file, false) };
    return { image: { name, type, bytes } };
  }
  if (documents !== undefined)
    return { document: { name, type: file.type || 'application/octet-stream', bytes } };
  const text = seemsText(file) ? textOf(bytes) : undefined;
  return text === undefined
    ? { refusal: words.fileNotPassed(name) }
    : { text: { words: text, isCut: false } };
}

/** Returns the text of UTF-8 bytes; undefined if they are something else. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') || text.trim() === '' ? undefined : text;
  } catch {
    return undefined;
  }
}

function tooLarge({ name }: FileRef, documents: boolean): string {
  return documents
    ? words.documentTooLarge(name, MAX_DOCUMENT_BYTES / MEBIBYTE)
    : words.imageTooLarge(name, MAX_IMAGE_BYTES / MEBIBYTE);
}
