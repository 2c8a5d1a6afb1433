/**
 * Prints the progress of `start`: sentences on a terminal; otherwise log lines, and one plain line when the bridge is
 * ready.
 */

import type { Log } from '../core/log.ts';

export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** The part of a process's output stream that this file uses. */
interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export type StartScreen = ReturnType<typeof createStartScreen>;

interface StartScreenDeps {
  readonly out: Output;
  readonly err: Output;
  readonly log: Log;
  /** True if the log consists of lines for people, false if it is JSON. */
  readonly pretty: boolean;
}

const CLEARED = '\r\u001b[K';

export function createStartScreen({ out, err, log, pretty }: StartScreenDeps) {
  const onTerminal = pretty && err.isTTY === true;
  let began = false;
  return {
    /** Reports that a channel or another part is on or off. */
    state(sentence: string) {
      if (onTerminal) err.write(`${sentence}.\n`);
      else log.info({}, sentence);
    },
    /** Reports how many documents are indexed. */
    indexing({ done, total }: Progress) {
      const over = done >= total;
      // Clear the progress line at the end, so that the address stays the last line.
      if (onTerminal) err.write(over ? CLEARED : `${CLEARED}Indexing documents ${done}/${total}…`);
      else if (over || !began) {
        log.info({ done, total }, over ? 'the documents are indexed' : 'indexing documents');
      }
      began = true;
    },
    /** Reports that people can ask now. On a terminal, this is the last line of the start. */
    ready(address: string) {
      if (onTerminal) err.write(`${CLEARED}\n`);
      out.write(`Parley is ready: ${address}\n`);
    },
  };
}
