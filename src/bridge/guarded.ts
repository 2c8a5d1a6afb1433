/**
 * Runs a channel from outside Parley, so that its errors and hanging calls affect only turns of this channel.
 */

import { type Clock, openWait } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { BridgeError } from '../errors.ts';
import { createSeldom } from '../kit/seldom.ts';
import { disowned, ownedBy } from '../kit/stray.ts';
import type { AdapterHost, ChannelAdapter, ReplyWriter } from '../kit.ts';

const REASON_CHARACTERS = 300;
/** Maximum duration of one call, in milliseconds. */
const CALL_MS = {
  start: 5_000,
  stop: 5_000,
  perform: 30_000,
  openFile: 60_000,
  lookup: 30_000,
  signIn: 30_000,
  proof: 30_000,
  isAccepted: 30_000,
  waiting: 10_000,
  answers: 10_000,
  forget: 60_000,
};

interface Guard {
  /**
   * Resolves with the result of the work. Rejects with the work's error, with `channel-unavailable` if the work takes
   * too long, or with the signal's reason if the signal aborts.
   */
  within<Result>(call: Call, work: () => Result | Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /** Returns the result of synchronous work. Rethrows its error. */
  run<Result>(call: string, work: () => Result): Result;
  /** Returns the result of work whose errors somebody else reports. Its stray errors are the channel's. */
  own<Result>(work: () => Result): Result;
}

interface Call {
  readonly name: string;
  readonly ms: number;
}

export interface GuardDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Called with each stray error of the channel, to count it. */
  strayed?(channel: string): void;
}

/** @param channel the name for the log */
export function createGuard(channel: string, { clock, log, strayed }: GuardDeps): Guard {
  const seldom = createSeldom(clock);
  const tell = (call: string, thrown: unknown): void =>
    seldom(call, () =>
      log.error({ channel, call }, `The channel "${channel}" failed in ${call}: ${reasonOf(thrown)}`),
    );
  const stray = (thrown: unknown): void => {
    strayed?.(channel);
    seldom('stray', () => log.error({ channel, err: thrown }, strayLine(channel, thrown)));
  };
  return {
    async within({ name, ms }, work, signal) {
      try {
        return await within(ms, () => ownedBy(stray, work), { clock, ...(signal && { signal }) });
      } catch (thrown) {
        signal?.throwIfAborted();
        // A `BridgeError` is a regular outcome of a call, such as "access-denied", so it is logged only if the call is
        // `start`.
        if (!(thrown instanceof BridgeError) || name === 'start') tell(name, thrown);
        if (!(thrown instanceof Late)) throw thrown;
        const message = `The channel "${channel}" failed in ${name}: ${thrown.message}`;
        throw new BridgeError('channel-unavailable', message, { cause: thrown });
      }
    },
    run(call, work) {
      try {
        return ownedBy(stray, work);
      } catch (thrown) {
        tell(call, thrown);
        throw thrown;
      }
    },
    own: (work) => ownedBy(stray, work),
  };
}

/** Returns the line for the log about an error that the channel's code neither handles nor passes on. */
export const strayLine = (channel: string, thrown: unknown): string =>
  `The channel "${channel}" has a stray error, which it should handle: ${reasonOf(thrown)}`;

class Late extends Error {}

/**
 * Resolves with the result of the work. Rejects with the work's error, with `Late` if the work takes longer than
 * `ms` milliseconds, or with the signal's reason if the signal aborts.
 */
export async function within<Result>(
  ms: number,
  work: () => Result | Promise<Result>,
  { clock, signal = new AbortController().signal }: { readonly clock: Clock; readonly signal?: AbortSignal },
): Promise<Result> {
  const wait = openWait(signal);
  const late = clock.wait(ms, wait.signal).then(() => {
    throw new Late(`It did not return within ${ms / 1000} s.`);
  });
  try {
    return await Promise.race([(async () => work())(), late]);
  } finally {
    wait.end();
  }
}

/** Returns the thrown value as one line of text. */
export function reasonOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return message.replace(/\s+/g, ' ').slice(0, REASON_CHARACTERS);
}

/**
 * Returns the adapter behind a guard. The result has no `probe`, so the channel cannot make the bridge
 * unready.
 */
