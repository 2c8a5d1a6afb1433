/** Plays one reply to its end, as the pacer does with budgets that allow every call. */

import { expect } from 'vitest';
import type { Screen } from '../../../../src/kit/ladder.ts';
import {
  isFinal,
  type Move,
  type Outcome,
  type ReplyDocument,
  type ReplyWriter,
  type Turn,
} from '../../../../src/kit.ts';
import { blank } from '../markdown/documents.ts';

/** Maximum number of moves; a screen that needs more never settles. */
const MANY = 60;

interface Playing {
  readonly turn: Turn;
  readonly writer: ReplyWriter;
  now(): number;
  /** Lets the time pass that the channel needs between two calls. */
  pass(): void;
  /** Chooses the next move; the first one if absent. */
  choose?(moves: readonly Move[]): Move | undefined;
  /** Called with each screen that is stored. */
  store?(screen: Screen): void;
}

interface Played {
  readonly family: string;
  readonly kind: string;
  readonly essential: boolean;
  readonly outcome: Outcome;
}

export class ReplyPlay {
  readonly turn: Turn;
  readonly writer: ReplyWriter;
  screen: Screen;
  document: ReplyDocument;
  readonly moves: Played[] = [];
  readonly #by: Playing;

  constructor(by: Playing) {
    this.#by = by;
    this.turn = by.turn;
    this.writer = by.writer;
    this.screen = by.writer.blank();
    this.document = { ...blank, turn: by.turn.id, version: 1, state: 'thinking' };
  }

  next(): readonly Move[] {
    return this.writer.next(this.screen, this.document, this.#by.now());
  }

  /** Changes the document, then makes moves until there are none. */
  async show(change: Partial<ReplyDocument>): Promise<this> {
    this.change(change);
    await this.rest();
    return this;
  }

  /** Changes the document, then makes one move. */
  async begin(change: Partial<ReplyDocument>): Promise<this> {
    this.change(change);
    await this.step();
    return this;
  }

  change(change: Partial<ReplyDocument>): void {
    const { document } = this;
    const grew = (change.text ?? document.text).startsWith(document.text);
    const rewrites = document.rewrites + (grew ? 0 : 1);
    this.document = { ...document, ...change, version: document.version + 1, rewrites };
  }

  async rest(): Promise<void> {
    for (let made = 1; await this.step(); made++)
      if (made > MANY) throw new Error(`Not at rest after ${this.kinds().slice(-10).join(', ')}`);
    // A stopped stream can show nothing more, so it has no moves although it is not finished.
    const isStopped = this.screen.parts.some((part) => 'stopped' in part);
    if (isFinal(this.document) !== this.screen.finished && !isStopped)
      throw new Error('It is not finished when it is final.');
  }

  async step(): Promise<boolean> {
    const { choose = ([first]) => first, now, pass, store } = this.#by;
    const move = choose(this.next());
    if (move === undefined) return false;
    pass();
    const outcome = await this.writer.perform(move, new AbortController().signal);
    const { family, essential, call } = move;
    this.moves.push({ family, essential, kind: (call as { readonly kind: string }).kind, outcome });
    this.screen = JSON.parse(JSON.stringify(this.writer.after(this.screen, move, outcome, now())));
    store?.(this.screen);
    return true;
  }

  takeOver(): void {
    this.screen = this.writer.resume(JSON.parse(JSON.stringify(this.screen)));
  }

  /**
   * Finishes the reply with a screen that an earlier version stored.
   * @param idsOf returns the ids in a screen; those of the stored screen are replaced by those of this run
   */
  async finish(stored: object, idsOf: (screen: Screen) => readonly string[]): Promise<void> {
    const now = idsOf(this.screen);
    const ids = new Map(idsOf(stored as Screen).map((id, index) => [id, now[index] ?? id]));
    this.screen = JSON.parse(JSON.stringify(stored), (_, value) => ids.get(value) ?? value);
    this.takeOver();
    const { text } = this.document;
    await this.show({ state: 'writing', text: `${text} More` });
    await this.show({ state: 'done', text: `${text} More words.` });
    expect(this.screen.finished).toBe(true);
  }

  kinds(): readonly string[] {
    return this.moves.map(({ kind }) => kind);
  }

  outcomes(): readonly Outcome[] {
    return this.moves.map(({ outcome }) => outcome);
  }
}
