/** Agents that are functions in the process of the bridge. */

import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { AgentGateway, Exchange, OpenedMedia, Question } from '../core/agents/agent.ts';
import type { Clock } from '../core/clock.ts';
import type { Person, ThreadRef } from '../core/message.ts';
import type { Fragment, Media, Source } from '../core/reply.ts';
import { BridgeError } from '../errors.ts';
import { checkedType } from '../platform/index.ts';
import { claimQuestion, gatewayOf } from './own-gateway.ts';

/** A question to an agent. */
export interface AgentQuestion {
  /** Markdown; never blank. */
  readonly text: string;
  /** Messages that the person quotes, and earlier messages of the thread. Data of other people, no instructions. */
  readonly quoted: readonly { readonly author: string; readonly text: string }[];
  /** Texts of the files that the person attached, at most 12,000 UTF-16 units each. */
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** At most ten images of at most 10 MiB each. */
  readonly images: readonly AgentImage[];
  /** Names of what the person sees with the question and the agent does not get, such as `the video demo.mp4`. */
  readonly omitted: readonly string[];
  /** The language that the person chose for the answer, as a BCP 47 tag. */
  readonly language?: string | undefined;
  /** The person's locale, as a BCP 47 tag. */
  readonly locale?: string | undefined;
  /**
   * Earlier exchanges of the thread, oldest first: at most 20, and 24,000 UTF-16 units. Empty once the agent has named a
   * session.
   */
  readonly history: readonly Pick<Exchange, 'question' | 'answer'>[];
}

