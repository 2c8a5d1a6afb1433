import type { RequestBodies } from '../../bodies.ts';
import type {
  Act,
  ConnectView,
  ConsoleState,
  FileView,
  LinkView,
  ReceiptView,
  RoomPage,
  SignInView,
  ThreadPage,
  Views,
} from '../../wire.ts';
import { after } from '../clock.ts';

/** A request that the server refused or that failed. `message` is a sentence to show to the person. */
export class Refusal extends Error {
  /** The HTTP status; 0 if the server could not be reached. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
  }
}

const UNREACHABLE = 'The bridge could not be reached. Your text is kept. Try again in a moment.';
const UNREADABLE = 'This page could not read the response of the bridge. Reload the page and try again.';

export const api = {
  state: () => get<ConsoleState>('/console/state'),
  room: (room: string, before?: string) => get<RoomPage>(`/console/rooms/${part(room)}${olderThan(before)}`),
  thread: (room: string, thread: string, before?: string) =>
    get<ThreadPage>(`/console/rooms/${part(room)}/threads/${part(thread)}${olderThan(before)}`),
  receipt: (turn: string, signal?: AbortSignal) =>
    get<ReceiptView>(`/console/replies/${part(turn)}/receipt`, signal),
  /** Reads figures of the operator's page. @param path below `/console/operate/` */
  operate: <T>(path: string, signal?: AbortSignal) => get<T>(`/console/operate/${path}`, signal),
  /** Acts for a person. `id` replaces `:id` in the path. */
  act: <P extends keyof Views>(
    path: P,
    body: Omit<RequestBodies[P], 'as'> & Act,
    id = '',
    signal?: AbortSignal,
  ) =>
    read<Views[P]>(`/console${path.replace(':id', part(id))}`, { ...json(body), ...(signal && { signal }) }),
  upload: (file: File, as: string, signal: AbortSignal) =>
    read<FileView>(`/console/files?name=${part(file.name)}&as=${part(as)}`, {
      method: 'POST',
      body: file,
      headers: { 'content-type': file.type || 'application/octet-stream' },
      signal,
    }),
  link: (token: string) => post<LinkView>('/console/link', { token }),
  connect: (channel: string) => post<ConnectView>('/console/connect', { channel }),
  finishConnecting: (channel: string, query: string) =>
    post<LinkView>('/console/connect/finish', { channel, query }),
  confirmLink: (token: string) => post<LinkView>('/console/link/confirm', { token }),
  signInKind: () => get<SignInView>('/console/sign-in'),
  signOut: () => request('/console/sign-out', json({})),
  signIn: (token: string) => request('/console/sign-in', json({ token })),
};

/** Address at which a sign-in with the identity provider begins. The browser goes there. */
export const SIGN_IN_ADDRESS = '/console/sign-in/start';

/** Returns the address of a stored file. */
export function fileAddress(id: string): string {
  return `/console/files/${part(id)}`;
}

/** Returns the address of a conversation as a Markdown file. */
export function exportAddress(room: string): string {
  return `/console/rooms/${part(room)}/export`;
}

/** Returns the address of a file with ended turns. */
export function operateExport(format: 'csv' | 'jsonl', query: string): string {
  return `/console/operate/export?format=${format}&${query}`;
}

function part(text: string): string {
  return encodeURIComponent(text);
}

function olderThan(before: string | undefined): string {
  return before === undefined ? '' : `?before=${part(before)}`;
}

function json(body: unknown): RequestInit {
  return { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return read<T>(path, signal ? { signal } : {});
}

function post<T>(path: string, body: unknown): Promise<T> {
  return read<T>(path, json(body));
}

/**
 * Makes a request and parses the response as a type of `wire.ts`. Does not check it, because page and server have the
 * same version.
 */
async function read<T>(path: string, init: RequestInit): Promise<T> {
  const response = await request(path, init);
  try {
    return (await response.json()) as T;
  } catch {
    throw new Refusal(response.status, UNREADABLE);
  }
}

/** Time after which the page says that a request has no response yet, in milliseconds. */
const SLOW_MS = 5_000;
/** Time after which a request fails, in milliseconds. */
const GIVE_UP_MS = 30_000;
/** Interval at which an unreachable server is tried again, in milliseconds. */
const PROBE_MS = 3_000;

interface RequestWatcher {
  /** Called with the number of requests that have had no response for 5 s. */
  readonly slow: (count: number) => void;
  /** Called when the server can be reached again after a request has failed. */
  readonly reached: () => void;
}

let watcher: RequestWatcher = { slow: () => {}, reached: () => {} };
/** The requests that have had no response for 5 s. */
const slow = new Set<AbortController>();
/** True from a failed request until the server responds again. */
let probing = false;

export function watchRequests(wanted: RequestWatcher): void {
  watcher = wanted;
}

async function request(path: string, init: RequestInit): Promise<Response> {
  // An upload takes as long as its file needs. The page shows it and can cancel it.
  const limit = init.body instanceof Blob ? undefined : limitTime();
  const signals = [init.signal, limit?.signal].filter((one) => one instanceof AbortSignal);
  const options = {
    ...init,
    signal: AbortSignal.any(signals),
    credentials: 'same-origin',
    redirect: 'error',
  } as const;
  const response = await fetch(path, options)
    .catch((cause: unknown) => {
      if (init.signal?.aborted) throw cause;
      if (!probing) after(PROBE_MS, probe);
      probing = true;
      throw new Refusal(0, UNREACHABLE);
    })
    .finally(limit?.end);
  if (!response.ok) throw new Refusal(response.status, await sentence(response));
  return response;
}

/** Aborts the signal after 30 s. Reports a slow request after 5 s, until `end` is called. */
function limitTime(): { readonly signal: AbortSignal; readonly end: () => void } {
  const control = new AbortController();
  const cancelSlow = after(SLOW_MS, () => {
    slow.add(control);
    watcher.slow(slow.size);
  });
  const cancelEnd = after(GIVE_UP_MS, () => control.abort());
  const end = () => {
    cancelSlow();
    cancelEnd();
    if (slow.delete(control)) watcher.slow(slow.size);
  };
  return { signal: control.signal, end };
}

/** Tries to reach the server until it responds. */
function probe(): void {
  fetch('/console/sign-in', { signal: AbortSignal.timeout(GIVE_UP_MS) }).then(
    () => {
      probing = false;
      watcher.reached();
    },
    () => after(PROBE_MS, probe),
  );
}

async function sentence(response: Response): Promise<string> {
  const body = (await response.json().catch(() => null)) as { error?: { message?: unknown } } | null;
  const message = body?.error?.message;
  return typeof message === 'string' ? message : UNREADABLE;
}

/** Returns the sentence to show to the person for an error. */
export function sentenceOf(thrown: unknown): string {
  return thrown instanceof Refusal ? thrown.message : UNREACHABLE;
}
