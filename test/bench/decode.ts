/** Measures the CPU time to decode an answer of 1 MB in events of 200 bytes. */

import { BridgeError } from '../../src/errors.ts';
import { parseBase } from '../../src/platform/base-url.ts';
import { InlineImages } from '../../src/platform/gateways/asking.ts';
import { answerHooks } from '../../src/platform/gateways/hooks.ts';
import { AnswerDecoder } from '../../src/platform/stream/answer.ts';
import type { Figure } from './figure.ts';

const BYTES = 1_000_000;
const EVENT_BYTES = 200;
/**
 * Characters of text in one event. The rest of the event's 200 bytes is JSON and ids, so that the text of the whole
 * stream stays below the maximum length of an answer.
 */
const TEXT_CHARS = 40;
const MAX_MS = 30;
/** Number of runs, of which the fastest counts, because other work on the machine only adds time. */
const TRIES = 5;

/** Returns one event that contains the text and the padding. */
type Shape = (content: string, pad: string) => string;

const SHAPES: Readonly<Record<string, Shape>> = {
  'Open API': (content, pad) => {
    const data = { sessionId: '4493041505002323001', content, pad };
    return `data: ${JSON.stringify({ success: true, msg: '', data })}\n\n`;
  },
  lite: (content, pad) => `event: stream\ndata: ${JSON.stringify({ content, pad })}\n\n`,
};

function streamOf(shape: Shape): readonly Uint8Array[] {
  const text = 'warranty of two years, 保修两年 😀. ';
  return Array.from({ length: BYTES / EVENT_BYTES }, (_event, index) => {
    const from = index % 20;
    const content = (text + text).slice(from, from + TEXT_CHARS).toWellFormed();
    const pad = 'x'.repeat(Math.max(0, EVENT_BYTES - Buffer.byteLength(shape(content, ''))));
    return Buffer.from(shape(content, pad));
  });
}

/** Returns the CPU milliseconds to decode the pieces once. */
function decodeOnce(pieces: readonly Uint8Array[]): number {
  const base = parseBase('https://platform.example', false);
  const refused = (): BridgeError => new BridgeError('platform-refused', 'unexpected');
  const decoder = new AnswerDecoder(
    'text/event-stream',
    answerHooks(base, refused, () => undefined),
  );
  const images = new InlineImages(base);
  const whole = () => decoder.text;
  const before = process.cpuUsage();
  let told = 0;
  for (const piece of pieces) {
    for (const event of decoder.push(piece)) told += images.after(event, whole).length;
  }
  for (const event of decoder.finish()) told += images.after(event, whole).length;
  const { user, system } = process.cpuUsage(before);
  if (told < pieces.length || decoder.failure !== undefined) throw new Error('The stream was not decoded.');
  return (user + system) / 1000;
}

export async function run(): Promise<Figure[]> {
  return Object.entries(SHAPES).map(([name, shape]) => {
    const pieces = streamOf(shape);
    const value = Math.min(...Array.from({ length: TRIES }, () => decodeOnce(pieces)));
    return {
      name: `decode 1 MB of stream in 200-byte events, ${name}`,
      value: Math.round(value * 10) / 10,
      unit: 'ms CPU',
      target: `<= ${MAX_MS}`,
      ok: value <= MAX_MS,
    };
  });
}
