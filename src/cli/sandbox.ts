import { spawn } from 'node:child_process';
import { keepFilesPrivate } from './own-process.ts';
import { sandboxMain } from './sandbox-process.ts';

/** The sandbox in the foreground, with its own options. */
export function sandbox(options: readonly string[]): Promise<number> {
  keepFilesPrivate();
  const child = spawn(process.execPath, [sandboxMain(), ...options], { stdio: 'inherit' });
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGINT', pass).on('SIGTERM', pass);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 0));
  });
}
