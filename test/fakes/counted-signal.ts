/** An abort signal that counts its listeners, so that a test finds listeners that were not removed. */
export interface CountedSignal {
  readonly signal: AbortSignal;
  /** Current number of listeners. */
  listeners(): number;
  abort(reason: unknown): void;
}

export function countedSignal(): CountedSignal {
  const outer = new AbortController();
  const { signal } = outer;
  let listeners = 0;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    listeners += 1;
    add(...given);
  };
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    listeners -= 1;
    remove(...given);
  };
  return { signal, listeners: () => listeners, abort: (reason) => outer.abort(reason) };
}
