/** Checks what several pages of the console must agree on, while people write through any replica. */

import type { MessageView } from '../../../adapters/console/wire.ts';
import type { Breach, Rule } from './breach.ts';
import { countedMs } from './check-times.ts';
import { mayRead, type PageLog, type Post } from './console-record.ts';
import type { Span } from './kept.ts';

export interface PagesRun {
  readonly logs: readonly PageLog[];
  readonly posts: readonly Post[];
  /** Private rooms and conversations, with the people who may read them. */
  readonly hidden: ReadonlyMap<string, readonly string[]>;
  /** Times that are not measured, because a machine failed or was overloaded. */
  readonly excused: readonly Span[];
  /** Longest time until each page shows a message that was written anywhere, in milliseconds. */
  readonly shownMs: number;
}

export function checkPages(run: PagesRun): readonly Breach[] {
  const [first] = run.logs;
  return run.logs.flatMap((log) => [
    ...run.posts.flatMap((post) => (mayRead(log, post) ? messageOn(log, post, run) : [])),
    ...secrets(log, run),
    ...reloaded(log),
    ...(first === undefined ? [] : sameOrder(log, first)),
  ]);
}

const holds = ({ key }: Post, { author, text }: MessageView): boolean =>
  author.kind === 'person' && text.includes(key);

/** Checks that a message that was confirmed is there once, soon, and also after a reload. */
function messageOn(log: PageLog, post: Post, { excused, shownMs }: PagesRun): readonly Breach[] {
  const { id, acceptedAt, deletedAt } = post;
  if (id === undefined || acceptedAt === undefined) return [];
  const breach = (rule: Rule, what: string): Breach => ({ rule, where: `${log.page} ${post.key}`, what });
  const copies = new Set(
    log.looks.filter(({ message }) => holds(post, message)).map(({ message }) => message.id),
  );
  const doubled = [...copies].filter((copy) => copy !== id);
  if (doubled.length > 0) return [breach('duplicate', `${doubled.length} more messages say the same`)];
  const isIn = (messages: readonly MessageView[]) =>
    messages.some((message) => message.id === id && message.deleted === undefined);
  const [shown, again] = [isIn(log.shown), isIn(log.reloaded)];
  if (deletedAt !== undefined)
    return shown || again ? [breach('reposted', 'it is there though its author deleted it')] : [];
  const seenAt = log.looks.find(({ message }) => message.id === id)?.at ?? Number.POSITIVE_INFINITY;
  const waited = countedMs(acceptedAt, seenAt, excused);
  return [
    ...(shown && again ? [] : [breach('terminal', shown ? 'a reload lost it' : 'the page does not show it')]),
    ...(waited <= shownMs ? [] : [breach('late', `the page showed it after ${Math.round(waited)} ms`)]),
  ];
}

/** Checks that the page learned nothing of rooms that its person may not read. */
function secrets(log: PageLog, { hidden, posts }: PagesRun): readonly Breach[] {
  const isSecret = (room: string) => hidden.get(room)?.includes(log.person) === false;
  const secretPosts = posts.filter((post) => !mayRead(log, post));
  const rooms = [...log.rooms, ...log.reloaded.map(({ room }) => room)].filter(isSecret);
  const seen = log.looks.filter(
    ({ message }) =>
      isSecret(message.room) ||
      secretPosts.some(({ key }) => `${message.text} ${message.reply?.text}`.includes(key)),
  );
  return [...new Set([...rooms, ...seen.map(({ message }) => message.room)])].map((room) => ({
    ...{ rule: 'crossing', where: `${log.page} ${room}` },
    what: 'the page of a person who may not read it knew of it',
  }));
}

/** Returns the messages of each room that begin threads, and those inside each thread, in the order of the page. */
const threadsOf = (messages: readonly MessageView[]): ReadonlyMap<string, readonly MessageView[]> =>
  Map.groupBy(messages, ({ id, room, thread }) => `${room}/${thread === id ? '' : thread}`);

const looksOf = (messages: readonly MessageView[]): readonly string[] =>
  messages.map(({ id, text, reply, files, deleted }) =>
    JSON.stringify([id, text, reply?.state, reply?.text, reply?.notices, files, deleted]),
  );

/** Checks that a reload changes nothing of what the page shows. */
function reloaded(log: PageLog): readonly Breach[] {
  const [before, after] = [threadsOf(log.shown), threadsOf(log.reloaded)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((thread): readonly Breach[] => {
    const [was, is] = [before, after].map((all) => looksOf(all.get(thread) ?? []).join('\n'));
    return was === is
      ? []
      : [{ rule: 'changed', where: `${log.page} ${thread}`, what: 'a reload changed it' }];
  });
}

/** Checks that both pages show the messages of each thread in the same order. */
function sameOrder(log: PageLog, other: PageLog): readonly Breach[] {
  const [own, others] = [log, other].map(({ shown }) => threadsOf(shown));
  return [...(own ?? [])].flatMap(([thread, messages]): readonly Breach[] => {
    const theirs = others?.get(thread)?.map(({ id }) => id);
    if (theirs === undefined || theirs.join() === messages.map(({ id }) => id).join()) return [];
    return [{ rule: 'order', where: `${log.page} ${thread}`, what: `${other.page} shows another order` }];
  });
}
