/**
 * Caches what was parsed and rendered of a growing message, so that an edit costs time for the new text only. The
 * results are the same as without the cache.
 */

import {
  ENDED,
  GROWING,
  GrowingMarkdown,
  type PlacedBlock,
  plainBlocks,
  plainText,
  START,
  type StreamState,
} from '../../../src/kit/ladder.ts';
import { slackMarkdown } from './emit.ts';

export type Reading = ReturnType<typeof createReading>;

interface Way {
  /** True if the section begins at the beginning of a line. */
  readonly fresh: boolean;
  readonly numbers: ReadonlyMap<number, number>;
}

export function createReading() {
  const message = reader();
  const answer = reader();
  const stretches: Stretch[] = [];
  let beginning: { readonly source: string; readonly text: string } | undefined;
  return {
    /** Parses a message's source into blocks. */
    blocks: message,
    /** Parses the whole answer into blocks. */
    answer,
    /** Returns the first `limit` characters of a message's source as plain text. */
    plain(raw: string, limit: number): string {
      if (raw.length <= limit) return plainBlocks(message(raw), '\n\n');
      const source = raw.slice(0, limit);
      if (beginning?.source !== source) beginning = { source, text: plainText(source) };
      return beginning.text;
    },
    /**
     * Returns one section of a message's source in Slack's Markdown. Tables divide a message into sections, numbered
     * from 0.
     */
    markdown(at: number, raw: string, way: Way): string {
      const stretch = stretches[at] ?? new Stretch();
      stretches[at] = stretch;
      return stretch.write(raw, way);
    },
  };
}

/** Returns a parser with the same results as `parse`. When a text has grown, it parses only the new end. */
function reader(): (text: string) => readonly PlacedBlock[] {
  let growing: GrowingMarkdown | undefined;
  let read: { readonly text: string; readonly blocks: readonly PlacedBlock[] } | undefined;
  return (text) => {
    if (read?.text === text) return read.blocks;
    growing ??= new GrowingMarkdown();
    growing.update(text);
    read = { text, blocks: growing.finish() };
    return read.blocks;
  };
}

/** One section of a message. Caches the output of complete lines until one of them changes. */
class Stretch {
  #way = '';
  #taken = '';
  #state: StreamState = START;
  #out = '';

  write(raw: string, { fresh, numbers }: Way): string {
    const way = JSON.stringify([fresh, ...numbers]);
    if (way !== this.#way || !raw.startsWith(this.#taken)) this.#restart(way, fresh);
    const lines = raw.slice(0, raw.lastIndexOf('\n') + 1);
    const whole = slackMarkdown.emit(lines, this.#state, { ...GROWING, numbers });
    this.#state = whole.state;
    this.#out += whole.out;
    this.#taken = lines.slice(0, whole.state.at);
    const rest = slackMarkdown.emit(raw, this.#state, { ...ENDED, numbers });
    return this.#out + rest.out + slackMarkdown.closing(rest.state);
  }

  #restart(way: string, fresh: boolean): void {
    this.#way = way;
    this.#state = { ...START, fresh };
    this.#out = '';
  }
}
