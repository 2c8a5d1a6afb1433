import type { z } from 'zod';
import type { AgentEvent, AskingGuard } from '../../core/agents/agent.ts';
import { BridgeError } from '../../errors.ts';
import { type Authority, signer } from '../authority.ts';
import type { Base } from '../base-url.ts';
import { open, refused } from '../exchange.ts';
import { callError } from '../failure.ts';
import { type ImageLink, ImageScanner, imageRef } from '../media/image-refs.ts';
import type { Operation } from '../operation.ts';
import { delayBefore, RETRY } from '../retry.ts';
import { AnswerDecoder, type AnswerHooks } from '../stream/answer.ts';
import { readAnswer } from '../stream.ts';
import { NOT_SENT, type WireAnswer } from '../transport.ts';
import { outcomeOf, startIdleAlarm, type Wiring, within } from '../wiring.ts';
import { withAddress } from '../wrong-address.ts';
import { answerHooks } from './hooks.ts';

/** One question to an agent. */
interface Asking<Schema extends z.ZodObject> {
  readonly wiring: Wiring;
  readonly operation: Operation<Schema, unknown>;
  readonly authority: Authority;
  readonly session: string | undefined;
  request(session: string | undefined): z.input<Schema>;
  fallback(rule: string): void;
  readonly guard?: AskingGuard;
}

/**
 * Asks an agent and yields its answer. Before the first part of the answer arrives, it renews the sign-in, repeats the
 * request after temporary errors (platform contract GEN-18), and retries without the session if the platform does not
 * know it (STA-7). Once the first part has arrived, it repeats nothing.
 */
export async function* askAgent<Schema extends z.ZodObject>(
  asking: Asking<Schema>,
  outer: AbortSignal,
): AsyncGenerator<AgentEvent, void, undefined> {
  const { wiring, operation } = asking;
  const { clock, timeouts } = wiring;
  const late = `The answer to ${operation.id} was not complete after ${timeouts.answerMs} ms.`;
  const whole = within(clock, timeouts.answerMs, outer, () =>
    callError('platform-timeout', operation.id, late),
  );
  const sign = signer(asking.authority, operation, wiring.schemes);
  const began = clock.now();
  const tried: Tried = { session: asking.session, tries: 1, answered: false };
  let outcome = 'stopped';
  try {
    for (;;) {
      const headers = await sign.headers(whole.signal);
      await asking.guard?.ready();
      try {
        for await (const event of attempt(asking, headers, tried.session, whole.signal)) {
          if (!tried.answered && isAnswer(event)) {
            tried.answered = true;
            sign.succeeded();
            if (tried.session !== asking.session) yield { type: 'remark', remark: 'context-lost' };
          }
          yield event;
        }
        outcome = 'ok';
        return;
      } catch (thrown) {
        if (thrown === NOT_SENT) continue;
        const error = withAddress(wiring.base, thrown);
        outcome = outcomeOf(error, outer);
        if (tried.answered || whole.signal.aborted) throw error;
        if (!sign.again(error)) await prepareAgain(error, tried, { wiring, began, signal: whole.signal });
      }
    }
  } finally {
    whole.stop();
    wiring.called({ operation: operation.id, outcome, ms: clock.now() - began });
  }
}

/** The attempts that were made for one question so far. */
interface Tried {
  session: string | undefined;
  tries: number;
  /** True once a part of the answer has arrived. */
  answered: boolean;
}

/** Waits before the next attempt, or drops a session that the platform does not know. Throws if no attempt may follow. */
async function prepareAgain(
  error: unknown,
  tried: Tried,
  { wiring, began, signal }: { wiring: Wiring; began: number; signal: AbortSignal },
): Promise<void> {
  if (tried.session !== undefined && refusesSession(error)) {
    tried.session = undefined;
    return;
  }
  const { clock, random } = wiring;
  const elapsedMs = clock.now() - began;
  const delay = delayBefore(error, { rule: RETRY.chat, tries: tried.tries, elapsedMs, random });
  if (delay === undefined) throw error;
  await clock.wait(delay, signal);
  tried.tries += 1;
}

