/**
 * Notes that tell people why their question was refused. The channel's event is acknowledged before its note is sent.
 * The note is therefore stored until it is sent, so that after a crash the next process sends it.
 */

import { z } from 'zod';
import type { AdapterHost } from '../core/channel/host.ts';
import type { Message } from '../core/message.ts';
import { ownerIn } from '../core/stores/keyed.ts';
import type { Background } from './background.ts';
import type { Once } from './once.ts';
import { createOutbox } from './outbox.ts';

const stored = z.object({
  key: z.string(),
  words: z.string(),
  /** The properties of the refused message that its note needs. */
  refused: z.object({
    thread: z.object({
      channel: z.string(),
      tenant: z.string(),
      room: z.string(),
      key: z.string(),
      kind: z.enum(['direct', 'group', 'room']),
    }),
    id: z.string(),
    sender: z.object({ id: z.string(), name: z.string(), account: z.string().exactOptional() }),
  }),
});

type Note = Readonly<z.output<typeof stored>>;

export type RefusedQuestion = Note['refused'];

export interface RefusalDeps {
  readonly host: Pick<AdapterHost<unknown, unknown>, 'state' | 'log'>;
  readonly background: Background;
  readonly once: Once;
  /** Sends the note. Rejects if the channel does not accept it. */
  tell(refused: RefusedQuestion, words: string): Promise<void>;
  /** Aborts when the adapter stops. The next process sends the unsent notes. */
  readonly signal: AbortSignal;
}

/** Creates the refusals, and sends the notes that an earlier process has not sent. */
export async function openRefusals({ host, background, once, tell, signal }: RefusalDeps) {
  const outbox = createOutbox<Note>(host.state, 'refusals', {
    decode: (value) => stored.safeParse(value).data,
    idOf: ({ key }) => key,
  });
  const send = ({ key, refused, words }: Note): void =>
    background.run('a refusal', async () => {
      try {
        await once(key, () => tell(refused, words), ownerIn(refused.thread, refused.sender.id));
      } finally {
        if (!signal.aborted) await outbox.remove(key);
      }
    });
  const unsent = await outbox.all().catch((err: unknown) => {
    host.log.warn(
      { err },
      'Unsent notes about refused questions could not be read from the store and are lost.',
    );
    return [];
  });
  for (const note of unsent) send(note);
  return {
    /**
     * Resolves once the note is stored. The note is then sent in the background, only once for each revision of a
     * message, even if the channel repeats the event. If too many notes are stored, sends this one without storing it.
     * Rejects with `store-unavailable`.
     */
    async refuse(message: Message, words: string) {
      const { thread, id, revision } = message;
      const key = JSON.stringify(['refused', thread.tenant, thread.room, id, revision]);
      // Parsing removes the question and all else that the note does not need.
      const note = stored.parse({ key, words, refused: message });
      await outbox.put(note);
      send(note);
    },
  };
}
