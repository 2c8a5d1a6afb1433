/**
 * Presses that are acknowledged before they are handled, because a call to the channel takes long. Such a press is
 * stored before it is acknowledged. If its process ends first, another process handles the press.
 */

import type { AdapterHost } from '../core/channel/host.ts';
import { within } from '../core/clock.ts';
import type { Owner } from '../core/stores/keyed.ts';
import type { Background } from './background.ts';
import { words } from './json.ts';
import type { Once } from './once.ts';

/** Milliseconds for which a press is stored. The bridge keeps the question that Retry asks again for the same time. */
const KEPT_MS = 24 * 60 * 60_000;
/** Milliseconds between two searches for presses whose process has ended. */
const LOOK_EVERY_MS = 2_000;
/** Maximum number of stored presses. A further press is acknowledged only after it was handled. */
const MAX_STORED = 200;
/**
 * Maximum number of other processes' presses that this process claims at the same time. A press that another process
 * still handles counts until that process has handled it.
 */
const CLAIMED_AT_ONCE = 50;
/** Key of the list with the keys of all stored presses. */
const LIST = 'accepted presses';

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

export interface AcceptedPresses<Press> {
  /**
   * Runs `work`, which handles the press. Resolves with its result, or with undefined if it fails. If the work takes
   * longer than `acknowledgeMs`, resolves with undefined once the press is stored. Rejects with `store-unavailable` if
   * the press cannot be stored; it must not be acknowledged then.
   */
  handle<Value>(press: Press, work: () => Promise<Value>): Promise<Value | undefined>;
  /** Until the adapter stops, handles each stored press whose process ended before it had handled the press. */
  resume(): void;
}

export function createAcceptedPresses<Press>(deps: AcceptedDeps<Press>): AcceptedPresses<Press> {
  const { host, background, signal } = deps;
  const { clock, state } = host;
  const context: Context<Press> = { ...deps, list: createList(deps), handled: new Set() };
  return {
    async handle<Value>(press: Press, work: () => Promise<Value>): Promise<Value | undefined> {
      let result: Value | undefined;
      const done = Promise.withResolvers<true>();
      background.run('a press', async () => {
        try {
          result = await work();
        } finally {
          done.resolve(true);
        }
      });
      const isDone = await within(done.promise, deps.acknowledgeMs, clock);
      if (isDone === undefined) await store(press, done.promise, context);
      return result;
    },
    resume() {
      background.run('presses of ended processes', async () => {
        // The claims belong to this task. As tasks of their own, they could take all places of the background.
        const claimed = new Map<string, Promise<void>>();
        while (!signal.aborted) {
          // If the store is down, the next search finds the presses.
          const keys = words(await state.get(LIST).catch(() => []));
          for (const key of keys) {
            if (claimed.size >= CLAIMED_AT_ONCE) break;
            if (context.handled.has(key)) continue;
            claimed.set(
              key,
              finish(key, context).finally(() => claimed.delete(key)),
            );
          }
          await clock.wait(LOOK_EVERY_MS, signal).catch(() => undefined);
        }
        await Promise.all(claimed.values());
      });
    },
  };
}

interface Context<Press> extends AcceptedDeps<Press> {
  readonly list: ReturnType<typeof createList<Press>>;
  /** Keys of the presses that this process handles. */
  readonly handled: Set<string>;
}

/**
 * Stores a press that this process handles; it is deleted when `done` resolves. Resolves once the press is stored. If
 * the list is full, resolves when `done` does.
 */
function store<Press>(press: Press, done: Promise<unknown>, context: Context<Press>): Promise<unknown> {
  const { background, list, signal, identify } = context;
  const key = `press ${identify(press).join(' ')}`;
  const stored = Promise.withResolvers<unknown>();
  background.run('a press that takes long', async () => {
    const work = async () => {
      const isStored = await list.add(key, press);
      stored.resolve(isStored ? undefined : done);
      await done;
    };
    // If the press was handled before, `work` does not run.
    await underClaim({ key, owner: context.ownerOf(press) }, work, context).then(
      stored.resolve,
      (thrown: unknown) => {
        stored.reject(thrown);
        if (!signal.aborted) throw thrown;
      },
    );
  });
  return stored.promise;
}

/** Handles a press that an ended process had accepted. Never rejects. */
async function finish<Press>(key: string, context: Context<Press>): Promise<void> {
  const { host, signal } = context;
  const again = async (press: Press) => {
    await context.again(press).catch((err: unknown) => {
      signal.throwIfAborted();
      host.log.warn({ err }, 'a press that an ended process had accepted could not be handled');
    });
  };
  try {
    const press = context.decode(await host.secrets.get(key));
    if (press === undefined) await context.list.remove(key);
    else await underClaim({ key, owner: context.ownerOf(press) }, () => again(press), context);
  } catch (err) {
    if (!signal.aborted)
      host.log.warn({ err }, 'a press that an ended process had accepted could not be claimed');
  }
}

/**
 * Runs the work of a press unless another process does, and then deletes the press. If the adapter stops meanwhile,
 * keeps the press for another process.
 */
async function underClaim<Press>(
  { key, owner }: { readonly key: string; readonly owner: Owner },
  work: () => Promise<unknown>,
  { once, list, handled, signal }: Context<Press>,
): Promise<void> {
  handled.add(key);
  try {
    const whole = async () => {
      await work();
      signal.throwIfAborted();
    };
    await once(key, whole, owner);
    await list.remove(key);
  } finally {
    handled.delete(key);
  }
}

/** Stores the presses encrypted, each under its own key, and the list of these keys. */
function createList<Press>({ host: { state, secrets }, ownerOf }: AcceptedDeps<Press>) {
  const change = (next: (keys: readonly string[]) => readonly string[] | undefined): Promise<boolean> =>
    state.change(LIST, (value) => next(words(value)), KEPT_MS, 'several');
  return {
    /** Resolves with false if the list is full. */
    async add(key: string, press: Press): Promise<boolean> {
      await secrets.set(key, press, KEPT_MS, ownerOf(press));
      let isListed = false;
      const added = await change((keys) => {
        isListed = keys.includes(key);
        return isListed || keys.length >= MAX_STORED ? undefined : [...keys, key];
      });
      if (!added && !isListed) await secrets.delete(key);
      return added || isListed;
    },
    async remove(key: string): Promise<void> {
      await secrets.delete(key);
      await change((keys) => (keys.includes(key) ? keys.filter((each) => each !== key) : undefined));
    },
  };
}
