/** Deletes what the console stores about a person, a thread, or everybody: messages, files, rooms and sign-ins. */

import type { ForgetTarget, Removed } from '../../src/kit/ladder.ts';
import type { Clock } from '../../src/kit.ts';
import type { People } from './chat/people.ts';
import { DIRECT_THREAD, isRoot, type MessageRecord, SHARED_QUESTION_CHARS } from './chat/records.ts';
import type { ChatRows } from './chat/store.ts';
import type { Sessions } from './identity/sessions.ts';
import type { Parts } from './lookups.ts';
import type { RoomView } from './wire.ts';

/** Number of messages that are deleted before other work may run. */
const AT_ONCE = 50;
/** Author of an empty message that stays because its thread has answers. */
const FORGOTTEN = { kind: 'person', id: 'forgotten', name: 'Deleted person' } as const;

/** The messages, files and people that the console stores about a target. */
interface Found {
  /** The messages of the target. */
  readonly own: readonly MessageRecord[];
  /** The messages that are deleted: those of the target, and the replies to them. */
  readonly gone: readonly MessageRecord[];
  readonly files: readonly string[];
  readonly persons: readonly string[];
}

async function find(target: ForgetTarget, parts: Parts): Promise<Found> {
  const { store, people } = parts;
  const own = await ownMessages(target, parts);
  const replies = target.kind === 'person' ? await store.rows.repliesTo(own.map(({ id }) => id)) : [];
  const gone = [...new Map([...replies, ...own].map((record) => [record.id, record])).values()];
  return { own, gone, files: await fileIds(target, own, store.rows), persons: personsOf(target, people) };
}

/**
 * Counts what `forgetInConsole` would delete.
 * @param sessions undefined if people do not sign in with a provider
 */
export async function countInConsole(
  target: ForgetTarget,
  parts: Parts,
  sessions: Sessions | undefined,
  found?: Found,
): Promise<Removed> {
  const { rooms, people, store } = parts;
  await store.fresh();
  const { gone, files, persons } = found ?? (await find(target, parts));
  return {
    messages: gone.length,
    files: files.length,
    rooms: rooms.stored((room) => concernsRoom(target, room)).length,
    people: persons.filter((person) => people.drop !== undefined && people.find(person) !== undefined).length,
    sessions: persons.reduce((sum, person) => sum + (sessions?.of({ person }).length ?? 0), 0),
  };
}

/**
 * Deletes files before messages, because some files are found only through their messages. If a call fails, a second
 * call can therefore complete it.
 */
export async function forgetInConsole(
  target: ForgetTarget,
  parts: Parts,
  sessions: Sessions | undefined,
): Promise<Removed> {
  const { store, chat, rooms, people, host } = parts;
  await store.fresh();
  const found = await find(target, parts);
  const { own, gone, files, persons } = found;
  const removed = await countInConsole(target, parts, sessions, found);
  await parts.files.remove(files);
  const forget = (record: MessageRecord) => chat.removeMessage(record, FORGOTTEN);
  // Delete each thread's first message last, because it stays as an empty message while the thread has other messages.
  const [roots, others] = [gone.filter(isRoot), gone.filter((record) => !isRoot(record))];
  await inSteps([...others, ...roots], forget, host.clock);
  if (target.kind === 'person') await removeTraces(target.person, own, parts);
  for (const person of persons) await sessions?.endAll({ person });
  await store.change(async (change) => change.clearEvents());
  await rooms.drop((room) => concernsRoom(target, room));
  for (const person of persons) {
    await rooms.forgetPerson(person);
    await people.drop?.(person);
  }
  for (const person of persons) await store.rows.forgetReads(person);
  if (isEverything(target)) await store.rows.forgetReads();
  await store.purge();
  return removed;
}

const isEverything = (target: ForgetTarget): boolean => target.kind === 'tenant' && target.room === undefined;

/** True if the room is deleted with the target: a direct room, or a private room that nobody else could read. */
function concernsRoom(target: ForgetTarget, { id, kind, person, members }: RoomView): boolean {
  if (kind !== 'direct' && !members) return false;
  switch (target.kind) {
    case 'person':
      return (members ?? [person]).every((one) => one === target.person);
    case 'thread':
      return kind === 'direct' && target.room === id && target.thread === DIRECT_THREAD;
    case 'tenant':
      return target.room === undefined || target.room === id;
  }
}

async function ownMessages(target: ForgetTarget, { store, rooms }: Parts): Promise<readonly MessageRecord[]> {
  if (target.kind !== 'person') {
    const inRoom = await (target.room === undefined
      ? store.rows.allMessages()
      : store.rows.ofRoom(target.room));
    return target.kind === 'tenant' ? inRoom : inRoom.filter(({ thread }) => thread === target.thread);
  }
  const { person } = target;
  const written = (await store.rows.allMessages(JSON.stringify(person))).filter(
    ({ author }) => author.kind === 'person' && author.id === person,
  );
  const own = rooms.stored((room) => concernsRoom(target, room));
  const inOwn = await Promise.all(own.map(({ id }) => store.rows.ofRoom(id)));
  return [...written, ...inOwn.flat()];
}

/** Returns the files of the deleted messages that no other message contains, and all files that the person uploaded. */
async function fileIds(
  target: ForgetTarget,
  own: readonly MessageRecord[],
  rows: ChatRows,
): Promise<readonly string[]> {
  const ids = new Set(own.map(({ id }) => id));
  const inMessages: string[] = [];
  for (const { id: file } of own.flatMap(({ files }) => files))
    if ((await rows.allMessages(file)).every(({ id }) => ids.has(id))) inMessages.push(file);
  const person = target.kind === 'person' ? target.person : undefined;
  const uploaded = person !== undefined || isEverything(target) ? await rows.filesOf(person) : [];
  return [...new Set([...inMessages, ...uploaded])];
}

function personsOf(target: ForgetTarget, people: People): readonly string[] {
  if (target.kind === 'person') return [target.person];
  return isEverything(target) ? people.list().map(({ id }) => id) : [];
}

/** Removes the person's ratings, mentions of the person, and their questions from answers that others shared. */
async function removeTraces(
  person: string,
  own: readonly MessageRecord[],
  { store, chat, host: { clock } }: Parts,
): Promise<void> {
  const texts = new Set(own.map(({ asked }) => asked?.text.slice(0, SHARED_QUESTION_CHARS).toWellFormed()));
  const named = (await store.rows.allMessages(JSON.stringify(person))).filter(
    ({ verdicts, mentions }) => verdicts !== undefined || mentions?.includes(person),
  );
  await inSteps(named, (record) => chat.forgetPerson(record, person), clock);
  const shared = (await store.rows.allMessages('"shared"')).filter((record) =>
    texts.has(record.shared?.from.question),
  );
  await inSteps(shared, (record) => chat.forgetSharedQuestion(record), clock);
}

async function inSteps<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
  clock: Clock,
): Promise<void> {
  for (const [nth, item] of items.entries()) {
    await work(item);
    if (nth % AT_ONCE === AT_ONCE - 1) await clock.wait(0);
  }
}
