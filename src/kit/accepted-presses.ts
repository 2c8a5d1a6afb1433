/**
 * Presses that are acknowledged before they are handled, because a call to the channel takes long. Such a press is
 * stored before it is acknowledged. If its process ends first, another process handles the press.
 */

import type { AdapterHost } from '../core/channel/host.ts';
import { within } from '../core/clock.ts';
import type { Owner } from '../core/stores/keyed.ts';
import type { Background } from './background.ts';
import { text } from './json.ts';
import type { Once } from './once.ts';
import { createOutbox, KEPT_MS } from './outbox.ts';

/** Milliseconds between two searches for presses whose process has ended. */
const LOOK_EVERY_MS = 2_000;
/**
 * Maximum number of other processes' presses that this process claims at the same time. A press that another process
 * still handles counts until that process has handled it.
 */
const CLAIMED_AT_ONCE = 50;

interface AcceptedDeps<Press> {
  readonly host: Pick<AdapterHost<unknown, unknown>, 'state' | 'secrets' | 'clock' | 'log'>;
  readonly background: Background;
  readonly once: Once;
  /** Milliseconds after which a press is stored and acknowledged, although it is not handled yet. */
  readonly acknowledgeMs: number;
  /**
   * Returns the parts that identify the press, such as its tenant, room, person and id, for the key under which the press
   * is stored.
   */
  identify(press: Press): readonly string[];
  /** Returns whom the press is about. */
  ownerOf(press: Press): Owner;
  /** Reads a stored press; undefined if it is not readable. */
  decode(stored: unknown): Press | undefined;
  /** Handles a press that an ended process accepted. Must be safe to call for a press that was already handled. */
  again(press: Press): Promise<unknown>;
  /** Aborts when the adapter stops. Another process then handles the presses that are left. */
  readonly signal: AbortSignal;
}

export class AcceptedPresses<Press> {
  readonly #deps: AcceptedDeps<Press>;
  /** The keys of the stored presses. Each press is stored encrypted under its own key. */
  readonly #keys: ReturnType<typeof createOutbox<string>>;
  /** Keys of the presses that this process handles. */
  readonly #handled = new Set<string>();

  constructor(deps: AcceptedDeps<Press>) {
    this.#deps = deps;
    this.#keys = createOutbox(deps.host.state, 'accepted presses', { decode: text, idOf: (key) => key });
  }

  /**
   * Runs `work`, which handles the press. Resolves with its result, or with undefined if it fails. If the work takes
   * longer than `acknowledgeMs`, resolves with undefined once the press is stored. If too many presses are stored,
   * resolves only once the work has ended. Rejects with `store-unavailable` if the press cannot be stored; it must not
   * be acknowledged then.
   */
  async handle<Value>(press: Press, work: () => Promise<Value>): Promise<Value | undefined> {
    const { background, acknowledgeMs, host } = this.#deps;
    let isDone = false;
    const done = background.result('a press', work).finally(() => {
      isDone = true;
    });
    await within(done, acknowledgeMs, host.clock);
    if (!isDone) await this.#store(press, done);
    return isDone ? done : undefined;
  }

  /** Until the adapter stops, handles each stored press whose process ended before it had handled the press. */
  resume(): void {
    const { background, host, signal } = this.#deps;
    background.run('presses of ended processes', async () => {
      // The claims belong to this task. As tasks of their own, they could take all places of the background.
      const claims = new Map<string, Promise<void>>();
      while (!signal.aborted) {
        // If the store is down, the next search finds the presses.
        for (const key of await this.#keys.all().catch(() => [])) {
          if (claims.size >= CLAIMED_AT_ONCE) break;
          if (this.#handled.has(key)) continue;
          claims.set(
            key,
            this.#finish(key).finally(() => claims.delete(key)),
          );
        }
        await host.clock.wait(LOOK_EVERY_MS, signal).catch(() => undefined);
      }
      await Promise.all(claims.values());
    });
  }

  /**
   * Stores a press that this process handles; it is deleted when `done` resolves. Resolves once the press is stored. If
   * the list is full, resolves when `done` does.
   */
  #store(press: Press, done: Promise<unknown>): Promise<unknown> {
    const { background, host, signal, identify, ownerOf } = this.#deps;
    const key = `press ${identify(press).join(' ')}`;
    const stored = Promise.withResolvers<unknown>();
    const work = async () => {
      await host.secrets.set(key, press, KEPT_MS, ownerOf(press));
      const isStored = (await this.#keys.put(key)) !== undefined;
      if (!isStored) await host.secrets.delete(key);
      stored.resolve(isStored ? undefined : done);
      await done;
    };
    background.run('a press that takes long', async () => {
      // If the press was handled before, `work` does not run.
      await this.#claim(key, press, work).then(stored.resolve, (thrown: unknown) => {
        stored.reject(thrown);
        if (!signal.aborted) throw thrown;
      });
    });
    return stored.promise;
  }

  /** Handles a press that an ended process had accepted. Never rejects. */
  async #finish(key: string): Promise<void> {
    const { host, signal, decode, again } = this.#deps;
    try {
      const press = decode(await host.secrets.get(key));
      if (press === undefined) return await this.#remove(key);
      await this.#claim(key, press, () =>
        again(press).catch((err: unknown) => {
          signal.throwIfAborted();
          host.log.warn({ err }, 'a press that an ended process had accepted could not be handled');
        }),
      );
    } catch (err) {
      if (!signal.aborted)
        host.log.warn({ err }, 'a press that an ended process had accepted could not be claimed');
    }
  }

  /**
   * Runs the work of a press unless another process does, and then deletes the press. If the adapter stops meanwhile,
   * keeps the press for another process.
   */
  async #claim(key: string, press: Press, work: () => Promise<unknown>): Promise<void> {
    const { once, signal, ownerOf } = this.#deps;
    const whole = async () => {
      await work();
      signal.throwIfAborted();
    };
    this.#handled.add(key);
    try {
      await once(key, whole, ownerOf(press));
      await this.#remove(key);
    } finally {
      this.#handled.delete(key);
    }
  }

  async #remove(key: string): Promise<void> {
    await this.#deps.host.secrets.delete(key);
    await this.#keys.remove(key);
  }
}
