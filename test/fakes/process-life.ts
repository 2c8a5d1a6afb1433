/** A process that can be killed: from then on nothing it waits for ever comes, and nothing it asks for happens. */

import type { Clock } from '../../src/core/clock.ts';

export interface ProcessLife {
  readonly name: string;
  readonly dead: boolean;
  /** Calls of this process that real parts are busy with. */
  readonly busy: number;
  end(): void;
  /** The same time, whose waits die with the process. */
  clock(clock: Clock): Clock;
  /** The same object, whose methods never answer once the process is dead. Its methods must all be asynchronous, but for those named. */
  mortal<Part extends object>(part: Part, synchronous?: readonly (keyof Part)[]): Part;
}

export function createProcessLife(name: string): ProcessLife {
  let dead = false;
  let busy = 0;
  const unlessDead = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (dead) return never();
    busy += 1;
    try {
      return await work();
    } finally {
      busy -= 1;
      // Whoever waits for this died meanwhile: what was done is done, but nobody hears of it.
      if (dead) await never();
    }
  };
  return {
    name,
    get dead() {
      return dead;
    },
    get busy() {
      return dead ? 0 : busy;
    },
    end() {
      dead = true;
    },
    clock: ({ now, wait }) => ({
      now,
      wait: async (ms, signal) => {
        if (dead) return never();
        await wait(ms, signal).finally(() => (dead ? never() : undefined));
      },
    }),
    mortal: (part, synchronous = []) =>
      new Proxy(part, {
        get(target, key, receiver) {
          const member: unknown = Reflect.get(target, key, receiver);
          if (typeof member !== 'function' || synchronous.some((each) => each === key)) return member;
          return (...given: unknown[]) => unlessDead(() => Reflect.apply(member, target, given));
        },
      }),
  };
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
