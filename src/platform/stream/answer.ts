import type { AgentEvent } from '../../core/agents/agent.ts';
import { BridgeError } from '../../errors.ts';
import { decoderFor } from '../charset.ts';
import { errorText, type Refusal, refusalOf } from '../envelope.ts';
import { MAX_STREAM_BYTES } from '../limits.ts';
import { AnswerText } from './answer-text.ts';
import { type Extras, extrasOf, NO_EXTRAS, toolPayload } from './extras.ts';
import { EventTooLarge, type Frame, type Framer, framerFor } from './frames.ts';
import { endRule, finishReason, isLast, type Kind, kindOf, lastChunkRule } from './kind.ts';
import { Text } from './lines.ts';
import { type ChunkText, chunkText, finalText, type Ids, idsOf, placesOf } from './text.ts';
import type { Value } from './values.ts';

/** Functions that handle everything in an answer except its text. */
export interface AnswerHooks {
  /** Returns the events for the images, files, steps, sources and suggestions in a chunk. */
  extras(extras: Extras): readonly AgentEvent[];
  /** Returns the text to show if the agent returned tool results but no text; empty if there is nothing to show. */
  toolText(): string;
  /** Returns the error for a refusal that the platform sent in the middle of an answer, or instead of the answer. */
  refused(refusal: Refusal): BridgeError;
  /**
   * Reports a deviation from the platform's documentation that could be handled. `rule` names the rule that allows the
   * deviation.
   */
  fallback(rule: string): void;
}

/** Number of consecutive malformed events after which the answer ends with an error (fault F09). */
const MAX_BROKEN = 3;

/**
 * Decodes one answer from bytes to events, whatever its stream format (platform contract DEC-1 to DEC-16). The result
 * does not depend on how the bytes are split. Uses neither clock nor network.
 */
export class AnswerDecoder {
  readonly #hooks: AnswerHooks;
  readonly #framer: Framer;
  readonly #text: Text;
  readonly #answer = new AnswerText();
  /**
   * The content of the stream: JSON chunks or raw text. While it is unknown, single words and malformed JSON are kept
   * in `#held`.
   */
  #nature: 'unknown' | 'json' | 'raw' = 'unknown';
  #held: { readonly text: string; readonly malformed: boolean }[] = [];
  #broken = 0;
  /** True if all text so far came from events of an unknown kind. */
  #doubtful = false;
  #known = false;
  #session = '';
  #record = '';
  #bytes = 0;
  #data = 0;
  #ended = false;
  #unmarked = false;
  #failure: unknown;
  #reason: string | undefined;
  readonly #events: AgentEvent[] = [];

  constructor(contentType: string | undefined, hooks: AnswerHooks) {
    this.#hooks = hooks;
    this.#framer = framerFor(contentType);
    const decoder = decoderFor(contentType, 'replaced');
    if (decoder === undefined) throw malformed('The answer has a charset that the bridge cannot read.');
    this.#text = new Text(decoder);
  }

  /** True once the stream has ended. */
  get ended(): boolean {
    return this.#ended;
  }

  /**
   * Number of data items so far, without comments and heartbeats. The idle timer watches this number (platform
   * contract DEC-6).
   */
  get data(): number {
    return this.#data;
  }

  /** The text of the answer so far. */
  get text(): string {
    return this.#answer.text;
  }

  /** The error that ended the answer early. Events that were emitted before it stay valid. */
  get failure(): unknown {
    return this.#failure;
  }

  push(bytes: Uint8Array): AgentEvent[] {
    this.#bytes += bytes.byteLength;
    return this.#collect(() => {
      this.#take(this.#framer.push(this.#text.push(bytes)));
      if (this.#framer.holds()) this.#data += 1;
      if (this.#bytes > MAX_STREAM_BYTES) this.#cut();
    });
  }

