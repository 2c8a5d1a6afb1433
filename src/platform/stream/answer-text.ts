import type { AgentEvent } from '../../core/agents/agent.ts';
import { type Change, type Mode, Reading } from './reading.ts';
import { Telling } from './telling.ts';
import type { ChunkText } from './text.ts';

/** The text of one answer while it is collected, and the events that tell it. */
export class AnswerText {
  #reading: Reading | undefined;
  readonly #telling = new Telling();

  get text(): string {
    return this.#reading?.text ?? '';
  }

  get mode(): Mode {
    return this.#reading?.mode ?? 'append';
  }

  /** Whether it grew beyond what an answer may hold. */
  get cut(): boolean {
    return this.#telling.cut;
  }

  /** One more chunk, which appends or replaces as the reading decides. */
  take(found: ChunkText): AgentEvent[] {
    if (found.text === '') return [];
    this.#reading ??= new Reading(found.name);
    return this.#tell(this.#reading.take(found.text));
  }

  /** The final text, whatever was collected. */
  finish(text: string): AgentEvent[] {
    this.#reading ??= new Reading('full_output');
    return this.#tell(this.#reading.finish(text));
  }

  /** Forgets what was collected, because it was not the answer. */
  restart(): AgentEvent[] {
    if (this.#reading === undefined) return [];
    this.#reading = undefined;
    return this.#tell({ at: 0, text: '' });
  }

  /** The half character that was still held. */
  end(): AgentEvent[] {
    return this.#telling.end();
  }

  #tell(change: Change): AgentEvent[] {
    return this.#telling.tell(change);
  }
}
