import type { Log } from '../core/log.ts';

export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** Shows how far the documents are read: one line that is rewritten on a terminal, else a line in the log at both ends. */
export function indexingLine(out: NodeJS.WriteStream, log: Log): (progress: Progress) => void {
  let began = false;
  return ({ done, total }) => {
    const over = done >= total;
    if (out.isTTY) {
      out.write(
        over
          ? `\r\u001b[K${total} documents are indexed.\n`
          : `\r\u001b[KIndexing documents ${done}/${total}…`,
      );
    } else if (over || !began) {
      log.info({ done, total }, over ? 'the documents are indexed' : 'indexing documents');
    }
    began = true;
  };
}