export function guarded(adapter: ChannelAdapter, guard: Guard): ChannelAdapter {
  const { waiting, lookup, answers, ended, linkPage, isAccepted, signIn, identityProof } = adapter.abilities;
  const forget = adapter.forget?.bind(adapter);
  const stored = adapter.stored?.bind(adapter);
  const call = (name: keyof typeof CALL_MS) => ({ name, ms: CALL_MS[name] });
  return {
    name: adapter.name,
    limits: adapter.limits,
    abilities: {
      ...(waiting && {
        waiting: {
          say: (...notice) => guard.within(call('waiting'), () => waiting.say(...notice)),
        },
      }),
      ...(answers && { answers: (message) => guard.within(call('answers'), () => answers(message)) }),
      ...(lookup && { lookup: guardedLookup(lookup, guard) }),
      ...(ended && { ended: (turn) => guard.run('ended', () => ended(turn)) }),
      ...(linkPage && { linkPage: (token) => guard.run('linkPage', () => linkPage(token)) }),
      ...(isAccepted && {
        isAccepted: (person, use) => guard.within(call('isAccepted'), () => isAccepted(person, use)),
      }),
      ...(signIn && {
        signIn: {
          isPossible: (thread) => guard.run('signIn', () => signIn.isPossible(thread)),
          begin: (turn, signal) => guard.within(call('signIn'), () => signIn.begin(turn, signal), signal),
          end: (turn) => guard.run('signIn', () => signIn.end(turn)),
        },
      }),
      ...(identityProof && {
        identityProof: {
          begin: (attempt) => guard.run('identityProof', () => identityProof.begin(attempt)),
          finish: (query, nonce) => guard.within(call('proof'), () => identityProof.finish(query, nonce)),
        },
      }),
    },
    start: (host) => guard.within(call('start'), () => adapter.start(hostFor(host, guard))),
    stop: () => guard.within(call('stop'), () => adapter.stop()).catch(() => undefined),
    ...(forget && { forget: (target) => guard.within(call('forget'), () => forget(target)) }),
    ...(stored && { stored: (target) => guard.within(call('forget'), () => stored(target)) }),
    writer: (turn) =>
      guardedWriter(
        guard.run('writer', () => adapter.writer(turn)),
        guard,
      ),
    openFile: (file, limit, signal) =>
      guard.within(call('openFile'), () => adapter.openFile(file, limit, signal), signal),
  };
}

/** Returns the host for a channel: requests run in the channel's guard, and the bridge's work on events outside it. */
const hostFor = (host: AdapterHost, guard: Guard): AdapterHost => ({
  ...host,
  intake: (event) => disowned(() => host.intake(event)),
  mount: (path, handler) =>
    host.mount(path, (request, response) => guard.own(() => handler(request, response))),
});

type Lookup = NonNullable<ChannelAdapter['abilities']['lookup']>;

function guardedLookup(lookup: Lookup, guard: Guard): Lookup {
  const history = lookup.history?.bind(lookup);
  const sender = lookup.sender?.bind(lookup);
  const call = { name: 'lookup', ms: CALL_MS.lookup };
  return {
    complete: (message, signal) => guard.within(call, () => lookup.complete(message, signal), signal),
    ...(sender && { sender: (message, signal) => guard.within(call, () => sender(message, signal), signal) }),
    ...(history && {
      history: (message, agent, signal) => guard.within(call, () => history(message, agent, signal), signal),
    }),
  };
}

function guardedWriter(writer: ReplyWriter, guard: Guard): ReplyWriter {
  return {
    ...(writer.ends && { ends: writer.ends }),
    blank: () => guard.run('blank', () => writer.blank()),
    next: (screen, document, now) => guard.run('next', () => writer.next(screen, document, now)),
    after: (screen, move, outcome, now) => guard.run('after', () => writer.after(screen, move, outcome, now)),
    resume: (screen) => guard.run('resume', () => writer.resume(screen)),
    perform: (move, signal) =>
      guard.within(
        { name: 'perform', ms: CALL_MS.perform },
        async () => {
          const outcome = await writer.perform(move, signal);
          if (KINDS.includes(outcome?.kind)) return outcome;
          throw new TypeError('perform must return an outcome: done, refused or unknown.');
        },
        signal,
      ),
  };
}

const KINDS = ['done', 'refused', 'unknown'];
