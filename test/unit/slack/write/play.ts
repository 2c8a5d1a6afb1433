/** Plays one reply to its end, as the pacer does with budgets that allow every call. */

import type { Screen } from '../../../../src/kit/ladder.ts';
import {
  isFinal,
  type Move,
  type Outcome,
  type ReplyDocument,
  type ReplyWriter,
  type Turn,
} from '../../../../src/kit.ts';
import { blank } from '../../reply/markdown/documents.ts';
import type { Rig } from './rig.ts';

/** Maximum number of moves; a screen that needs more never settles. */
const MANY = 60;

export interface Played {
  readonly family: string;
  readonly essential: boolean;
  readonly outcome: Outcome;
}

export class Play {
  readonly turn: Turn;
  readonly writer: ReplyWriter;
  screen: Screen;
  document: ReplyDocument;
  now = Date.UTC(2026, 10, 1);
  readonly moves: Played[] = [];
  readonly #choose: (moves: readonly Move[]) => Move | undefined;

  constructor(
    rig: Rig,
    choose: (moves: readonly Move[]) => Move | undefined = ([first]) => first,
    turn = rig.ask(),
  ) {
    this.turn = turn;
    this.writer = rig.writer(turn);
    this.screen = this.writer.blank();
    this.document = { ...blank, turn: turn.id, version: 1, state: 'thinking' };
    this.#choose = choose;
  }

  next(): readonly Move[] {
    return this.writer.next(this.screen, this.document, this.now);
  }

  /** Changes the document, then makes moves until there are none. */
  async show(change: Partial<ReplyDocument>): Promise<this> {
    this.change(change);
    await this.rest();
    return this;
  }

  change(change: Partial<ReplyDocument>): void {
    const { document } = this;
    const text = change.text ?? document.text;
    const grew = text.startsWith(document.text);
    this.document = {
      ...document,
      ...change,
      version: document.version + 1,
      rewrites: document.rewrites + (grew ? 0 : 1),
    };
  }

  async rest(): Promise<void> {
    for (let made = 0; ; made++) {
      if (made > MANY) throw new Error(`Not at rest after ${this.families().slice(-10).join(', ')}`);
      if (!(await this.step())) break;
    }
    if (isFinal(this.document) !== this.screen.finished)
      throw new Error('It is not finished when it is final.');
  }

  async step(): Promise<boolean> {
    const move = this.#choose(this.next());
    if (move === undefined) return false;
    const outcome = await this.writer.perform(move, new AbortController().signal);
    this.moves.push({ family: move.family, essential: move.essential, outcome });
    this.now += 100;
    this.screen = JSON.parse(JSON.stringify(this.writer.after(this.screen, move, outcome, this.now)));
    return true;
  }

  takeOver(): void {
    this.screen = this.writer.resume(JSON.parse(JSON.stringify(this.screen)));
  }

  families(): readonly string[] {
    return this.moves.map(({ family }) => family.replace(/^(?:chat|files|agents\.sessions)\./, ''));
  }
}

/** Chooses the first move that needs only these families, as if the budgets allowed no other calls. */
export const only =
  (...families: readonly string[]) =>
  (moves: readonly Move[]): Move | undefined =>
    moves.find(({ family, needs = {} }) => {
      const held = Object.entries(needs).filter(([, slots]) => slots > 0);
      return [family, ...held.map(([name]) => name)].every((name) => families.includes(name));
    });

export const EDITS = only(
  'chat.postMessage',
  'chat.update',
  'chat.delete',
  'conversations.replies',
  'agents.sessions.setStatus',
  'files.getUploadURLExternal',
  'files.completeUploadExternal',
  'files.info',
);
