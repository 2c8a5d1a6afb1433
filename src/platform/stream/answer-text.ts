import type { AgentEvent } from '../../core/agents/agent.ts';
import { MAX_ANSWER_CHARS } from '../limits.ts';
import { DataAddresses } from './data-addresses.ts';
import { type Change, type Mode, Reading } from './reading.ts';
import type { ChunkText } from './text.ts';

/**
 * Converts changes of the text into events. Never splits a character or emits a lone surrogate, and stops at the
 * maximum length of an answer. Leaves out the content of `data:` addresses. Otherwise, offsets equal those in the
 * platform's text, because a lone surrogate and its replacement both have one UTF-16 unit.
 */
export class TextEmitter {
  /** The first half of a surrogate pair whose second half has not arrived yet. Its offset is `#length`. */
  #held = '';
  #length = 0;
  #cut = false;
  readonly #data = new DataAddresses();
  #saysData = true;

  /** True if the answer exceeded the maximum length. */
  get cut(): boolean {
    return this.#cut;
  }

  emit(change: Change): AgentEvent[] {
    const events = this.#emit(this.#data.take(change));
    if (!this.#data.found || !this.#saysData) return events;
    this.#saysData = false;
    return [...events, { type: 'remark', remark: 'data-left-out' }];
  }

  #emit({ at, text }: Change): AgentEvent[] {
    const from = Math.min(at, this.#length);
    let next = at > this.#length ? this.#held + text : text;
    this.#held = '';
    if (from + next.length > MAX_ANSWER_CHARS) {
      this.#cut = true;
      next = next.slice(0, MAX_ANSWER_CHARS - from);
    }
    if (endsInHalf(next)) {
      if (!this.#cut) this.#held = next.slice(-1);
      next = next.slice(0, -1);
    }
    const unchanged = next === '' && from === this.#length;
    this.#length = from + next.length;
    return unchanged ? [] : [{ type: 'text', at: from, text: next.toWellFormed() }];
  }

  /** Emits the text that is still held back. Half a character is replaced. */
  end(): AgentEvent[] {
    const events = this.#emit(this.#data.end());
    if (this.#held === '') return events;
    this.#held = '';
    return [...events, { type: 'text', at: this.#length, text: '\uFFFD' }];
  }
}

function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}

/** The text of one answer while it arrives, and the events that result from it. */
export class AnswerText extends TextEmitter {
  #reading: Reading | undefined;

  get text(): string {
    return this.#reading?.text ?? '';
  }

  get mode(): Mode {
    return this.#reading?.mode ?? 'append';
  }

  /** Adds a chunk. `#reading` decides whether it appends to the text or replaces it. */
  take(found: ChunkText): AgentEvent[] {
    if (found.text === '') return [];
    this.#reading ??= new Reading(found.name);
    return this.emit(this.#reading.take(found.text));
  }

  /** Replaces the collected text with the final text. */
  finish(text: string): AgentEvent[] {
    this.#reading ??= new Reading('full_output');
    return this.emit(this.#reading.finish(text));
  }

  /** Discards the collected text, because it turned out not to be the answer. */
  restart(): AgentEvent[] {
    if (this.#reading === undefined) return [];
    this.#reading = undefined;
    return this.emit({ at: 0, text: '' });
  }
}
