/**
 * A page of the console that shows every room its person may read. The page's own code makes its state of the events,
 * and it connects again, to whichever replica the load balancer chooses. It records what it shows.
 */

import { setTimeout as pause } from 'node:timers/promises';
import {
  withLoaded,
  withPage,
  withRenewed,
  withSetup,
} from '../../../adapters/console/page/state/changes.ts';
import { fold } from '../../../adapters/console/page/state/fold.ts';
import {
  emptyState,
  loadKey,
  type PageState,
  type RoomPlace,
} from '../../../adapters/console/page/state/model.ts';
import type { ConsoleState, MessageView, RoomPage } from '../../../adapters/console/wire.ts';
import { eventsIn } from '../../fakes/console-events.ts';
import type { Look, PageLog } from '../../fakes/history/console-record.ts';

/** Longest wait for the response to one attempt of a request, and pause before the next attempt, in milliseconds. */
const ATTEMPT_MS = 6_000;
const AGAIN_MS = 250;
/** Number of messages on a full page of a room. */
const FULL = 200;

export interface Door {
  /** Sends a request until a replica answers it. Statuses that say "later" are no answer. */
  call(path: string, init?: RequestInit): Promise<Response>;
  post(path: string, body: unknown): Promise<Response>;
  get<T>(path: string): Promise<T>;
  /** Connects once to the stream of events. */
  events(since: number, signal: AbortSignal): Promise<Response>;
}

export function openDoor(url: string, cookie: string): Door {
  const headers = { cookie, 'content-type': 'application/json' };
  const call: Door['call'] = async (path, init = {}) => {
    for (;;) {
      const response = await fetch(`${url}/console/${path}`, {
        headers,
        ...init,
        signal: AbortSignal.timeout(ATTEMPT_MS),
      }).catch(() => undefined);
      if (response !== undefined && response.status < 500 && response.status !== 429) return response;
      await response?.body?.cancel();
      await pause(AGAIN_MS);
    }
  };
  return {
    call,
    post: (path, body) => call(path, { method: 'POST', body: JSON.stringify(body) }),
    async get<T>(path: string) {
      const response = await call(path);
      if (!response.ok) throw new Error(`${path}: ${response.status}`);
      return (await response.json()) as T;
    },
    events: (since, signal) => fetch(`${url}/console/events?since=${since}`, { headers, signal }),
  };
}

export interface ConsolePage {
  readonly name: string;
  readonly person: string;
  readonly door: Door;
  state(): PageState;
  /** Returns what the page showed, and what it shows after a reload. */
  log(): Promise<PageLog>;
  close(): Promise<void>;
}

export async function openPage(name: string, door: Door): Promise<ConsolePage> {
  const fresh = await door.get<ConsoleState>('state');
  const { me: person = '' } = fresh;
  const record = createRecord(withSetup(emptyState, fresh, person, {}));
  const closed = new AbortController();
  const { signal } = closed;
  const loads = new Set<Promise<void>>();
  const load = (place: RoomPlace, key: string): void => {
    record.set(withLoaded(record.state(), key, 'asked'));
    const done = door
      .get<RoomPage>(pathOf(place))
      .then((page) => record.set(withPage(record.state(), page)))
      .catch(async () => {
        await pause(AGAIN_MS);
        record.set(withLoaded(record.state(), key));
      })
      .finally(() => loads.delete(done));
    loads.add(done);
  };
  const loadMissing = (): void => {
    if (record.state().stale) return;
    for (const place of placesOf(record.state())) {
      const key = loadKey(place.room, place.thread);
      if (record.state().loaded[key] === undefined) load(place, key);
    }
  };
  const renew = async (): Promise<void> => {
    const state = await door.get<ConsoleState>('state');
    const pages = await Promise.all(state.rooms.map(({ id }) => door.get<RoomPage>(pathOf({ room: id }))));
    record.set(withRenewed(record.state(), state, pages));
  };
  const follow = async (): Promise<void> => {
    for await (const event of eventsIn(await door.events(record.state().seq, signal))) {
      record.set(fold(record.state(), event));
      if (event.type === 'reload') void renew();
    }
  };
  const looking = (async () => {
    for (; !signal.aborted; await pause(AGAIN_MS)) loadMissing();
  })();
  const following = (async () => {
    for (; !signal.aborted; await pause(AGAIN_MS)) await follow().catch(() => undefined);
  })();
  return {
    ...{ name, person, door, state: record.state },
    log: async () => ({
      ...{ page: name, person, ...record.log() },
      shown: Object.values(record.state().messages).flat(),
      reloaded: await reload(door),
    }),
    async close() {
      closed.abort();
      await Promise.all([looking, following, ...loads]);
    },
  };
}

/** Holds the state of a page, and notes each state of each message, rooms, and messages that disappear. */
function createRecord(first: PageState) {
  let state = first;
  const looks: Look[] = [];
  const rooms = new Set(first.rooms.map(({ id }) => id));
  const removed = new Map<string, number>();
  return {
    state: () => state,
    set(next: PageState): void {
      const at = Date.now();
      for (const [room, messages] of Object.entries(next.messages)) {
        const before = new Set(state.messages[room]);
        for (const message of messages) if (!before.delete(message)) looks.push({ at, message });
        for (const { id } of before) removed.set(id, at);
      }
      for (const { id } of next.rooms) rooms.add(id);
      state = next;
    },
    log: () => ({ looks: [...looks], rooms: [...rooms], removed: new Map(removed) }),
  };
}

/** Returns the rooms and threads that the page shows. */
const placesOf = ({ rooms, messages }: PageState): readonly RoomPlace[] =>
  rooms.flatMap(({ id: room }) => [{ room }, ...threadsIn(messages[room] ?? [])]);

const threadsIn = (messages: readonly MessageView[]): readonly RoomPlace[] =>
  messages
    .filter(({ id, thread, answers = 0 }) => id === thread && answers > 0)
    .map(({ room, thread }) => ({ room, thread }));

const pathOf = ({ room, thread }: RoomPlace): string =>
  `rooms/${encodeURIComponent(room)}${thread === undefined ? '' : `/threads/${thread}`}`;

/** Returns the messages that a new page shows. */
async function reload(door: Door): Promise<readonly MessageView[]> {
  const { rooms } = await door.get<ConsoleState>('state');
  const all: MessageView[] = [];
  for (const { id: room } of rooms) {
    const own = await wholeRoom(door, room);
    const threads = await Promise.all(threadsIn(own).map((place) => door.get<RoomPage>(pathOf(place))));
    const inside = threads.flatMap(({ messages }) => messages.filter(({ id, thread }) => id !== thread));
    all.push(...own, ...inside);
  }
  return all;
}

async function wholeRoom(door: Door, room: string): Promise<readonly MessageView[]> {
  const all: MessageView[] = [];
  for (;;) {
    const before = all[0] === undefined ? '' : `?before=${all[0].id}`;
    const { messages } = await door.get<RoomPage>(`${pathOf({ room })}${before}`);
    all.unshift(...messages);
    if (messages.length < FULL) return all;
  }
}
