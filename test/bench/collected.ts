/** Memory of another Node process after a forced garbage collection, read over its inspector. */

const MIB = 1024 ** 2;

/** Environment variables that make a process open its inspector on this port. */
export const inspected = (port: number) => ({ NODE_OPTIONS: `--inspect=127.0.0.1:${port}` });

export interface Memory {
  /** Memory that the system gives to the process. */
  readonly residentMiB: number;
  /** Memory that objects and buffers use. */
  readonly usedMiB: number;
}

/** Collects the garbage of the process whose inspector listens on this port, and reads its memory. */
export async function collectedMemory(port: number): Promise<Memory> {
  const [target] = (await (
    await fetch(`http://127.0.0.1:${port}/json/list`, { headers: { connection: 'close' } })
  ).json()) as readonly { readonly webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
  try {
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener('error', reject, { once: true });
    });
    await call(socket, 'HeapProfiler.collectGarbage');
    const expression = 'JSON.stringify(process.memoryUsage())';
    const { result } = (await call(socket, 'Runtime.evaluate', { expression })) as {
      readonly result: { readonly value: string };
    };
    const { rss, heapUsed, external } = JSON.parse(result.value) as NodeJS.MemoryUsage;
    return { residentMiB: rss / MIB, usedMiB: (heapUsed + external) / MIB };
  } finally {
    socket.close();
  }
}

/** Resolves with the result of a call. Only one call may run at a time. */
function call(socket: WebSocket, method: string, params: object = {}): Promise<unknown> {
  const answered = new Promise<unknown>((resolve, reject) => {
    socket.addEventListener('message', ({ data }) => resolve(JSON.parse(String(data)).result), {
      once: true,
    });
    socket.addEventListener('close', () => reject(new Error('The inspector closed.')), { once: true });
  });
  socket.send(JSON.stringify({ id: 1, method, params }));
  return answered;
}
