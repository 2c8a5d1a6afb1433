import type { ConsoleEvent } from '../../wire.ts';
import { after, every } from '../clock.ts';
import { type Link, openStream } from './stream.ts';

/**
 * One tab receives the events for all tabs of a person, because over HTTP/1.1 a browser opens at most six connections
 * to a server. The tabs agree by messages: the leading tab passes on what it receives. A second leader may appear for a
 * moment, for example after a crash; this is harmless, because each tab skips events that it knows.
 */

/** Callbacks of the page for the events. */
interface TabListener {
  /** Id of the signed-in person; undefined if the console has no sign-in. */
  readonly person: string | undefined;
  /** Called with new events only, in order. */
  readonly events: (events: readonly ConsoleEvent[]) => void;
  /** Returns the number of the newest event that the page knows. */
  readonly seq: () => number;
  readonly link: (link: Link) => void;
  /** Resolves with false if the browser's sign-in is no longer that of the page. */
  readonly isCurrent: () => Promise<boolean>;
  /** True if the page needs events even while it is hidden. */
  readonly awaits: () => boolean;
  /** Called after the events have ended because the browser's sign-in has changed. */
  readonly changed: () => void;
}

/** A message to the other tabs. */
type Note =
  /** From the leading tab: the events after number `after`. Without events, it only says that the tab still leads. */
  | {
      readonly kind: 'events';
      readonly from: number;
      readonly link: Link;
      readonly after: number;
      readonly events: readonly ConsoleEvent[];
    }
  /** A tab knows the events up to number `seq` and needs those that follow. */
  | { readonly kind: 'needs'; readonly seq: number }
  /** The leading tab leads no longer. */
  | { readonly kind: 'left' }
  /** The browser's sign-in may have changed. */
  | { readonly kind: 'check' };

/** Interval at which the leading tab says that it leads, in milliseconds. */
const BEAT_MS = 2_000;
/** Silence after which another tab leads, in milliseconds. */
const SILENCE_MS = 6_000;
/** Time that a tab waits for the answer of a leading tab, in milliseconds. Until then, a new page shows no new events. */
const ANSWER_MS = 100;
/** Maximum random addition to a wait that all tabs begin at the same time, in milliseconds, so that few of them lead. */
const SPREAD_MS = 400;
/** Time after which a hidden tab leads no longer, in milliseconds. */
const HIDDEN_MS = 60_000;

const spread = (ms: number): number => ms + Math.random() * SPREAD_MS;

/** Receives events, from another tab if one leads. */
export class Tabs {
  readonly #listener: TabListener;
  readonly #id = Math.random();
  readonly #channel: BroadcastChannel;
  readonly #ending = new AbortController();
  /** Ends the stream of this tab; undefined while the tab does not lead. */
  #endStream: (() => void) | undefined;
  /** Number of the newest event that the stream of this tab has delivered. */
  #at = 0;
  #link: Link = 'open';
  /** True while the tab may not lead, because it is hidden or frozen. */
  #away = document.hidden;
  #cancelWait = () => {};
  #cancelHidden = () => {};

