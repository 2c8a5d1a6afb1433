import type { ChildProcess } from 'node:child_process';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Resolves with the exit code and the whole output of a process when it has ended. */
export function outputOf(child: ChildProcess): Promise<Ran> {
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    err += chunk;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })));
}
