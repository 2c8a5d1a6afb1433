/** The value, or the signal's reason where it aborts first: for what others wait for too, so that no one's end ends it. */
export function orAborted<Value>(value: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return value;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    void value.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
