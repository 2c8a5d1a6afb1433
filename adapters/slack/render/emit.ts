/** Emits the answer in Slack's Markdown, which supports headings, tables and tasks. */

import { bracketless, createEmitter } from '../../../src/kit/ladder.ts';

const dialect: Parameters<typeof createEmitter>[0] = {
  prose: (text) => text,
  code: asCode,
  codeSpan: asCode,
  language: (name) => name,
  mark: (number) => `\\[${number}]`,
  image: (words) => words,
};

/** Escapes code. `&` is escaped too, because Slack decodes entities inside code and would show another character. */
function asCode(text: string): string {
  return bracketless(text.replaceAll('&', '&amp;'));
}

export const slackMarkdown = createEmitter(dialect);
/** Emitter for streams. Measures in bytes of UTF-8, because Slack limits streams in bytes. */
export const streamMarkdown = createEmitter({ ...dialect, size: (text) => Buffer.byteLength(text) });
