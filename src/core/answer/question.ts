/** Makes the platform's question out of a message: its words, its quotes, its files, and what came before. */

import type { Question } from '../agents/agent.ts';
import type { Message } from '../message.ts';
import type { Notice } from '../reply.ts';
import type { SessionState } from '../stores/sessions.ts';
import { words } from '../words.ts';
import { type FileContext, openFiles } from './opened-files.ts';

export interface QuestionContext extends FileContext {
  readonly account?: string | undefined;
  /** BCP 47. */
  readonly locale?: string | undefined;
  /** BCP 47: chosen for answers. */
  readonly language?: string | undefined;
  readonly earlier?: SessionState | undefined;
  /** The person has agreed to send personal data. */
  readonly skipHint?: boolean;
}

export interface Asked {
  readonly question: Question;
  /** What could not be passed on, and why. */
  readonly notices: readonly Notice[];
}

export async function makeQuestion(message: Message, context: QuestionContext): Promise<Asked> {
  const { agent, account, earlier, language, locale, signal, skipHint = false } = context;
  const { images, documents, notices } = await openFiles(message.files, context);
  const call = { signal, ...(account !== undefined && { account }) };
  const ids = images.length === 0 ? [] : await agent.gateway.uploadImages(images, call);
  const added = documents.length === 0 ? [] : ((await context.documents?.add(documents)) ?? []);
  const question: Question = {
    text: message.text.trim() || wordsFor(documents.map(({ name }) => name)),
    quoted: message.quoted,
    images: ids,
    history: earlier?.history ?? [],
    ...(earlier?.session !== undefined && { session: earlier.session }),
    ...(account !== undefined && { account }),
    ...(locale !== undefined && { locale }),
    ...(skipHint && { skipHint }),
    ...(language !== undefined && { language }),
  };
  return { question, notices: [...notices, ...added] };
}

/** What is asked where somebody shared files without a word. */
function wordsFor(documents: readonly string[]): string {
  return documents.length === 0 ? words.lookAtImage : words.lookAtDocuments(documents);
}
