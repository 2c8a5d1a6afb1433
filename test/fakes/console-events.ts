/** Reads the stream of events of the console, as browsers do. */

import type { ConsoleEvent } from '../../adapters/console/wire.ts';

/** Yields the events of a response until its connection ends or breaks. */
export async function* eventsIn({ body }: Response): AsyncGenerator<ConsoleEvent> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const bytes of body ?? []) {
    const frames = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (data !== undefined) yield JSON.parse(data) as ConsoleEvent;
    }
  }
}
