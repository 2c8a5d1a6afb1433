/** A person who uses the console over HTTP. */

import { randomUUID } from 'node:crypto';
import type { RequestBodies } from '../../../adapters/console/bodies.ts';
import type {
  Acted,
  FileView,
  MessageView,
  ReceiptView,
  ReplyView,
  ThreadPage,
} from '../../../adapters/console/wire.ts';

const PATIENCE_MS = 90_000;
const LOOK_EVERY_MS = 100;

export interface Place {
  readonly room?: string;
  readonly thread?: string;
  readonly files?: readonly string[];
  readonly as?: string;
  readonly nonce?: string;
}

export type Reply = MessageView & { readonly reply: ReplyView };

export class ConsoleClient {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  async say(text: string, place: Place = {}): Promise<MessageView> {
    const { room = 'general', thread, files = [], as = 'engineer', nonce = randomUUID() } = place;
    const message: RequestBodies['/rooms/:id/messages'] = {
      as,
      text,
      files: [...files],
      nonce,
      ...(thread !== undefined && { thread }),
    };
    return this.#post(`rooms/${room}/messages`, message);
  }

  async thread(root: MessageView): Promise<readonly MessageView[]> {
    const page: ThreadPage = await this.#json(
      await fetch(`${this.url}/console/rooms/${root.room}/threads/${root.thread}`),
    );
    return page.messages;
  }

  async replies(root: MessageView): Promise<readonly Reply[]> {
    return (await this.thread(root)).filter((message): message is Reply => message.reply !== undefined);
  }

  /** Resolves with the reply to a question as soon as the reply satisfies `fits`. */
  async replyTo(
    question: MessageView,
    fits: (reply: ReplyView) => boolean,
    patienceMs = PATIENCE_MS,
  ): Promise<Reply> {
    const until = Date.now() + patienceMs;
    let last: unknown;
    while (Date.now() < until) {
      const found = (await this.replies(question)).find(({ reply }) => reply.question === question.id);
      if (found !== undefined && fits(found.reply)) return found;
      last = found?.reply;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    throw new Error(`No such reply came. The last one was: ${JSON.stringify(last)}`);
  }

  answer(question: MessageView): Promise<Reply> {
    return this.replyTo(question, ended);
  }

  async upload(name: string, type: string, bytes: Uint8Array<ArrayBuffer>): Promise<FileView> {
    const address = `${this.url}/console/files?name=${encodeURIComponent(name)}`;
    return this.#json(
      await fetch(address, { method: 'POST', headers: { 'content-type': type }, body: bytes }),
    );
  }

  stop(turn: string): Promise<Acted> {
    return this.#post(`replies/${turn}/stop`, { as: 'engineer' });
  }

  retry(turn: string): Promise<Acted> {
    return this.#post(`replies/${turn}/retry`, { as: 'engineer' });
  }

  /** Presses a button under an answer. */
  press(
    turn: string,
    what: 'instead' | 'regenerate' | 'show' | 'ask' | 'feedback',
    body: object = {},
  ): Promise<Acted> {
    return this.#post(`replies/${turn}/${what}`, { as: 'engineer', nonce: randomUUID(), ...body });
  }

  askAsMe(turn: string, as = 'engineer'): Promise<MessageView> {
    return this.#post(`replies/${turn}/ask-me`, { as, nonce: randomUUID() });
  }

  edit(message: MessageView, text: string): Promise<MessageView> {
    return this.#post(`messages/${message.id}/edit`, { as: message.author.id, text });
  }

  remove(message: MessageView): Promise<Acted> {
    return this.#post(`messages/${message.id}/delete`, { as: message.author.id });
  }

  /** Resolves once the thread has no messages. */
  async gone(root: MessageView): Promise<void> {
    const until = Date.now() + PATIENCE_MS;
    const address = `${this.url}/console/rooms/${root.room}/threads/${root.thread}`;
    while (Date.now() < until) {
      if ((await fetch(address)).status === 404) return;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    throw new Error('The thread is still there.');
  }

  share(wanted: RequestBodies['/shares']): Promise<MessageView> {
    return this.#post('shares', wanted);
  }

  async receipt(turn: string): Promise<ReceiptView> {
    return this.#json(await fetch(`${this.url}/console/replies/${turn}/receipt`));
  }

  open(address: string): Promise<Response> {
    return fetch(new URL(address, this.url));
  }

  async #post<Answer>(path: string, body: unknown): Promise<Answer> {
    const answer = await fetch(`${this.url}/console/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return this.#json(answer);
  }

  async #json<Answer>(answer: Response): Promise<Answer> {
    if (!answer.ok) throw new Error(`${answer.status} from ${answer.url}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  }
}

export function ended(reply: ReplyView): boolean {
  return !['waiting', 'thinking', 'writing'].includes(reply.state);
}
