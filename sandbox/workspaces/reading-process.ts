import { readBlocks, reasonOf } from '../knowledge/read.ts';
import type { FileToRead, ReadResult } from './reading.ts';

/** Main file of the process that reads files, one at a time. The process runs until it is killed or its parent ends. */
process.on('message', ({ type, bytes }: FileToRead) => {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  void readBlocks(type, file).then(
    (blocks) => send({ blocks }),
    (error: unknown) => send({ reason: reasonOf(error) }),
  );
});

function send(result: ReadResult): void {
  process.send?.(result);
}
