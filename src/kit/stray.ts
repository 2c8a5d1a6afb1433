/**
 * Attributes stray errors to the channel that caused them: a rejected promise that nothing awaits, and an error thrown
 * in a timer or by an event's listener. Without this, Node would end the process, and with it all other channels.
 */

import { AsyncLocalStorage } from 'node:async_hooks';

/** Called with each stray error of the code that an owner runs. Must not throw. */
export type StrayHandler = (thrown: unknown) => void;

const owners = new AsyncLocalStorage<StrayHandler>();

/** Runs the work. Stray errors of the work, and of timers, sockets and promises that it makes, go to the handler. */
export const ownedBy = <Result>(stray: StrayHandler, work: () => Result): Result => owners.run(stray, work);

/** Runs the work of the bridge that a channel's code has called, so that its errors are not the channel's. */
export const disowned = <Result>(work: () => Result): Result => owners.exit(work);

type Listener<Arguments extends readonly unknown[]> = (...given: Arguments) => void;
interface Emitter<Arguments extends readonly unknown[]> {
  on(event: string, listener: Listener<Arguments>): unknown;
  off(event: string, listener: Listener<Arguments>): unknown;
}

/**
 * Calls the handler for each event of an emitter. If the handler throws or rejects, the error is logged with the
 * channel's name and ends nothing. Needed for an emitter whose events are emitted by code outside the channel, because
 * Node runs such a handler in the context of that code
 * (https://nodejs.org/api/async_context.html#integrating-asyncresource-with-eventemitter). Returns a function that removes
 * the handler.
 * @example
 * ```ts
 * listen(socket, 'data', async (bytes) => chat.post('main', `${bytes}`, signal));
 * ```
 */
export function listen<Arguments extends readonly unknown[]>(
  emitter: Emitter<Arguments>,
  event: string,
  handler: (...given: Arguments) => unknown,
): () => void {
  const owner = owners.getStore();
  const run = async (given: Arguments): Promise<void> => void (await handler(...given));
  const listener: Listener<Arguments> = (...given) => {
    if (owner === undefined) void run(given);
    else owners.run(owner, () => void run(given));
  };
  emitter.on(event, listener);
  return () => void emitter.off(event, listener);
}

/** Number of bridges and checks that want stray errors attributed. */
let users = 0;

/** Passes stray errors to their owners until the returned function is called. Other errors end the process as before. */
export function catchStrays(): () => void {
  users += 1;
  if (users === 1) {
    process.on('uncaughtException', onException);
    process.on('unhandledRejection', onRejection);
  }
  return () => {
    users -= 1;
    if (users > 0) return;
    process.off('uncaughtException', onException);
    process.off('unhandledRejection', onRejection);
  };
}

/** Passes the error to its owner. Returns false if it has none. */
function isAttributed(thrown: unknown): boolean {
  const owner = owners.getStore();
  owner?.(thrown);
  return owner !== undefined;
}

function onRejection(reason: unknown): void {
  if (isAttributed(reason) || process.listenerCount('unhandledRejection') > 1) return;
  // As Node does without a listener of rejections.
  process.nextTick(() => {
    throw reason;
  });
}

function onException(thrown: unknown): void {
  if (isAttributed(thrown) || process.listenerCount('uncaughtException') > 1) return;
  process.off('uncaughtException', onException);
  process.nextTick(() => {
    throw thrown;
  });
}
