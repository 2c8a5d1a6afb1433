/** Output of `start`: sentences on a terminal, else log lines and one plain line when the bridge is ready. */

import type { Log } from '../core/log.ts';

export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** A stream of the process, as far as it is written to. */
interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface StartScreen {
  /** Reports a channel or another part that is switched on or off. */
  state(sentence: string): void;
  /** Documents are being read. */
  indexing(progress: Progress): void;
  /** People can ask from now on. It is the last line that a terminal shows of the start. */
  ready(address: string): void;
}

interface StartScreenDeps {
  readonly out: Output;
  readonly err: Output;
  readonly log: Log;
  /** True where the log is written for people, and not as JSON. */
  readonly pretty: boolean;
}

const CLEARED = '\r\u001b[K';

export function createStartScreen({ out, err, log, pretty }: StartScreenDeps): StartScreen {
  const onTerminal = pretty && err.isTTY === true;
  let began = false;
  return {
    state(sentence) {
      if (onTerminal) err.write(`${sentence}.\n`);
      else log.info({}, sentence);
    },
    indexing({ done, total }) {
      const over = done >= total;
      // The line is taken away when it is full, so that the address stays the last one.
      if (onTerminal) err.write(over ? CLEARED : `${CLEARED}Indexing documents ${done}/${total}…`);
      else if (over || !began) {
        log.info({ done, total }, over ? 'the documents are indexed' : 'indexing documents');
      }
      began = true;
    },
    ready(address) {
      if (onTerminal) err.write(`${CLEARED}\n`);
      out.write(`Parley is ready: ${address}\n`);
    },
  };
}
