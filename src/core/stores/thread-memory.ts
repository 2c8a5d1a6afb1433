/**
 * What is stored about a thread besides its sessions: its agent, its language, its last answer and the sources of this
 * answer.
 */

import { type AgentName, agentName, type TurnId } from '../ids.ts';
import { laneOf, type ThreadRef } from '../message.ts';
import type { Source } from '../reply.ts';
import { type KeyValues, ownerIn } from './keyed.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Milliseconds for which a thread's chosen agent and language are kept: 30 days, like a session. */
const CHOICE_KEPT_MS = 30 * DAY_MS;
/**
 * Milliseconds for which an answer's sources are kept. Their passages contain text of documents, so the sources expire
 * after a day, like a question kept for Retry (delivery contract 6).
 */
const SOURCES_KEPT_MS = DAY_MS;

/** Time in which `undo` can remove added documents, in milliseconds. */
const UNDO_MS = 10 * 60_000;

export interface Uploaded {
  readonly id: string;
  readonly name: string;
  readonly workspace: string;
}

/** Documents added with one question. */
export interface Uploads {
  readonly uploads: readonly Uploaded[];
  /** Id of the person who added them. */
  readonly by: string;
  /** The platform account used for the upload. */
  readonly account?: string | undefined;
  /** The platform that has the documents; absent for `main`. */
  readonly platform?: string | undefined;
}

export type ThreadMemory = ReturnType<typeof createThreadMemory>;

export function createThreadMemory(state: KeyValues) {
  const key = (what: string, thread: ThreadRef) => `${what} ${laneOf(thread)}`;
  const text = async (at: string) => {
    const value = await state.get(at);
    return typeof value === 'string' ? value : undefined;
  };
  const answer = async (thread: ThreadRef) => {
    const found = await state.get(key('answer', thread));
    return isAnswer(found) ? found : undefined;
  };
  /**
   * Returns the reference under which one person's choice for a direct room is stored. Each person has a separate
   * choice, because many people may share a direct room.
   */
  const personal = (thread: ThreadRef, person: string): ThreadRef => ({ ...thread, key: `of ${person}` });
  return {
    /** Resolves with the thread's choice; in a direct room, with the person's own choice if the thread has none. */
    async chosenAgent(thread: ThreadRef, person: string): Promise<AgentName | undefined> {
      const own = await text(key('agent', thread));
      const name =
        own ?? (thread.kind === 'direct' ? await text(key('agent', personal(thread, person))) : undefined);
      return name === undefined ? undefined : agentName(name);
    },
    /** @param person in a direct room, the choice also applies to this person's other threads there */
    async chooseAgent(thread: ThreadRef, agent: AgentName, person?: string): Promise<void> {
      await state.set(key('agent', thread), agent, CHOICE_KEPT_MS, ownerIn(thread));
      if (person === undefined || thread.kind !== 'direct') return;
      const own = key('agent', personal(thread, person));
      await state.set(own, agent, CHOICE_KEPT_MS, ownerIn(thread, person));
    },
    language: (thread: ThreadRef) => text(key('language', thread)),
    /** Sets the thread's language; `undefined` deletes it, so that the asker's own choice applies again. */
    speak: (thread: ThreadRef, language: string | undefined) =>
      language === undefined
        ? state.delete(key('language', thread))
        : state.set(key('language', thread), language, CHOICE_KEPT_MS, ownerIn(thread)),
    lastAnswer: async (thread: ThreadRef) => (await answer(thread))?.turn,
    /** Resolves with the turn whose answer is the latest prompt about this person's data. Expires after 24 hours. */
    lastPrompt: async (thread: ThreadRef, person: string) =>
      (await text(`${key('prompt', thread)} ${person}`)) as TurnId | undefined,
    /** Resolves to true for 30 days after any prompt about personal data in the thread. */
    hasPrompted: async (thread: ThreadRef) => (await state.get(key('prompted', thread))) === true,
    async keepPrompt(thread: ThreadRef, person: string, turn: TurnId): Promise<void> {
      await state.set(key('prompted', thread), true, CHOICE_KEPT_MS, ownerIn(thread));
      await state.set(`${key('prompt', thread)} ${person}`, turn, DAY_MS, ownerIn(thread, person));
    },
    /** Resolves with the documents that were last added in the thread. Expires after ten minutes. */
    async lastUploads(thread: ThreadRef): Promise<Uploads | undefined> {
      const found = await state.get(key('uploads', thread));
      return isUploads(found) ? found : undefined;
    },
    keepUploads: (thread: ThreadRef, uploads: Uploads) =>
      state.set(key('uploads', thread), uploads, UNDO_MS, ownerIn(thread, uploads.by)),
    forgetUploads: (thread: ThreadRef) => state.delete(key('uploads', thread)),
    lastSources: async (thread: ThreadRef) => (await answer(thread))?.sources ?? [],
    keepAnswer: (thread: ThreadRef, turn: TurnId, sources: readonly Source[]) =>
      state.set(key('answer', thread), { turn, sources } satisfies KeptAnswer, SOURCES_KEPT_MS, {
        ...ownerIn(thread),
        turn,
      }),
  };
}

interface KeptAnswer {
  readonly turn: TurnId;
  readonly sources: readonly Source[];
}

function isAnswer(value: unknown): value is KeptAnswer {
  return typeof value === 'object' && value !== null && 'turn' in value && 'sources' in value;
}

function isUploads(value: unknown): value is Uploads {
  return typeof value === 'object' && value !== null && 'uploads' in value && 'by' in value;
}