async function* attempt<Schema extends z.ZodObject>(
  { wiring, operation, request, fallback, guard }: Asking<Schema>,
  headers: Readonly<Record<string, string>>,
  session: string | undefined,
  outer: AbortSignal,
): AsyncGenerator<AgentEvent, void, undefined> {
  const silence = new AbortController();
  const signal = AbortSignal.any([outer, silence.signal]);
  const answer = await open(wiring, operation, request(session), {
    headers,
    signal,
    firstByteMs: wiring.timeouts.firstByteMs,
    accept: 'text/event-stream, application/json',
    maySend: guard?.maySend,
  });
  const hooks = answerHooks(wiring.base, (refusal) => refused(wiring, answer, refusal, headers), fallback);
  const images = new InlineImages(wiring.base);
  const decoder = decoderFor(answer, hooks);
  const idle = startIdleAlarm(wiring, operation.id, silence);
  const { reads } = wiring;
  reads.begin();
  try {
    // `yield*` would make three promises for each event of the list.
    for await (const event of readAnswer(answer, decoder, idle, () => reads.pause(signal)))
      for (const each of images.after(event, () => decoder.text)) yield each;
  } finally {
    reads.end();
  }
}

function decoderFor(answer: WireAnswer, hooks: AnswerHooks): AnswerDecoder {
  try {
    return new AnswerDecoder(answer.headers['content-type'], hooks);
  } catch (error) {
    answer.discard();
    throw error;
  }
}

/** True if the event contains a part of the answer; ids alone are not a part of it. */
function isAnswer(event: AgentEvent): boolean {
  return event.type !== 'session' && event.type !== 'record';
}

/**
 * True if an unknown session may have caused the error: any error except those about the sign-in, a rate limit or a
 * failing server (platform contract STA-7).
 */
function refusesSession(error: unknown): boolean {
  const codes: readonly string[] = ['platform-refused', 'platform-parameter', 'platform-permission'];
  return error instanceof BridgeError && codes.includes(error.code);
}

/** Maximum number of images shown with one answer; further images stay as text (platform contract MED-6). */
const MAX_INLINE = 10;

/**
 * Adds a `media` event after the text event that completes the Markdown of an image that the platform stores
 * (platform contract CHL-18).
 */
export class InlineImages {
  readonly #base: Base;
  #scanner = new ImageScanner();
  /** Number of UTF-16 units that were scanned. */
  #length = 0;
  readonly #seen = new Set<string>();

  constructor(base: Base) {
    this.#base = base;
  }

  /**
   * Returns the event, followed by a media event for each image that its text completes.
   * @param whole returns the text of the answer so far
   */
  after(event: AgentEvent, whole: () => string): readonly AgentEvent[] {
    if (event.type !== 'text') return [event];
    const grows = event.at === this.#length;
    this.#length = event.at + event.text.length;
    if (grows) return [event, ...this.#found(this.#scanner.push(event.text))];
    // After a rewrite, the text is scanned again from its beginning.
    this.#scanner = new ImageScanner();
    return [event, ...this.#found(this.#scanner.push(whole().slice(0, this.#length)))];
  }

  #found(links: readonly ImageLink[]): AgentEvent[] {
    return links.flatMap(({ alt, destination }): AgentEvent[] => {
      if (this.#seen.has(destination) || this.#seen.size >= MAX_INLINE) return [];
      const ref = imageRef(destination, this.#base);
      if (ref === undefined) return [];
      this.#seen.add(destination);
      const id = `inline:${destination}`;
      const name = nameOf(alt, destination);
      return [{ type: 'media', media: { id, kind: 'image', name, ref, inline: destination } }];
    });
  }
}

/**
 * Returns the alternative text as the image's name. Returns `image` if that text is empty or an id, because ids are
 * not shown to people (platform contract CHL-18).
 */
function nameOf(alt: string, destination: string): string {
  const words = alt.trim().slice(0, 200);
  const isId = /^(?:file_id:)?\d{4,}$/.test(words) && destination.includes(words);
  return words === '' || isId ? 'image' : words;
}
