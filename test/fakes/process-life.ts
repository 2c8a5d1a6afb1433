/** Simulates a process that can be killed. After the kill, its waits never end and its calls have no effect. */

import type { Clock } from '../../src/core/clock.ts';

export interface ProcessLife {
  readonly name: string;
  readonly dead: boolean;
  /** Number of unfinished calls of this process to objects that `mortal` returned. */
  readonly busy: number;
  end(): void;
  /** Returns a clock like the given one, except that waits never end once the process is dead. */
  clock(clock: Clock): Clock;
  /**
   * Returns an object like the given one, except that its methods never answer once the process is dead. All methods
   * must be asynchronous except those listed in `synchronous`.
   */
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
      // The process was killed during the call: the call took effect, but its result is lost.
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
