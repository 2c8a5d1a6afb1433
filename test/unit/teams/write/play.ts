/** Plays one reply to its end, as the pacer does with unlimited budgets. */

import type { Screen } from '../../../../src/kit/ladder.ts';
import {
  isFinal,
  type Move,
  type Outcome,
  type ReplyDocument,
  type ReplyWriter,
  type Turn,
} from '../../../../src/kit.ts';
import type { CallRecord } from '../../../fakes/teams/index.ts';
import { blank } from '../../reply/markdown/documents.ts';
import type { Kind, Rig, Ways } from './rig.ts';

/** Maximum number of moves; a screen that needs more never settles. */
const MANY = 60;
/** Milliseconds between two calls; Teams limits streams to one call per second. */
const PACE_MS = 1_100;

export class Play {
  readonly turn: Turn;
  readonly writer: ReplyWriter;
  screen: Screen;
  document: ReplyDocument;
  readonly #rig: Rig;
  readonly outcomes: Outcome[] = [];
  readonly kinds: string[] = [];

  constructor(
    rig: Rig,
    { kind = 'direct', turn = rig.ask(kind), ...ways }: Ways & { kind?: Kind; turn?: Turn } = {},
  ) {
    this.#rig = rig;
    this.turn = turn;
    this.writer = rig.writer(turn, ways);
    this.screen = this.writer.blank();
    this.document = { ...blank, turn: turn.id, version: 1, state: 'thinking' };
  }

  next(): readonly Move[] {
    return this.writer.next(this.screen, this.document, this.#rig.now());
  }

  /** Changes the document, then makes moves until there are none. */
  async show(change: Partial<ReplyDocument>): Promise<this> {
    this.change(change);
    await this.rest();
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
      if (made > MANY) throw new Error(`Not at rest after ${this.kinds.slice(-10).join(', ')}`);
    // A stopped stream can show nothing more, so it has no moves although it is not finished.
    const isStopped = this.screen.parts.some((part) => 'stopped' in part);
    if (isFinal(this.document) !== this.screen.finished && !isStopped)
      throw new Error('It is not finished when it is final.');
  }

  async step(): Promise<boolean> {
    const [move] = this.next();
    if (move === undefined) return false;
    this.#rig.pass(PACE_MS);
    const outcome = await this.writer.perform(move, new AbortController().signal);
    this.outcomes.push(outcome);
    this.kinds.push((move.call as { readonly kind: string }).kind);
    const now = this.#rig.now();
    this.screen = JSON.parse(JSON.stringify(this.writer.after(this.screen, move, outcome, now)));
    this.#rig.screens.set(this.turn.id, this.screen);
    return true;
  }

  takeOver(): void {
    this.screen = this.writer.resume(JSON.parse(JSON.stringify(this.screen)));
  }

  /** Returns the calls in the turn's thread, without typing indicators. */
  calls(): readonly CallRecord[] {
    const { room, key, kind } = this.turn.message.thread;
    return this.#rig.fake.log.calls.filter(
      ({ conversation, root, method }) =>
        conversation === room && (kind !== 'room' || root === key) && method !== 'typing',
    );
  }

  /** Returns the methods of the calls that contain text, without the separate calls for cards. */
  methods(): readonly string[] {
    return this.calls().flatMap(({ method, asked }) =>
      'attachments' in asked && !('text' in asked) ? [] : [method],
    );
  }
}
