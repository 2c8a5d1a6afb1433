import type { AgentEvent } from '../../core/agents/agent.ts';
import { MAX_ANSWER_CHARS } from '../limits.ts';
import { type Change, type Mode, Reading } from './reading.ts';
import type { ChunkText } from './text.ts';

/**
 * Tells changes of the text as events: never half a character, never a lone surrogate, never more than an answer may
 * hold. Offsets stay those of the platform's text, because a lone surrogate and its replacement are one unit each.
 */
export class Telling {
  /** The first half of a character whose second half may follow; it stands at `#length`. */
  #held = '';
  #length = 0;
  #cut = false;

  /** True if the answer was longer than the maximum. */
  get cut(): boolean {
    return this.#cut;
  }

  tell({ at, text }: Change): AgentEvent[] {
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

  /** The half character that was still held. */
  end(): AgentEvent[] {
    if (this.#held === '') return [];
    this.#held = '';
    return [{ type: 'text', at: this.#length, text: '\uFFFD' }];
  }
}

function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}

/** The text of one answer while it is collected, and the events that tell it. */
export class AnswerText extends Telling {
  #reading: Reading | undefined;

  get text(): string {
    return this.#reading?.text ?? '';
  }

  get mode(): Mode {
    return this.#reading?.mode ?? 'append';
  }

  /** One more chunk, which appends or replaces as the reading decides. */
  take(found: ChunkText): AgentEvent[] {
    if (found.text === '') return [];
    this.#reading ??= new Reading(found.name);
    return this.tell(this.#reading.take(found.text));
  }

  /** The final text, whatever was collected. */
  finish(text: string): AgentEvent[] {
    this.#reading ??= new Reading('full_output');
    return this.tell(this.#reading.finish(text));
  }

  /** Forgets what was collected, because it was not the answer. */
  restart(): AgentEvent[] {
    if (this.#reading === undefined) return [];
    this.#reading = undefined;
    return this.tell({ at: 0, text: '' });
  }
}