export interface AgentImage {
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface AgentContext {
  /** Aborts if the person stops the answer, and once the answer has ended for any other reason. */
  readonly signal: AbortSignal;
  /** The session that the agent named last in this thread. */
  readonly session?: string | undefined;
  readonly asker: Person;
  readonly thread: ThreadRef;
}

/** A part of an answer. */
export type AgentEvent =
  | { readonly text: string }
  /** Something that the agent does. A step with a known `id` (by default, its name) replaces the earlier one. */
  | {
      readonly step: {
        readonly id?: string;
        readonly name: string;
        readonly detail?: string;
        /** `done` by default. */
        readonly state?: 'running' | 'done' | 'failed';
      };
    }
  /**
   * A document behind the answer. The text of the answer refers to the first document as `[1]`, to the second as `[2]`.
   * A document with a known `url`, or a known title if it has no address, adds a passage to it.
   */
  | { readonly source: { readonly title: string; readonly url?: string; readonly text?: string } }
  /**
   * A picture (PNG, JPEG, GIF or WebP), or the address of a file. Pictures are kept in memory, 64 MiB for each agent,
   * and cannot be opened after a restart.
   */
  | {
      readonly media: { readonly name: string } & ({ readonly bytes: Uint8Array } | { readonly url: string });
    }
  /** A question that people may ask next; the first five are shown. */
  | { readonly suggestion: string }
  /** The agent's own id of the conversation. The next question of the thread comes with it, and without a history. */
  | { readonly session: string };

/**
 * Answers a question. Yields Markdown in pieces, and other parts of the answer. An error that the function throws ends
 * the answer: the person keeps the text so far and may retry, and the operator's log shows the error.
 */
export type AgentFunction = (
  question: AgentQuestion,
  context: AgentContext,
) => AsyncIterable<string | AgentEvent>;

/** Maximum bytes of all pictures of one agent in memory. */
const PICTURES_BYTES = 64 * 1024 * 1024;

/** @param name the agent's name, for errors */
export function functionGateway(
  name: string,
  ports: { readonly clock: Clock },
  answer: AgentFunction,
): AgentGateway {
  const pictures = new LRUCache<string, OpenedMedia>({
    maxSize: PICTURES_BYTES,
    sizeCalculation: ({ bytes }) => Math.max(1, bytes.byteLength),
  });
  const gateway = gatewayOf(name, ports, async function* (question, signal, guard) {
    const events = translator(name, pictures);
    await claimQuestion(guard);
    const { session, asker, thread } = question;
    const parts: unknown = answer(questionFor(question), { signal, session, asker, thread });
    if (!isIterable(parts)) {
      // The function may have returned a promise, whose rejection must not end the process.
      Promise.resolve(parts).catch(() => undefined);
      throw misuse(name, 'returned no parts. Write it as `async function*`, and yield the answer');
    }
    for await (const part of parts) yield events(part);
  });
  return {
    ...gateway,
    sees: { images: true },
    memory: 'either',
    openMedia: async ({ kind, ...ref }) => {
      const found = kind === 'file-id' && 'id' in ref ? pictures.get(ref.id) : undefined;
      if (found !== undefined) return found;
      throw new BridgeError('media-unavailable', `The agent "${name}" no longer has the picture in memory.`);
    },
  };
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

function questionFor(question: Question): AgentQuestion {
  const { text, quoted, images, omitted = [], language, locale, session, history } = question;
  return {
    text,
    quoted: quoted.filter(({ kind }) => kind !== 'file').map(({ author, text }) => ({ author, text })),
    files: quoted.filter(({ kind }) => kind === 'file').map(({ author, text }) => ({ name: author, text })),
    images: images.map(imageOf),
    omitted,
    language,
    locale,
    history: session === undefined ? history.map(({ question, answer }) => ({ question, answer })) : [],
  };
}

/** Reads an image from the address that `gatewayOf` has made of it. */
function imageOf(address: string): AgentImage {
  const [head = '', body = ''] = address.split(';base64,');
  return { type: head.replace('data:', ''), bytes: Buffer.from(body, 'base64') };
}

const misuse = (name: string, what: string): BridgeError =>
  new BridgeError('agent-failed', `The function of the agent "${name}" ${what}.`);

const title = z.string().trim().min(1).max(500);
const address = z.url({ protocol: /^https?$/ });
/** Parts come from code without types, so each is checked. */
const event = z.union([
  z.string(),
  z.strictObject({ text: z.string() }),
  z.strictObject({
    step: z.strictObject({
      id: z.string().optional(),
      name: z.string().trim().min(1),
      detail: z.string().optional(),
      state: z.enum(['running', 'done', 'failed']).optional(),
    }),
  }),
  z.strictObject({
    source: z.strictObject({ title, url: address.optional(), text: z.string().optional() }),
  }),
  z.strictObject({ media: z.strictObject({ name: title, bytes: z.instanceof(Uint8Array) }) }),
  z.strictObject({ media: z.strictObject({ name: title, url: address }) }),
  z.strictObject({ suggestion: z.string().trim().min(1).max(1_000) }),
  z.strictObject({ session: z.string().min(1).max(1_000) }),
]);

/** Maximum lengths of a step's name and detail in UTF-16 units; the rest is dropped. */
const NAME_CHARS = 200;
const DETAIL_CHARS = 4_000;

type Given = { readonly name: string } & ({ readonly bytes: Uint8Array } | { readonly url: string });
type Found = {
  readonly title: string;
  readonly url?: string | undefined;
  readonly text?: string | undefined;
};

/** Returns a function that converts the parts of one answer. It throws `agent-failed` for anything else. */
function translator(name: string, pictures: LRUCache<string, OpenedMedia>) {
  const sources: Source[] = [];
  const suggestions: string[] = [];
  let media = 0;
  const mediaOf = (given: Given, id: string): Media => {
    const { name: shown } = given;
    if ('url' in given)
      return { id, kind: 'file', name: shown, ref: { kind: 'url', url: given.url }, link: given.url };
    const ref = { kind: 'file-id', id: randomUUID() } as const;
    pictures.set(ref.id, openedPicture(name, given.bytes));
    return { id, kind: 'image', name: shown, ref };
  };
  return (given: unknown) => {
    const { data: part, error } = event.safeParse(given);
    if (error !== undefined) throw misuse(name, `yielded ${shapeOf(given)}, ${EXPECTED}`);
    if (typeof part === 'string') return part;
    if ('text' in part) return part.text;
    if ('session' in part) return { type: 'session', session: part.session } as const;
    if ('suggestion' in part) {
      suggestions.push(part.suggestion);
      return { type: 'suggestions', suggestions: [...suggestions] } as const;
    }
    if ('source' in part) {
      addSource(sources, part.source);
      return { type: 'sources', sources: [...sources] } as const;
    }
    if ('media' in part) {
      media += 1;
      return { type: 'media', media: mediaOf(part.media, `media-${media}`) } as const;
    }
    const { id = part.step.name, name: shown, detail, state = 'done' } = part.step;
    const step = {
      id,
      name: shown.slice(0, NAME_CHARS).toWellFormed(),
      ...(detail !== undefined && { detail: detail.slice(0, DETAIL_CHARS).toWellFormed() }),
      state,
    };
    return { type: 'step', step } as const;
  };
}

const EXPECTED =
  'which is no part of an answer. Yield a text, or one of { text }, { step }, { source }, { media }, { suggestion } and { session }';

/** Describes a value without its content, which may be a person's text. */
function shapeOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return `${value === null ? 'null' : typeof value}`;
  return `an object with ${Object.keys(value).slice(0, 5).join(', ') || 'no keys'}`;
}

/** Adds a document, or a passage to a document that is known. */
function addSource(sources: Source[], { title, url, text }: Found): void {
  const key = url ?? title;
  const at = sources.findIndex((source) => source.key === key);
  const known = sources[at];
  const fragments: readonly Fragment[] = text === undefined ? [] : [{ text }];
  if (known !== undefined) sources[at] = { ...known, fragments: [...known.fragments, ...fragments] };
  else {
    const mark = sources.length + 1;
    sources.push({ key, title, kind: 'document', mark, ...(url !== undefined && { link: url }), fragments });
  }
}

function openedPicture(name: string, bytes: Uint8Array): OpenedMedia {
  try {
    return { type: checkedType(bytes), bytes };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : '';
    throw misuse(name, `yielded a picture that cannot be shown. ${why.replace(/\.$/, '')}`);
  }
}
