import type { ConsoleEvent } from '../../wire.ts';
import { after, nextFrame } from '../clock.ts';

export type Link = 'open' | 'lost';

/** Callbacks for a connection to the stream of events. */
interface StreamListener {
  /** Called with the events that arrived since the last animation frame, in order. */
  readonly events: (events: readonly ConsoleEvent[]) => void;
  /** Returns the query of the next connection. */
  readonly query: () => string;
  readonly link: (link: Link) => void;
  /** Called after a failure. Resolves with true if the stream is to connect again; rejects if it is to wait longer. */
  readonly mayGoOn: () => Promise<boolean>;
}

/** Shortest waits before the first and the last attempts to connect again. Each takes up to twice as long. */
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 8_000;
/** Maximum events held for the next animation frame. When there are so many, they are delivered immediately. */
const MAX_BATCH = 400;

/**
 * Receives the events of `/console/events`. After each failure, reconnects and continues where it stopped. Returns a
 * function that ends this.
 */
export function openStream(listener: StreamListener): () => void {
  let source: EventSource | undefined;
  let cancel = () => {};
  let wait = FIRST_RETRY_MS;
  let ended = false;
  const batch = gather(listener.events);

  const open = () => {
    // A look after the browser is online again may overtake one that was waiting.
    source?.close();
    source = new EventSource(`/console/events?${listener.query()}`);
    source.onmessage = (message) => {
      wait = FIRST_RETRY_MS;
      listener.link('open');
      // Not checked, because page and server have the same version.
      batch.add(JSON.parse(message.data) as ConsoleEvent);
    };
    source.onerror = lose;
  };
  const lose = () => {
    if (ended) return;
    source?.close();
    batch.flush();
    listener.link('lost');
    cancel();
    // Random, so that the pages of a replica that ends do not all ask another one at the same moment.
    cancel = after(wait * (1 + Math.random()), look);
    wait = Math.min(wait * 2, MAX_RETRY_MS);
  };
  const look = () => {
    cancel();
    listener.mayGoOn().then((goesOn) => goesOn && !ended && open(), lose);
  };
  const online = () => {
    if (source?.readyState === EventSource.CLOSED) look();
  };
  window.addEventListener('online', online);
  open();
  return () => {
    batch.flush();
    ended = true;
    source?.close();
    cancel();
    window.removeEventListener('online', online);
  };
}

/** Collects the many small events of a growing reply, so that the page renders at most once per animation frame. */
function gather(deliver: (events: readonly ConsoleEvent[]) => void) {
  let held: ConsoleEvent[] = [];
  let scheduled = false;
  const flush = () => {
    scheduled = false;
    if (held.length === 0) return;
    const events = held;
    held = [];
    deliver(events);
  };
  const add = (event: ConsoleEvent) => {
    held.push(event);
    if (held.length >= MAX_BATCH) flush();
    else if (!scheduled) {
      scheduled = true;
      nextFrame(flush);
    }
  };
  return { add, flush };
}
