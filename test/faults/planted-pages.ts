/** Breaches of what the pages of the console must agree on, each planted in the record of a good run. */

import type { MessageView } from '../../adapters/console/wire.ts';
import type { Rule } from '../fakes/history/check.ts';
import type { PagesRun } from '../fakes/history/check-pages.ts';
import { mayRead, type PageLog, type Post } from '../fakes/history/console-record.ts';
import { idOf } from '../fakes/history/saying.ts';

/** Questions of a good run: A begins a thread, B and C follow, and SECRET is in a private room. */
const A = idOf(1);
const [B, C] = [idOf(2), idOf(3)];
export const SECRET = idOf(201);

const MINUTE_MS = 60_000;

const postOf = ({ posts }: PagesRun, key: string): Post => {
  const found = posts.find((post) => post.key === key);
  if (found === undefined) throw new Error(`no message ${key}`);
  return found;
};

/** Returns the run with a change of its second page. The person of that page is not the person of the first one. */
const withPage = (run: PagesRun, change: (log: PageLog) => Partial<PageLog>): PagesRun => ({
  ...run,
  logs: run.logs.map((log, at) => (at === 1 ? { ...log, ...change(log) } : log)),
});

/** Returns the run with a change of the pages whose person may not read the private room. */
const withStranger = (run: PagesRun, change: (log: PageLog) => Partial<PageLog>): PagesRun => ({
  ...run,
  logs: run.logs.map((log) => (mayRead(log, postOf(run, SECRET)) ? log : { ...log, ...change(log) })),
});

const without = (messages: readonly MessageView[], { id }: Post) =>
  messages.filter((message) => message.id !== id);

/** Swaps two messages. */
const swapped = (messages: readonly MessageView[], one: Post, other: Post) =>
  messages.map((message) => {
    const instead = message.id === one.id ? other.id : message.id === other.id ? one.id : undefined;
    return messages.find(({ id }) => id === instead) ?? message;
  });

const shortened = (message: MessageView): MessageView =>
  message.reply === undefined ? message : { ...message, reply: { ...message.reply, text: 'x' } };

export const plantedOnPages: readonly (readonly [
  what: string,
  rule: Rule,
  plant: (run: PagesRun) => PagesRun,
])[] = [
  [
    'a message that a page does not show',
    'terminal',
    (run) => withPage(run, ({ shown }) => ({ shown: without(shown, postOf(run, B)) })),
  ],
  [
    'a message that a reload loses',
    'terminal',
    (run) => withPage(run, ({ reloaded }) => ({ reloaded: without(reloaded, postOf(run, B)) })),
  ],
  [
    'a message that is there twice',
    'duplicate',
    (run) =>
      withPage(run, ({ looks }) => {
        const copies = looks.filter(({ message }) => message.id === postOf(run, A).id);
        return {
          looks: [
            ...looks,
            ...copies.map(({ at, message }) => ({ at, message: { ...message, id: 'copy' } })),
          ],
        };
      }),
  ],
  [
    'a thread in another order',
    'order',
    (run) => withPage(run, ({ shown }) => ({ shown: swapped(shown, postOf(run, B), postOf(run, C)) })),
  ],
  [
    'a thread that a reload puts in another order',
    'changed',
    (run) =>
      withPage(run, ({ reloaded }) => ({ reloaded: swapped(reloaded, postOf(run, B), postOf(run, C)) })),
  ],
  [
    'an answer that a reload changes',
    'changed',
    (run) => withPage(run, ({ reloaded }) => ({ reloaded: reloaded.map(shortened) })),
  ],
  [
    'a message that a page shows after a minute',
    'late',
    (run) =>
      withPage(run, ({ looks }) => ({
        looks: looks.map(({ at, message }) => ({
          message,
          at: message.id === postOf(run, A).id ? at + MINUTE_MS : at,
        })),
      })),
  ],
  [
    'a private room of which others learn',
    'crossing',
    (run) => withStranger(run, ({ rooms }) => ({ rooms: [...rooms, postOf(run, SECRET).room] })),
  ],
  [
    'words of a private room in another one',
    'crossing',
    (run) =>
      withStranger(run, ({ looks }) => ({
        looks: looks.map(({ at, message }) => ({ at, message: { ...message, text: `of ${SECRET}` } })),
      })),
  ],
  [
    'a deleted message that stays',
    'reposted',
    (run) => ({
      ...run,
      posts: run.posts.map((post) => (post.key === A ? { ...post, deletedAt: Date.now() } : post)),
    }),
  ],
];
