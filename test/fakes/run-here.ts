/** Runs a command in the test's process, which takes a tenth of the CPU time that a process of its own takes. */

import { Readable } from 'node:stream';
import { vi } from 'vitest';
import { run } from '../../src/cli/program.ts';
import { house } from './house.ts';

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface Around {
  /** Variables that only this command sees. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Content of standard input. */
  readonly input?: string;
  /** Called with each piece of standard output. */
  heard?(text: string): void;
}

export async function runHere(args: readonly string[], around: Around = {}): Promise<Outcome> {
  const { environment = {}, input = '', heard } = around;
  let out = '';
  let err = '';
  const print = (text: unknown): true => {
    out += String(text);
    heard?.(String(text));
    return true;
  };
  const complain = (text: unknown): true => {
    err += String(text);
    return true;
  };
  const spies = [
    vi.spyOn(console, 'log').mockImplementation((line) => void print(`${line}\n`)),
    vi.spyOn(console, 'error').mockImplementation((line) => void complain(`${line}\n`)),
    vi.spyOn(process.stdout, 'write').mockImplementation(print),
    vi.spyOn(process.stderr, 'write').mockImplementation(complain),
    vi
      .spyOn(process, 'stdin', 'get')
      .mockReturnValue(Readable.from([Buffer.from(input)]) as typeof process.stdin),
  ];
  const before = Object.keys(environment).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, environment);
  try {
    const code = await run(args, house);
    return { code, out, err };
  } finally {
    for (const spy of spies) spy.mockRestore();
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
