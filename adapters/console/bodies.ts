/** The bodies of the POST routes that act for a person. `wire.ts` lists the routes and contains their responses. */

import { z } from 'zod';
import { CORRECTION_CHARS, FILES, TEXT_CHARS } from './limits.ts';
import type { Act, Views } from './wire.ts';

/** Maximum UTF-16 units of an id or nonce, of a room's name, and of a room's topic. */
const ID_CHARS = 200;
const NAME_CHARS = 40;
const TOPIC_CHARS = 200;
/** Maximum UTF-16 units of a search that are read. */
const QUERY_CHARS = 500;

interface Issue {
  readonly path?: readonly PropertyKey[] | undefined;
}

const lacking = {
  error: ({ path: [key] = [] }: Issue) => `The request lacks "${String(key)}". Please reload the page.`,
};
const unknown = {
  error: ({ path: [key] = [] }: Issue) => `"${String(key)}" has no valid value. Please reload the page.`,
};

export const text = z.string(lacking);
export const id = text.min(1, unknown).max(ID_CHARS, unknown);

/** Replaces lone surrogates and NUL by U+FFFD, because stores and agents reject them. */
const clean = (value: string): string => value.toWellFormed().replaceAll('\0', '\ufffd');

/** Schema of a message's text. */
const words = text.overwrite(clean).refine((value) => value.length <= TEXT_CHARS, {
  error: ({ input }) => {
    const [length, limit] = [String(input).length, TEXT_CHARS].map((count) => count.toLocaleString('en'));
    return `That message has ${length} characters; up to ${limit} can be sent at once. Please shorten it, or attach the long part as a file.`;
  },
  params: { code: 'question-too-long' },
});

/** Returns the schema of a one-line text. Control characters and invisible characters are removed from it. */
const line = (maximum: number) =>
  text.overwrite((value) =>
    clean(value)
      .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
      .trim()
      .slice(0, maximum)
      .toWellFormed(),
  );

const act = z.object({ as: id });
/** The nonce is an idempotency key, which the page chooses. A repeated request with it has no further effect. */
const again = act.extend({ nonce: id });
const membership = act.extend({ person: id });
const name = line(NAME_CHARS).min(1, 'A room needs a name.');

const wording = (what: string, limit: number) =>
  text
    .overwrite(clean)
    .max(limit, `The ${what} is too long: up to ${limit.toLocaleString('en')} characters can be stored.`);

const noVersion = 'The version is missing. Please reload the page.';

/** The schema of each route's body. A value of a press becomes its `detail`. */
export const bodies = {
  '/rooms': act.extend({
    name,
    topic: line(TOPIC_CHARS).default(''),
    /** True if only members may read the room. The first member is the person who makes it. */
    private: z.boolean(unknown).default(false),
  }),
  /** In a conversation, `name` is its title. */
  '/rooms/:id/change': act.extend({
    name: name.exactOptional(),
    topic: line(TOPIC_CHARS).exactOptional(),
    archived: z.boolean(unknown).exactOptional(),
  }),
  '/rooms/:id/invite': membership,
  '/rooms/:id/remove': membership,
  '/rooms/:id/delete': act,
  '/conversations': act.extend({ agent: id }),
  '/rooms/:id/messages': again
    .extend({
      text: words,
      files: z
        .array(z.string(lacking), lacking)
        .max(FILES, `Up to ${FILES} files can be sent with one message.`)
        .transform((ids) => [...new Set(ids)]),
      /** Id of the thread's first message. If absent, the message begins a new thread. */
      thread: id.exactOptional(),
    })
    .refine((message) => message.text.trim() !== '' || message.files.length > 0, {
      error: 'That message is empty. Write something, or add a file.',
      params: { code: 'question-empty' },
    }),
  '/messages/:id/edit': act.extend({
    text: words.refine((value) => value.trim() !== '', 'A message cannot be empty. Delete it instead.'),
  }),
  '/messages/:id/delete': act,
  '/replies/:id/stop': act,
  '/replies/:id/instead': act,
  '/replies/:id/retry': act,
  '/replies/:id/regenerate': act,
  '/replies/:id/show': again
    .extend({ edition: z.int(noVersion).min(1, noVersion) })
    .transform(({ edition, ...press }) => ({ ...press, detail: String(edition) })),
  '/replies/:id/ask': again
    .extend({ agent: id })
    .transform(({ agent, ...press }) => ({ ...press, detail: agent })),
  '/replies/:id/feedback': act
    .extend({
      verdict: z.enum(['up', 'down', 'none'], 'The request contains no rating.'),
      note: text.overwrite(clean).exactOptional(),
    })
    .transform(({ verdict, ...press }) => ({ ...press, detail: verdict })),
  /** The text is a suggestion, exactly as the reply contains it. */
  '/replies/:id/suggest': again
    .extend({ text })
    .transform(({ text: detail, ...press }) => ({ ...press, detail })),
  '/replies/:id/ask-me': again,
  '/replies/:id/correction': act,
  '/replies/:id/correct': act.extend({
    question: wording('question', CORRECTION_CHARS.question),
    answer: wording('answer', CORRECTION_CHARS.answer),
  }),
  /** Without a source, the whole answer is shared. Without a thread, the share begins a new one. */
  '/shares': act.extend({
    turn: id,
    source: text.exactOptional(),
    room: id,
    thread: id.exactOptional(),
  }),
  '/unread': act,
  /** The newest message that the person has read: in the whole room or, with `thread`, only in that thread. */
  '/read': act.extend({ room: id, thread: id.exactOptional(), message: id }),
  /** A longer query finds the same as its beginning. */
  '/search': act.extend({ text: text.transform((value) => value.slice(0, QUERY_CHARS)) }),
} satisfies Record<keyof Views, z.ZodType<Act>>;

type Schemas = typeof bodies;

/** The bodies as the page sends them, and as the server receives them after decoding. */
export type RequestBodies = { readonly [P in keyof Schemas]: z.input<Schemas[P]> };
export type Bodies = { readonly [P in keyof Schemas]: z.output<Schemas[P]> };
