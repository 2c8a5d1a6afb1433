/** Makes the platform's question out of a message: its words, its quotes, its images, and what came before. */

import type { Agent, ImageFile, Question } from './agent.ts';
import { imageTypeOf } from './image.ts';
import type { FileRef, Message } from './message.ts';
import type { Notice } from './reply.ts';
import type { SessionState } from './stores.ts';
import { words } from './words.ts';

/** Platform contract IMG-5. */
const MAX_IMAGES = 10;
const MEBIBYTE = 1024 * 1024;
const MAX_IMAGE_BYTES = 10 * MEBIBYTE;

export interface QuestionContext {
  readonly agent: Agent;
  readonly account?: string | undefined;
  /** BCP 47. */
  readonly locale?: string | undefined;
  readonly earlier?: SessionState | undefined;
  openFile(file: FileRef, limit: number): Promise<Uint8Array>;
  readonly signal: AbortSignal;
}

export interface Asked {
  readonly question: Question;
  /** What could not be passed on, and why. */
  readonly notices: readonly Notice[];
}

export async function makeQuestion(message: Message, context: QuestionContext): Promise<Asked> {
  const { agent, account, earlier, locale, signal } = context;
  const { images, notices } = await openImages(message.files, context);
  const call = { signal, ...(account !== undefined && { account }) };
  const ids = images.length === 0 ? [] : await agent.gateway.uploadImages(images, call);
  const question: Question = {
    text: message.text.trim() || words.lookAtImage,
    quoted: message.quoted,
    images: ids,
    history: earlier?.history ?? [],
    ...(earlier?.session !== undefined && { session: earlier.session }),
    ...(account !== undefined && { account }),
    ...(locale !== undefined && { locale }),
  };
  return { question, notices };
}

interface OpenedImages {
  readonly images: readonly ImageFile[];
  readonly notices: readonly Notice[];
}

async function openImages(files: readonly FileRef[], context: QuestionContext): Promise<OpenedImages> {
  if (files.length === 0) return { images: [], notices: [] };
  if (!context.agent.gateway.sees.images) return { images: [], notices: [warning(words.seesNoImages)] };
  const images: ImageFile[] = [];
  const notices: Notice[] = [];
  for (const file of files.slice(0, MAX_IMAGES)) {
    const opened = await openImage(file, context);
    if ('bytes' in opened) images.push(opened);
    else notices.push(opened);
  }
  if (files.length > MAX_IMAGES) notices.push(warning(words.tooManyImages(MAX_IMAGES)));
  return { images, notices };
}

async function openImage(file: FileRef, context: QuestionContext): Promise<ImageFile | Notice> {
  if (file.bytes > MAX_IMAGE_BYTES)
    return warning(words.imageTooLarge(file.name, MAX_IMAGE_BYTES / MEBIBYTE));
  try {
    const bytes = await context.openFile(file, MAX_IMAGE_BYTES);
    const type = imageTypeOf(bytes);
    return type === undefined ? warning(words.fileNotPassed(file.name)) : { name: file.name, type, bytes };
  } catch {
    context.signal.throwIfAborted();
    return warning(words.imageUnreadable(file.name));
  }
}

function warning(text: string): Notice {
  return { tone: 'warning', text };
}
