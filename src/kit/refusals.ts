/**
 * Notes that tell people why their question was refused. The channel's event is acknowledged before its note is sent.
 * The note is therefore stored until it is sent, so that after a crash the next process sends it.
 */

import { z } from 'zod';
import type { AdapterHost } from '../core/channel/host.ts';
import type { Message } from '../core/message.ts';
import { ownerIn } from '../core/stores/keyed.ts';
import type { Background } from './background.ts';
import { list } from './json.ts';
import type { Once } from './once.ts';

/** Milliseconds after which a note that could not be sent is dropped. */
const KEPT_MS = 24 * 60 * 60_000;
/**
 * Maximum number of stored notes. Each note has about 300 bytes, and all notes are stored as one value. Further notes
 * are sent without being stored.
 */
const MAX_STORED = 200;
const KEY = 'refusals';

/** The properties of the refused message that its note needs. */
export type RefusedQuestion = Pick<Message, 'thread' | 'id'> & {
  readonly sender: Pick<Message['sender'], 'id' | 'account' | 'name'>;
};

export interface RefusalDeps {
  readonly host: Pick<AdapterHost<unknown, unknown>, 'state' | 'log'>;
  readonly background: Background;
  readonly once: Once;
  /** Sends the note. Rejects if the channel does not accept it. */
  tell(refused: RefusedQuestion, words: string): Promise<void>;
  /** Aborts when the adapter stops. The next process sends the unsent notes. */
  readonly signal: AbortSignal;
}

export type Refusals = Awaited<ReturnType<typeof openRefusals>>;

interface Note {
  readonly key: string;
  readonly refused: RefusedQuestion;
  readonly words: string;
}

/** Creates the refusals, and sends the notes that an earlier process has not sent. */
export async function openRefusals(deps: RefusalDeps) {
  const { host, background, once, signal } = deps;
  const changeNotes = (next: (notes: readonly Note[]) => readonly Note[] | undefined): Promise<boolean> =>
    host.state.change(KEY, (value) => next(decode(value)), KEPT_MS, 'several');
  const send = ({ key, refused, words }: Note): void =>
    background.run('a refusal', async () => {
      try {
        await once(key, () => deps.tell(refused, words), ownerIn(refused.thread, refused.sender.id));
      } finally {
        if (!signal.aborted)
          await changeNotes((notes) => (isIn(notes, key) ? without(notes, key) : undefined));
      }
    });
  for (const note of await readNotes(host)) send(note);
  return {
    /**
     * Resolves once the note is stored. The note is then sent in the background, only once for each revision of a
     * message, even if the channel repeats the event. Rejects with `store-unavailable`.
     */
    async refuse(message: Message, words: string) {
      const note = noteOf(message, words);
      await changeNotes((notes) =>
        isIn(notes, note.key) || notes.length >= MAX_STORED ? undefined : [...notes, note],
      );
      send(note);
    },
  };
}

const isIn = (notes: readonly Note[], key: string) => notes.some((note) => note.key === key);
const without = (notes: readonly Note[], key: string) => notes.filter((note) => note.key !== key);

function noteOf(
  { thread, id, sender: { id: person, account, name }, revision }: Message,
  words: string,
): Note {
  const key = JSON.stringify(['refused', thread.tenant, thread.room, id, revision]);
  return {
    key,
    refused: { thread, id, sender: { id: person, ...(account !== undefined && { account }), name } },
    words,
  };
}

/** Reads the stored notes. Drops notes that cannot be read, so that the bridge can start. */
async function readNotes({ state, log }: RefusalDeps['host']): Promise<readonly Note[]> {
  const value = await state.get(KEY).catch((err: unknown) => {
    log.warn({ err }, 'Unsent notes about refused questions could not be read from the store and are lost.');
    return [];
  });
  return decode(value);
}

const decode = (value: unknown): readonly Note[] =>
  list(value).flatMap((each) => stored.safeParse(each).data ?? []);

const filled = z.string().min(1);

const stored = z.object({
  key: filled,
  words: filled,
  refused: z.object({
    thread: z.object({
      channel: filled,
      tenant: filled,
      room: filled,
      key: filled,
      kind: z.enum(['direct', 'group', 'room']),
    }),
    id: filled,
    sender: z.object({ id: filled, name: z.string(), account: filled.exactOptional() }),
  }),
});
