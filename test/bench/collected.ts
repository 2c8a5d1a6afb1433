/** Memory of another Node process after a forced garbage collection, read over its inspector. */

const MIB = 1024 ** 2;

/** Environment variables that make a process open its inspector on this port. */
export const inspected = (port: number) => ({ NODE_OPTIONS: `--inspect=127.0.0.1:${port}` });

export interface Memory {
  /** Memory that the system gives to the process. */
  readonly residentMiB: number;
  /** Memory that objects and buffers use, without compiled code. */
  readonly usedMiB: number;
  /** Memory of compiled code, which grows for many minutes, because V8 compiles code that has run often enough. */
  readonly codeMiB: number;
}

/** Expression that the inspector evaluates in the other process. */
const READ_MEMORY = `JSON.stringify({
  ...process.memoryUsage(),
  spaces: process.getBuiltinModule('node:v8').getHeapSpaceStatistics(),
})`;
/** Matches the heap spaces of machine code, bytecode and their tables. */
const CODE_SPACE = /^(?:code|trusted)_/;

interface ReadMemory extends NodeJS.MemoryUsage {
  readonly spaces: readonly { readonly space_name: string; readonly space_used_size: number }[];
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
    const { result } = (await call(socket, 'Runtime.evaluate', { expression: READ_MEMORY })) as {
      readonly result: { readonly value: string };
    };
    const { rss, heapUsed, external, spaces } = JSON.parse(result.value) as ReadMemory;
    const code = spaces
      .filter((space) => CODE_SPACE.test(space.space_name))
      .reduce((sum, space) => sum + space.space_used_size, 0);
    return {
      residentMiB: rss / MIB,
      usedMiB: (heapUsed + external - code) / MIB,
      codeMiB: code / MIB,
    };
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
