/** Reads presses on buttons, and short messages such as `retry` or `2`, which are presses in chats without buttons. */

import type { Intake } from '../core/channel/events.ts';
import type { AdapterHost, KeptReply } from '../core/channel/host.ts';
import { turnId } from '../core/ids.ts';
import { laneOf, type Message, type Person, type ThreadRef } from '../core/message.ts';
import { ownerIn } from '../core/stores/keyed.ts';
import type { Press, Pressed } from '../reply/actions/press.ts';
import { press } from '../reply/actions/table.ts';
import { words as sentences } from '../reply/actions/words.ts';
import type { ReplyEvents } from '../reply/events.ts';
import { plain, text } from './json.ts';
import { question } from './question.ts';

/** Lifetime of the record of a thread's last reply, in milliseconds. The replies themselves are kept as long. */
const KEPT_MS = 24 * 60 * 60_000;

interface WordPress {
  /** `stop`, `retry`, `regenerate`, or the number of a suggested question: the property `word` of a button. */
  readonly word: string;
  /** The turn that wrote the reply. May come from the chat's button, because the bridge checks it. */
  readonly turn: string;
  /** The thread in which the chat shows the pressed message. Must not be taken from the button. */
  readonly thread: ThreadRef;
  readonly by: Person;
  /** The chat's unique id of the press. */
  readonly key: string;
}

/** Subscribe it to each reply with `withEvents`, so that words refer to the last reply of their thread. */
export interface Presses extends ReplyEvents {
  /** Handles a press. Resolves with the sentence for the person. Never rejects: an error becomes a sentence. */
  press(pressed: WordPress): Promise<string>;
  /**
   * Passes a new or edited message on: as a press on the last reply of its thread if it is `retry`, `regenerate` or the
   * number of a suggested question, and otherwise as a question. The bridge itself reads `stop`, `sources` and other
   * commands. Resolves with a sentence for the person, which is empty if there is nothing to say. Rejects as
   * `host.intake` does.
   */
  take(event: Extract<Intake, { kind: 'ask' | 'edit' }>): Promise<string>;
}

const AGAIN = /^\/?(retry|regenerate)$/i;
const NUMBER = /^\[?(10|[1-9])[\].)]?$/;

/**
 * Creates the reader of a channel's presses. It finds the last reply of a thread for 24 hours.
 * @param channel the channel's display name
 * @example
 * ```ts
 * const presses = createPresses('My Chat', host);
 * const told = await presses.take(question({ id: 'm1', thread, sender: person, text: 'retry' }));
 * if (told !== '') await chat.post(thread.room, told, signal);
 * ```
 */
export function createPresses(channel: string, host: AdapterHost<unknown, unknown>): Presses {
  const keyOf = (thread: ThreadRef): string => `last reply ${laneOf(thread)}`;
  /** Resolves with undefined if the reply does not offer what the word means. */
  const pressOn = async ({ word, turn: id, thread, by, key }: WordPress): Promise<Pressed | undefined> => {
    const turn = turnId(id);
    const reply = () => host.reply(turn, thread);
    const act = await pressOf(word, reply);
    if (act === undefined) return undefined;
    return press(
      { ...act, turn, thread, key },
      {
        channel,
        host,
        isHere: true,
        person: async () => by,
        reply,
        ask: ({ origin, by: sender, text, agent }) => {
          const { message } = question({ id: key, thread, sender, text, ...(agent && { agent }) });
          return host.intake({ kind: 'ask', origin, message });
        },
      },
    );
  };
  return {
    press: async (pressed) => (await pressOn(pressed).catch(() => undefined))?.sentence ?? sentences.stale,
    ended({ id: turn, message: { thread, sender } }) {
      const owner = { ...ownerIn(thread, sender.id), turn };
      host.state.set(keyOf(thread), { turn }, KEPT_MS, owner).catch((err: unknown) => {
        host.log.warn({ err }, 'the last reply of a thread was not stored');
      });
    },
    async take(event) {
      const { thread, sender, id } = event.message;
      const word = event.kind === 'ask' ? pressWordIn(event.message) : undefined;
      const last = word === undefined ? undefined : text(plain(await host.state.get(keyOf(thread))).turn);
      const pressed =
        word !== undefined && last !== undefined
          ? await pressOn({ word, turn: last, thread, by: sender, key: id })
          : undefined;
      if (pressed !== undefined) return pressed.kind === 'done' ? '' : pressed.sentence;
      const result = await host.intake(event);
      return result.kind === 'refused' ? result.tellUser : '';
    },
  };
}

/** Returns `retry`, `regenerate` or a number if the message is nothing else, so that it may be a press. */
export function pressWordIn({ text: written, files }: Message): string | undefined {
  if (files.length > 0) return undefined;
  const words = written.trim();
  return AGAIN.exec(words)?.[1]?.toLowerCase() ?? NUMBER.exec(words)?.[1];
}

const isAct = (word: string): word is 'stop' | 'retry' | 'regenerate' =>
  ['stop', 'retry', 'regenerate'].includes(word);

/**
 * Resolves with the action that a word means; undefined if the reply suggests no question with this number.
 * @param reply reads the stored reply to which the word refers
 */
export async function pressOf(
  word: string,
  reply: () => Promise<Pick<KeptReply, 'suggestions'> | undefined>,
): Promise<Pick<Press, 'action' | 'detail'> | undefined> {
  if (isAct(word)) return { action: word, detail: '' };
  const detail = (await reply())?.suggestions[Number(word) - 1];
  return detail === undefined ? undefined : { action: 'suggestion', detail };
}
