/** Records the progress of a reply in the inbox. */

import { asBridgeError, type BridgeError } from '../../errors.ts';
import type { Clock } from '../clock.ts';
import type { ReplyDocument } from '../reply.ts';
import type { Screen } from '../screen.ts';
import type { Checkpoint, Claim, Inbox } from '../stores/inbox.ts';

/** Pause before a checkpoint is stored again, in milliseconds. */
const STORE_AGAIN_MS = 500;

interface RecorderDeps {
  readonly claim: Claim;
  readonly inbox: Pick<Inbox, 'checkpoint' | 'isShared'>;
  readonly clock: Pick<Clock, 'wait'>;
  /** Aborts when the answer is interrupted. */
  readonly asking: AbortSignal;
  /** Aborts when nothing more is shown. */
  readonly halt: AbortSignal;
  /** Returns the newest document. */
  newest(): ReplyDocument;
  /** Called when the lease was lost. */
  lost(): void;
  failed(error: BridgeError): void;
}

/** Facts about the newest text on disk. */
interface RecordedText {
  readonly length: number;
  readonly version: number;
  readonly rewrites: number;
  /** Set only after the text was rewritten. Most texts only grow, and copies of them all would take much memory. */
  readonly text?: string;
}

/**
 * Records the progress of a reply. A failing store does not end the answer (fault F29), because unsaved data is added
 * to the next record. If other processes share the store, `recordAsking`, `recordShown` and `recordEnding` resolve only
 * once everything is on disk, and throw the reason of the interruption that ends the wait.
 */
export class Recorder {
  readonly #deps: RecorderDeps;
  #recorded: RecordedText;
  #shape: string | undefined;
  /**
   * Checkpoint properties whose latest write failed. The text is never one of them, because it is always taken from the
   * latest document.
   */
  #unsaved: Checkpoint = {};
  #unsavedFrom = Number.POSITIVE_INFINITY;
  /**
   * The latest checkpoint that wrote each property. Writes overlap, so an older write may fail after a newer one
   * succeeded.
   */
  readonly #latest = new Map<string, Checkpoint>();
  /** All writes so far. */
  #written: Promise<unknown> = Promise.resolve();

  constructor(deps: RecorderDeps) {
    const { text, turn } = deps.claim;
    this.#deps = deps;
    this.#recorded = { length: text.length, version: 0, rewrites: 0 };
    this.#shape = turn.screen && shapeOf(turn.screen);
  }

  /** Resolves once the checkpoint is on disk, or once the failure to store it was reported. */
  record(checkpoint: Checkpoint): Promise<void> {
    const writing = this.#write(checkpoint);
    this.#written = Promise.all([this.#written, writing]);
    return writing;
  }

  /** Records that the agent is asked. */
  recordAsking(facts: Pick<Checkpoint, 'agent' | 'account'>): Promise<void> {
    return this.#store({ phase: 'asking', ...facts }, this.#deps.asking);
  }

  /** Records text that is not recorded yet, and the screen if its messages or open streams have changed (`shapeOf`). */
  recordShown(document: ReplyDocument, screen: Screen): Promise<void> {
    const fresh = { ...this.#unsaved, ...this.#takeText(document), ...this.#takeScreen(screen) };
    return this.#store(fresh, this.#deps.halt);
  }

  /** Records the whole text and marks it as complete. */
  recordEnding(document: ReplyDocument): Promise<void> {
    return this.#store({ phase: 'ending', ...this.#takeText(document) }, this.#deps.asking);
  }

  /** Records again what could not be stored, without text. Resolves to false if the store fails again. */
  async recordRest(): Promise<boolean> {
    await this.#written;
    if (hasFacts(this.#unsaved)) await this.record({});
    return !hasFacts(this.#unsaved);
  }

  /** Records the checkpoint. If other processes share the store, repeats this until everything is on disk. */
  async #store(checkpoint: Checkpoint, signal: AbortSignal): Promise<void> {
    const { inbox, clock, newest } = this.#deps;
    if (hasFacts(checkpoint)) void this.record(checkpoint);
    // Another record may have taken over what this one could not store, so all writes count.
    await this.#written;
    while (inbox.isShared && !this.#isStored()) {
      await clock.wait(STORE_AGAIN_MS, signal);
      void this.record(this.#takeText(newest()));
      await this.#written;
    }
  }

  #isStored(): boolean {
    return !hasFacts(this.#unsaved) && this.#unsavedFrom === Number.POSITIVE_INFINITY;
  }

  async #write(fresh: Checkpoint): Promise<void> {
    const { claim, inbox, lost, failed } = this.#deps;
    const checkpoint = { ...this.#unsaved, ...fresh };
    this.#unsaved = {};
    for (const member of Object.keys(checkpoint)) this.#latest.set(member, checkpoint);
    try {
      if ((await inbox.checkpoint(claim, checkpoint)) === 'lost') lost();
    } catch (thrown) {
      const { text, ...facts } = checkpoint;
      const lacking = Object.entries(facts).filter(([member]) => this.#latest.get(member) === checkpoint);
      this.#unsaved = { ...this.#unsaved, ...Object.fromEntries(lacking) };
      if (text !== undefined) this.#unsavedFrom = Math.min(this.#unsavedFrom, text.at);
      failed(asBridgeError(thrown));
    }
  }

  /**
   * Returns the text that is not recorded yet and marks it as recorded; empty if the document is older than the
   * recorded one.
   */
  #takeText({ text, version, rewrites }: ReplyDocument): Pick<Checkpoint, 'text'> {
    const { length, version: newest, rewrites: known, text: before = '' } = this.#recorded;
    if (version < newest) return {};
    // Without a rewrite, the text only grew, so it need not be compared.
    const same = rewrites === known ? length : commonLength(before, text);
    const at = Math.min(this.#unsavedFrom, same);
    const isNew = at === this.#unsavedFrom || at < length || at < text.length;
    this.#unsavedFrom = Number.POSITIVE_INFINITY;
    this.#recorded = { length: text.length, version, rewrites, ...(rewrites > 0 && { text }) };
    return isNew ? { text: { at, text: text.slice(at) } } : {};
  }

  #takeScreen(screen: Screen): Pick<Checkpoint, 'screen'> {
    const shape = shapeOf(screen);
    if (this.#shape === shape) return {};
    this.#shape = shape;
    return { screen };
  }
}

const hasFacts = (checkpoint: Checkpoint): boolean => Object.keys(checkpoint).length > 0;

/**
 * Serializes the parts of a screen that the next turn of the reply cannot find out by itself: its messages, its open
 * streams, messages that cannot be found again, and whether a message must be looked up.
 */
function shapeOf({ rung, parts, beside, posts, lost }: Screen): string {
  const messages = parts.map(({ id, from, to, live }) => [id, from, to, live]);
  return JSON.stringify([rung, beside, posts, lost !== undefined, messages]);
}

/**
 * Returns the length of the common beginning. The loop ends at the end of a text, because `charCodeAt` returns NaN
 * there, which equals nothing.
 */
function commonLength(before: string, after: string): number {
  let length = 0;
  while (before.charCodeAt(length) === after.charCodeAt(length)) length += 1;
  return length;
}