  /** Handles the end of the connection. Sets `failure` if no answer arrived (platform contract DEC-12, DEC-14). */
  finish(): AgentEvent[] {
    return this.#collect(() => {
      this.#take(this.#framer.push(this.#text.end()));
      this.#take(this.#framer.end());
      if (this.#bytes === 0) {
        const message = 'The platform closed the connection without an answer.';
        throw new BridgeError('platform-interrupted', message, { facts: { bytes: 0 } });
      }
      if (!this.#ended) this.#endUnmarked();
    });
  }

  /** Runs `work` and returns the events that it emitted, including those before a failure. */
  #collect(work: () => void): AgentEvent[] {
    if (this.#ended) return [];
    try {
      work();
    } catch (thrown) {
      this.#fail(thrown);
    }
    return this.#events.splice(0);
  }

  #fail(thrown: unknown): void {
    const large = thrown instanceof EventTooLarge;
    if (large && this.#answer.text !== '') this.#cut();
    else {
      this.#ended = true;
      this.#failure = large ? tooLarge() : thrown;
      this.#emit(this.#answer.end());
    }
  }

  #emit(events: readonly AgentEvent[]): void {
    this.#events.push(...events);
  }

  /** Adds a piece of raw text to the answer. */
  #append(text: string): void {
    this.#emit(this.#answer.take({ text, name: 'text' }));
  }

  #take(frames: Iterable<Frame>): void {
    for (const frame of frames) {
      for (const value of frame.values) {
        if (this.#ended) return;
        this.#value(frame, value);
      }
      if (!this.#ended && frame.stray !== undefined) this.#stray(frame.stray);
      if (this.#answer.cut) this.#cut();
    }
  }

  #value(frame: Frame, value: Value): void {
    const { kind } = kindOf(frame.event, undefined);
    if (kind === 'beat') return;
    this.#data += 1;
    switch (value.kind) {
      case 'done':
        this.#end();
        break;
      case 'word':
        this.#word(kind, value.text);
        break;
      case 'broken':
        this.#unread(kind, value.text);
        break;
      case 'raw':
        this.#raw(kind, value.text);
        break;
      case 'json':
        if (this.#nature === 'raw') this.#raw(kind, value.source ?? '');
        else this.#json(frame, value.value);
    }
  }

  /** Handles an event that is only a word or number (platform contract DEC-7). */
  #word(kind: Kind, text: string): void {
    if (kind === 'end') this.#end();
    else if (kind !== 'stream') return;
    else if (this.#nature === 'raw') this.#raw(kind, text);
    else if (this.#nature === 'unknown') this.#held.push({ text, malformed: false });
    else if (!/\d/.test(text)) this.#end();
  }

  /** Handles malformed JSON. In a raw stream it is text; otherwise it counts as a malformed event. */
  #unread(kind: Kind, text: string | undefined): void {
    if (this.#nature === 'raw' && text !== undefined) {
      this.#raw(kind, text);
      return;
    }
    if (this.#nature === 'unknown' && text !== undefined && kind === 'stream') {
      this.#held.push({ text, malformed: true });
    }
    this.#malformed();
  }

  #malformed(): void {
    this.#hooks.fallback('F09');
    this.#broken += 1;
    if (this.#broken >= MAX_BROKEN)
      throw malformed(`${MAX_BROKEN} consecutive events of the answer are malformed.`);
  }

  /** Handles data that is not JSON: every character of it is text (platform contract DEC-10). */
  #raw(kind: Kind, text: string): void {
    if (kind === 'error') throw this.#hooks.refused({ text });
    if (kind === 'tool') this.#emit(this.#hooks.extras({ ...extrasOf(undefined), tool: text }));
    else if (this.#nature === 'json') this.#malformed();
    else if (kind !== 'unknown' || !this.#known) this.#rawText(kind, text);
  }

  #rawText(kind: Kind, text: string): void {
    this.#nature = 'raw';
    this.#broken = 0;
    for (const held of this.#held.splice(0)) this.#append(held.text);
    if (kind === 'end') this.#endWith({ text, name: 'text' });
    else this.#append(text);
  }

  /** Handles lines that are not fields of an event (platform contract DEC-5a). */
  #stray(lines: readonly string[]): void {
    if (this.#nature !== 'raw') {
      this.#hooks.fallback('DEC-5a');
      return;
    }
    this.#data += 1;
    for (const line of lines) this.#append(`\n${line}`);
  }

  #json(frame: Frame, chunk: unknown): void {
    this.#broken = 0;
    const places = placesOf(chunk);
    const { kind, named } = kindOf(frame.event, chunk, places);
    if (kind === 'beat') {
      this.#data -= 1;
      return;
    }
    this.#nature = 'json';
    this.#held = [];
    this.#ids(idsOf(chunk, places));
    const refusal = kind === 'error' ? { text: errorText(chunk) } : refusalOf(chunk);
    if (refusal !== undefined) throw this.#hooks.refused(refusal);
    if (kind === 'unknown') {
      this.#unknown(chunk);
      return;
    }
    this.#known = true;
    this.#reason = finishReason(chunk, places) ?? this.#reason;
    const extras = extrasOf(chunk, places);
    if (kind === 'tool' && named) this.#emit(this.#hooks.extras({ ...extras, tool: toolPayload(chunk) }));
    else if (extras !== NO_EXTRAS) this.#emit(this.#hooks.extras(extras));
    if (frame.whole === true || (kind === 'end' && named)) {
      this.#endWith(finalText(chunk));
      return;
    }
    // Texts inside tool results are not part of the answer.
    const found = kind === 'tool' && named ? undefined : chunkText(chunk, places);
    if (isLast(chunk, places)) this.#lastChunk(found);
    else this.#chunk(found);
  }

  /** Emits the ids of session and record as soon as they appear (platform contract DEC-15). */
  #ids({ session = this.#session, chatRecord = this.#record }: Ids): void {
    if (session !== this.#session) this.#events.push({ type: 'session', session });
    if (chatRecord !== this.#record) this.#events.push({ type: 'record', chatRecord });
    this.#session = session;
    this.#record = chatRecord;
  }

  /**
   * Shows the text of events of an unknown kind. If an event of a known kind follows, the text of that event replaces
   * the shown text (platform contract DEC-9).
   */
  #unknown(chunk: unknown): void {
    this.#hooks.fallback('DEC-9');
    const found = chunkText(chunk);
    if (found === undefined || found.text === '' || this.#known) return;
    this.#doubtful = true;
    this.#emit(this.#answer.take(found));
  }

  #chunk(found: ChunkText | undefined): void {
    if (found === undefined || found.text === '') return;
    if (this.#doubtful) this.#emit(this.#answer.restart());
    this.#doubtful = false;
    this.#emit(this.#answer.take(found));
  }

  #lastChunk(found: ChunkText | undefined): void {
    const isFinal = found && found.text !== '' && lastChunkRule(found, this.#answer.text) === 'final';
    if (isFinal) this.#emit(this.#answer.finish(found.text));
    else this.#chunk(found);
    this.#end();
  }

  #endWith(found: ChunkText | undefined): void {
    if (found !== undefined && found.text !== '') {
      const final = endRule(found, this.#answer.text, this.#answer.mode) === 'final';
      this.#emit(final ? this.#answer.finish(found.text) : this.#answer.take(found));
    }
    this.#end();
  }

  /**
   * Ends an answer that has no end marker. The reply then shows a remark, except for plain text, which never has a
   * marker (platform contract DEC-14).
   */
  #endUnmarked(): void {
    this.#hooks.fallback('DEC-14');
    if (!this.#framer.unmarked) this.#unmarked = true;
    this.#end();
  }

  #end(): void {
    if (this.#ended) return;
    for (const { text, malformed } of this.#held.splice(0)) if (!malformed) this.#append(text);
    const tools = this.#answer.text === '' ? this.#hooks.toolText() : '';
    if (tools !== '') this.#emit(this.#answer.finish(tools));
    if (this.#answer.cut) {
      this.#cut();
      return;
    }
    if (this.#answer.text === '') {
      if (this.#broken > 0) throw malformed('The answer is malformed JSON.');
      throw new BridgeError('platform-empty', 'The agent ended its answer without any text.');
    }
    this.#ended = true;
    this.#emit(this.#answer.end());
    if (this.#unmarked) this.#emit([{ type: 'remark', remark: 'end-unmarked' }]);
    const reason = this.#reason;
    this.#emit([{ type: 'end', ...(reason !== undefined && { reason }) }]);
  }

  /** Ends the answer at a size limit and keeps the text so far (fault F11). */
  #cut(): void {
    if (this.#ended) return;
    if (this.#answer.text === '') throw tooLarge();
    this.#ended = true;
    this.#emit([{ type: 'remark', remark: 'answer-cut' }, { type: 'end' }]);
  }
}

const malformed = (message: string): BridgeError => new BridgeError('platform-protocol', message);

function tooLarge(): BridgeError {
  return new BridgeError(
    'platform-too-large',
    'One event of the answer is larger than the limit for events.',
  );
}