  constructor(listener: TabListener) {
    this.#listener = listener;
    this.#channel = new BroadcastChannel(`parley.events.${listener.person ?? ''}`);
    this.#channel.onmessage = ({ data }: MessageEvent<Note>) => this.#receive(data);
    const { signal } = this.#ending;
    for (const type of ['visibilitychange', 'resume'])
      document.addEventListener(type, () => this.#look(), { signal });
    window.addEventListener('pageshow', () => this.#look(), { signal });
    document.addEventListener('freeze', () => this.#goAway(), { signal });
    window.addEventListener('pagehide', () => this.#goAway(), { signal });
    this.#join(ANSWER_MS);
  }

  end(): void {
    if (this.#ending.signal.aborted) return;
    this.#goAway();
    this.#ending.abort();
    this.#cancelHidden();
    this.#channel.close();
  }

  /** Ends the events because the browser's sign-in has changed, and lets the other tabs check theirs. */
  endAll(): void {
    if (!this.#ending.signal.aborted) this.#post({ kind: 'check' });
    this.end();
  }

  #post(note: Note): void {
    this.#channel.postMessage(note);
  }

  #pass(events: readonly ConsoleEvent[], from = this.#at): void {
    this.#post({ kind: 'events', from: this.#id, link: this.#link, after: from, events });
  }

  #receive(note: Note): void {
    switch (note.kind) {
      case 'events':
        // Of two leading tabs, the one with the higher id stops.
        if (this.#endStream && note.from > this.#id) this.#pass([]);
        else this.#follow(note);
        break;
      case 'needs':
        if (!this.#endStream) break;
        if (note.seq < this.#at) this.#lead(note.seq);
        this.#pass([]);
        break;
      case 'left':
        if (!this.#endStream) this.#join(spread(ANSWER_MS));
        break;
      case 'check':
        this.#check(() => this.end()).catch(() => undefined);
    }
  }

  /** Takes the events from the leading tab. */
  #follow({ link, after: from, events }: Extract<Note, { kind: 'events' }>): void {
    this.#stop();
    this.#leadAfter(spread(SILENCE_MS));
    this.#link = link;
    this.#listener.link(link);
    this.#deliver(events, from);
  }

  /** Asks for a leading tab. If none answers within `ms` milliseconds, leads. */
  #join(ms: number): void {
    this.#post({ kind: 'needs', seq: this.#listener.seq() });
    this.#leadAfter(ms);
  }

  #leadAfter(ms: number): void {
    this.#cancelWait();
    this.#cancelWait = after(ms, () => this.#lead(this.#listener.seq()));
  }

  /** Receives the events after number `since` from the server, for all tabs. */
  #lead(since: number): void {
    this.#stop();
    if (this.#away) return;
    this.#at = since;
    const { person } = this.#listener;
    const as = person === undefined ? '' : `&as=${encodeURIComponent(person)}`;
    const endStream = openStream({
      query: () => `since=${this.#at}${as}`,
      events: (events) => {
        const from = this.#at;
        this.#at = events.at(-1)?.seq ?? from;
        this.#pass(events, from);
        this.#deliver(events, from);
      },
      link: (link) => {
        this.#listener.link(link);
        if (link === this.#link) return;
        this.#link = link;
        this.#pass([]);
      },
      mayGoOn: () => this.#check(() => this.endAll()),
    });
    const endBeat = every(BEAT_MS, () => this.#pass([]));
    this.#endStream = () => {
      this.#endStream = undefined;
      endBeat();
      endStream();
    };
    this.#pass([]);
  }

  #stop(): void {
    this.#cancelWait();
    this.#endStream?.();
  }

  /** Gives the page the events that it does not know. If it misses earlier ones, asks the leading tab for them. */
  #deliver(events: readonly ConsoleEvent[], from: number): void {
    const known = this.#listener.seq();
    const reload = events.findLastIndex(({ type }) => type === 'reload');
    const misses = reload < 0 && from > known;
    if (misses) this.#post({ kind: 'needs', seq: known });
    const fresh = reload < 0 ? events.filter(({ seq }) => seq > known) : events.slice(reload);
    if (!misses && fresh.length > 0) this.#listener.events(fresh);
  }

  /** Resolves with false, and ends the events, if the browser's sign-in is no longer that of the page. */
  async #check(end: () => void): Promise<boolean> {
    if (await this.#listener.isCurrent()) return true;
    if (!this.#ending.signal.aborted) {
      end();
      this.#listener.changed();
    }
    return false;
  }

  /** Handles that the tab was shown or hidden. */
  #look(): void {
    this.#cancelHidden();
    if (document.hidden) {
      this.#cancelHidden = after(HIDDEN_MS, () => (this.#listener.awaits() ? this.#look() : this.#goAway()));
    } else if (this.#away) {
      this.#away = false;
      this.#join(ANSWER_MS);
      this.#check(() => this.end()).catch(() => undefined);
    }
  }

  #goAway(): void {
    this.#away = true;
    const led = this.#endStream !== undefined;
    this.#stop();
    if (led) this.#post({ kind: 'left' });
  }
}
