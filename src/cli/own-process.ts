/** A command's own process: its memory, its files, the signals that end it, and its parent process. */

import { setFlagsFromString } from 'node:v8';
import type { Clock } from '../core/clock.ts';

/**
 * Flags for V8. By default, V8 lets a heap grow to several times the live data before it collects garbage. A bridge
 * mostly waits, so it trades a little CPU for memory: 500 turns at once needed 309 MiB without these flags and 186 MiB
 * with them (`npm run bench -- turns`).
 */
const FLAGS = ['--heap-growing-percent=20', '--max-semi-space-size=4', '--semi-space-growth-factor=1'];

/** Limits how far the heap grows. Must be called first, because V8 does not return memory that the heap already has. */
export function keepHeapSmall(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
}

/**
 * Makes new files of this process and its child processes readable only by their owner. Commands that write data call
 * it.
 */
export function keepFilesPrivate(): void {
  process.umask(0o077);
}

/** Exit code if the output cannot be written (EX_IOERR of sysexits). */
const OUTPUT_FAILED = 74;

/**
 * Ends the process when standard output fails: without an error if the program that reads it has closed the pipe
 * (`… | head`). Failures of standard error are ignored, because they cannot be reported.
 */
export function endWithOutput(): void {
  process.stdout.on('error', leave);
  process.stderr.on('error', () => undefined);
}

function leave({ code, message }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') process.exit(0);
  process.stderr.write(`The output cannot be written: ${message}\n`);
  process.exit(OUTPUT_FAILED);
}

/** Keeps the process running when standard output fails. A bridge serves people, whoever reads its output. */
export function outliveOutput(): void {
  process.stdout.off('error', leave).on('error', () => undefined);
}

/**
 * Time within which several signals count as one, in milliseconds. A single Ctrl-C may reach a process more than once:
 * from the terminal and from npm.
 */
const ONE_PRESS_MS = 400;

export type Interrupts = ReturnType<typeof listenForInterrupts>;

export function listenForInterrupts(clock: Pick<Clock, 'now'>) {
  const listeners = new Set<(signal: NodeJS.Signals) => void>();
  let last = Number.NEGATIVE_INFINITY;
  let unheard: NodeJS.Signals | undefined;
  const hungUp: (() => void)[] = [];
  const press = (signal: NodeJS.Signals): void => {
    if (signal === 'SIGHUP' && hungUp.length > 0) {
      for (const listener of hungUp) listener();
      return;
    }
    const again = clock.now() - last < ONE_PRESS_MS;
    last = clock.now();
    if (again) return;
    if (listeners.size === 0) unheard = signal;
    for (const listener of listeners) listener(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, press);
  return {
    /**
     * Calls the listener on each Ctrl-C or SIGTERM. If a signal came before the first listener was added, calls that
     * listener immediately.
     */
    onPress(listener: (signal: NodeJS.Signals) => void) {
      listeners.add(listener);
      const signal = unheard;
      unheard = undefined;
      if (signal !== undefined) listener(signal);
    },
    /** Calls the listener on each SIGHUP, which then no longer counts as a Ctrl-C. */
    onHangup(listener: () => void) {
      hungUp.push(listener);
    },
    /**
     * Must be called when the parent process has ended, because nobody can press Ctrl-C any more. Counts as the first
     * Ctrl-C.
     */
    orphaned() {
      if (last === Number.NEGATIVE_INFINITY) press('SIGTERM');
    },
    dispose: () => {
      for (const signal of signals) process.off(signal, press);
    },
  };
}

/** Interval between checks of the parent process, in milliseconds. */
const CHECK_EVERY_MS = 500;
/** The scripts of package.json that run a bridge. */
const SCRIPTS: readonly (string | undefined)[] = ['start', 'parley'];

interface ParentWatch {
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Returns the id of the current parent process. */
  parent(): number;
  /** Called once, when the parent process has changed because the original one ended. */
  gone(): void;
}

/**
 * Watches the parent process. npm passes a signal to its shell, but the shell does not pass it on to this process.
 * Watches only if npm runs one of the project's own scripts, because any other parent may end on purpose and leave this
 * process running.
 */
export function watchParent({ clock, environment, parent, gone }: ParentWatch): { stop(): Promise<void> } {
  const over = new AbortController();
  const watch = async (): Promise<void> => {
    const first = parent();
    while (parent() === first) {
      await clock.wait(CHECK_EVERY_MS, over.signal).catch(() => undefined);
      if (over.signal.aborted) return;
    }
    gone();
  };
  const watching = isOurScript(environment) ? watch() : Promise.resolve();
  return {
    stop() {
      over.abort();
      return watching;
    },
  };
}

/**
 * True if npm runs one of the project's own scripts. See "scripts", "package.json vars" and "current lifecycle event"
 * in npm's documentation.
 */
function isOurScript({
  npm_lifecycle_event: script,
  npm_package_name: name,
}: ParentWatch['environment']): boolean {
  return name === 'parley' && SCRIPTS.includes(script);
}
