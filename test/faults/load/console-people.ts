/** People who write in the console. Each request is sent again, with its nonce, until a replica has answered it. */

import { randomUUID } from 'node:crypto';
import type { Acted, FileView, MessageView } from '../../../adapters/console/wire.ts';
import type { Post } from '../../fakes/history/console-record.ts';
import { questionOf } from '../../fakes/history/saying.ts';
import { nextId } from '../../fakes/history/scene.ts';
import type { ConsolePage } from './console-page.ts';
import { type Ask, around, createThreads } from './people.ts';
import type { Happening, Planned } from './plan.ts';

/** A room of the run, and the pages of those who may read it. */
export interface Room {
  readonly id: string;
  readonly pages: readonly ConsolePage[];
  /** True if everyone may read it. */
  readonly isPublic: boolean;
}

export interface Rooms {
  readonly room: readonly Room[];
  readonly group: readonly Room[];
  readonly direct: readonly Room[];
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };
type Noted = Writable<Omit<Post, 'sayings' | 'acts'>> & {
  readonly sayings: Post['sayings'][number][];
  readonly acts: Post['acts'][number][];
};

export interface ConsolePeople {
  readonly ask: Ask;
  /** Writes a message with a file that asks no agent. */
  talk(planned: Pick<Planned, 'person' | 'room' | 'kind'>): void;
  readonly posts: readonly Post[];
  /** The stored files, with the text of each. */
  readonly files: ReadonlyMap<string, string>;
  /** Resolves when all requests were answered. */
  sent(): Promise<void>;
}

export function consolePeople(rooms: Rooms): ConsolePeople {
  const posts: Noted[] = [];
  const files = new Map<string, string>();
  const threads = createThreads();
  const sending = new Set<Promise<unknown>>();
  const send = <Value>(work: Promise<Value>): Promise<Value> => {
    sending.add(work);
    void work.finally(() => sending.delete(work));
    return work;
  };
  const placeOf = ({ kind, room, person }: Pick<Planned, 'person' | 'room' | 'kind'>) => {
    const place = around(rooms[kind], kind === 'direct' ? person : room);
    return { place, page: around(place.pages, person) };
  };
  const noteIn = (place: Room, key: string): Noted => {
    const readers = place.isPublic ? {} : { readers: place.pages.map(({ person }) => person) };
    const post: Noted = {
      key,
      room: place.id,
      ...readers,
      sentAt: Date.now(),
      copies: 0,
      sayings: [],
      acts: [],
    };
    posts.push(post);
    return post;
  };
  return {
    ...{ posts, files },
    ask(planned) {
      const { place, page } = placeOf(planned);
      const saying = { id: nextId(), ms: 1_000, everyMs: 50, chars: 600, ...planned.saying };
      const post = noteIn(place, saying.id);
      post.sayings.push(saying);
      const thread =
        planned.follows && planned.kind !== 'direct' ? threads.newest(place.id, planned.person) : undefined;
      const text = `@speaker ${questionOf(saying)}`;
      const body = { text, nonce: randomUUID(), files: [], ...(thread !== undefined && { thread }) };
      const say = () => write(page, post, body);
      const first = send(say());
      if (thread === undefined)
        void first.then(() => post.id !== undefined && threads.add(place.id, post.id));
      return {
        id: saying.id,
        happens: (what) => void send(first.then(() => acts[what]({ page, post, say }))),
        retries: () => {
          const reply = replyTo(page, post);
          if (reply?.retry !== true || reply.state === 'done') return false;
          void send(press(page, post, 'retry'));
          return true;
        },
      };
    },
    talk(planned) {
      const { place, page } = placeOf(planned);
      const key = nextId();
      const post = noteIn(place, key);
      const work = async () => {
        const name = `files?name=${key}.txt&as=${page.person}`;
        const sent = await page.door.call(name, { method: 'POST', body: `the file of ${key}` });
        const { id } = (await sent.json()) as FileView;
        files.set(id, `the file of ${key}`);
        await write(page, post, { text: `see ${key}`, nonce: randomUUID(), files: [id] });
      };
      void send(work());
    },
    async sent() {
      while (sending.size > 0) await Promise.allSettled(sending);
    },
  };
}

interface Body {
  readonly text: string;
  readonly nonce: string;
  readonly files: readonly string[];
  readonly thread?: string;
}

async function write({ door, person }: ConsolePage, post: Noted, body: Body): Promise<void> {
  const response = await door.post(`rooms/${encodeURIComponent(post.room)}/messages`, {
    as: person,
    ...body,
  });
  if (!response.ok) return;
  const { id } = (await response.json()) as MessageView;
  if (post.id !== undefined && post.id !== id) throw new Error(`${post.key} has two ids.`);
  post.id = id;
  post.acceptedAt ??= Date.now();
  post.copies += 1;
}

const messagesOn = (page: ConsolePage, { room }: Noted): readonly MessageView[] =>
  page.state().messages[room] ?? [];

/** Returns the reply to a question, as the page shows it. */
const replyTo = (page: ConsolePage, post: Noted): MessageView['reply'] =>
  messagesOn(page, post).find(({ reply }) => reply !== undefined && reply.question === post.id)?.reply;

async function press(page: ConsolePage, post: Noted, kind: 'stop' | 'retry'): Promise<void> {
  const message = messagesOn(page, post).find(
    ({ reply }) => reply !== undefined && reply.question === post.id,
  );
  if (message?.reply === undefined) return;
  const at = Date.now();
  const response = await page.door.post(`replies/${message.reply.turn}/${kind}`, { as: page.person });
  const answer = await response.text();
  const isAccepted = response.ok && (JSON.parse(answer) as Acted).done;
  post.acts.push({ kind, at, isAccepted, answer, reply: message.id });
}

interface Acting {
  readonly page: ConsolePage;
  readonly post: Noted;
  say(): Promise<void>;
}

const acts: Readonly<Record<Happening, (acting: Acting) => Promise<void>>> = {
  repeat: ({ say }) => say(),
  async edit({ page, post }) {
    const saying = { id: nextId(), ms: 500, everyMs: 50, chars: 300 };
    const body = { as: page.person, text: `@speaker ${questionOf(saying)} (${post.key})` };
    const response = await page.door.post(`messages/${post.id}/edit`, body);
    if (response.ok) post.sayings.push(saying);
  },
  async delete({ page, post }) {
    const response = await page.door.post(`messages/${post.id}/delete`, { as: page.person });
    // An attempt whose response was lost has deleted the message already.
    if (response.ok || response.status === 404) post.deletedAt = Date.now();
  },
  stop: ({ page, post }) => press(page, post, 'stop'),
};
