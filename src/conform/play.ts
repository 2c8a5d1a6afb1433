/**
 * A reply being written for a check: its newest document, its screen, and the moves that let the screen show the
 * document.
 */

import { systemClock } from '../clock.ts';
import type { ReplyState } from '../core/reply.ts';
import { agentName, type Screen } from '../kit/ladder.ts';
import { isFinal, type Move, type Outcome, type ReplyDocument, type ReplyWriter, type Turn } from '../kit.ts';
import { type Change, type Step, wordsIn } from './story.ts';
import { deepFreeze, expectSame, expectTrue, unstorable, Violation } from './violation.ts';

/** A channel whose replies are checked. */
export interface OpenChannel {
  /** Asks a new question in the channel. Resolves with its turn. */
  ask(): Promise<Turn>;
  writer(turn: Turn): ReplyWriter;
  /** Resolves with the texts of the messages that contain the turn's reply, in order. */
  shown(turn: Turn): Promise<readonly string[]>;
  /**
   * Returns the text that the messages of the reply must show together. `messages`: their number. If this function is
   * absent, documents must contain numbered words, and the checks compare these words.
   */
  readonly expected?: ((document: ReplyDocument, messages: number) => string) | undefined;
  /** Set for a channel, such as a terminal, that cannot change text once it is shown. */
  readonly keepsWhatItShowed?: true | undefined;
  /**
   * Set for a channel that cannot look up its own messages. In such a channel, a post whose outcome is unknown may
   * appear twice.
   */
  readonly blind?: true | undefined;
  /** Called with the family of each move that the writer returns. */
  readonly noteFamily?: ((family: string) => void) | undefined;
}

/** Maximum number of moves until the screen must show its document. */
const MOVES = 100;
/** Consecutive failed calls after which the bridge gives a reply up (`MAX_FAILURES` in src/core/pacing/pace.ts). */
export const MOST_FAILURES = 8;
/** First and longest pause after a failed call, in milliseconds. The bridge's own pauses are longer. */
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;

/** Properties of the document after a takeover. The new process counts versions and rewrites anew, and has no steps. */
const RESTORED = { version: 3, rewrites: 0, steps: [] } as const;

export class Play {
  readonly channel: OpenChannel;
  #turn: Turn;
  #writer: ReplyWriter;
  #document: ReplyDocument;
  screen: Screen;
  /** Number of calls so far. */
  moves = 0;
  #now = 1_000;
  /** Text that the reply showed while the agent was thinking. */
  #thinking: string | undefined;

  constructor(channel: OpenChannel, turn: Turn) {
    this.channel = channel;
    this.#turn = turn;
    this.#writer = channel.writer(turn);
    this.#document = blankDocument(turn);
    this.screen = this.#writer.blank();
  }

  get document(): ReplyDocument {
    return this.#document;
  }

  get turn(): Turn {
    return this.#turn;
  }

  change(one: Change): void {
    this.#document = changed(this.#document, one);
  }

  /** Sets properties of the document other than its text. */
  set(members: Partial<ReplyDocument>): void {
    this.#document = { ...this.#document, ...members, version: this.#document.version + 1 };
  }

  end(state: ReplyState): void {
    this.set({ state });
  }

  /** Starts another version of the reply, with a blank document. */
  beginVersion(): void {
    this.#document = blankDocument(this.#turn);
  }

  /** Continues in another process, to which only the stored screen is available. */
  takeOver(): void {
    const stored = JSON.parse(JSON.stringify(this.screen)) as Screen;
    this.#turn = { ...this.#turn, attempt: this.#turn.attempt + 1, screen: stored };
    this.#writer = this.channel.writer(this.#turn);
    this.screen = this.#writer.resume(deepFreeze(stored));
    // The new process begins with a new document, for which only the text was stored.
    this.#document = { ...this.#document, ...RESTORED };
  }

  async take({ change: one, outcome: its }: Step): Promise<void> {
    this.change(one);
    if (its === 'takeover') return this.takeOver();
    const move = this.next();
    if (!move) return;
    if (its === 'rate' || its === 'busy')
      return this.#after(move, { kind: 'refused', why: its, retryAfterMs: 5 });
    const effect = this.channel.blind && this.#makesMessage(move) ? 'done' : its;
    const outcome = effect === 'lost' ? undefined : await this.perform(move);
    if (effect === 'crash') {
      this.takeOver();
      // The process that takes over begins with the text that was stored before the call.
      return this.comeToRest();
    }
    this.#after(move, effect === 'done' && outcome ? outcome : { kind: 'unknown' });
  }

  #makesMessage(move: Move): boolean {
    const made = this.#writer.after(this.screen, move, { kind: 'done', id: 'another' }, this.#now);
    return made.parts.length > this.screen.parts.length;
  }

  /** Makes successful moves until the writer has no further moves. */
  async converge(): Promise<void> {
    const before = this.moves;
    await this.comeToRest();
    const isOver = isFinal(this.#document);
    // Only a call changes the screen. If nothing was left to show, the screen of a running reply may stay.
    if (isOver && this.moves === before) return;
    expectSame(
      `The screen of a reply that ${isOver ? 'has ended' : 'goes on'} has the wrong value of "finished".`,
      this.screen.finished,
      isOver,
    );
  }

  /** Ends the reply in a state, if one is given, and makes calls until the reply shows its document. */
  async conclude(state?: ReplyState): Promise<void> {
    if (state !== undefined) this.end(state);
    await this.converge();
    await this.expectShown();
  }

  async comeToRest(): Promise<void> {
    let failures = 0;
    for (let move = this.next(); move; move = this.next()) {
      const { kind } = await this.make(move);
      failures = kind === 'done' ? 0 : failures + 1;
      // A channel that has just started may need a moment, so the next call waits, as in the bridge.
      await waitAfter(failures);
      if (this.moves > MOVES)
        throw new Violation(
          `After ${MOVES} calls, the function "next" still returns another call.`,
          'an empty list as soon as the reply shows the document',
          move,
        );
      if (failures === MOST_FAILURES)
        throw new Violation(`${failures} calls in a row failed.`, 'a call that succeeds', move);
    }
    await this.#noteThinking();
  }

  async #noteThinking(): Promise<void> {
    const { state, text } = this.#document;
    if (this.channel.expected === undefined && state === 'thinking' && text === '')
      this.#thinking = (await this.shown()).join('').trim();
  }

  /**
   * Returns the next move. Throws if a second call of the writer's `next` returns a different move or changes its
   * arguments.
   */
  next(): Move | undefined {
    this.#now += 10;
    const moves = this.#writer.next(deepFreeze(this.screen), deepFreeze(this.#document), this.#now);
    const again = this.#writer.next(this.screen, this.#document, this.#now);
    expectSame(
      'The function "next" is not pure: for the same arguments, it returns different moves.',
      again,
      moves,
    );
    for (const { family } of moves) this.channel.noteFamily?.(family);
    return moves[0];
  }

  /** Treats the next move as if its call had ended with the outcome, without making the call. */
  settle(outcome: Outcome): void {
    const move = this.next();
    if (move) this.#after(move, outcome);
  }

  /** Makes the call of the move, and updates the screen. Resolves with the outcome. */
  async make(move: Move): Promise<Outcome> {
    const outcome = await this.perform(move);
    this.#after(move, outcome);
    return outcome;
  }

  /** Updates the screen after a move whose call was made elsewhere. */
  settleWith(move: Move, outcome: Outcome): void {
    this.#after(move, outcome);
  }

  shown(): Promise<readonly string[]> {
    return this.channel.shown(this.#turn);
  }

  /**
   * Throws unless people see the text of the document exactly once, in as many messages as the screen has parts. If the
   * document is not final, the beginning of its text is enough.
   */
  async expectShown(): Promise<void> {
    const texts = await this.shown();
    const { expected } = this.channel;
    const count = this.screen.parts.length;
    // A chat that keeps what it showed may show each line of a reply as a message.
    const isCounted = !this.channel.keepsWhatItShowed;
    if (expected === undefined) this.#expectWords(texts);
    else
      expectSame(
        'The reply does not show the expected text.',
        texts.join(''),
        expected(this.#document, count),
      );
    expectTrue(
      'The number of messages in the chat is not the number of parts in the screen.',
      !isCounted || texts.length === count,
      `${count} messages`,
      texts,
    );
  }

  #expectWords(texts: readonly string[]): void {
    const due = wordsIn(this.#document.text);
    const found = wordsIn(texts.join(''));
    if (!isFinal(this.#document)) {
      expectSame(
        'The words of the reply are not the beginning of the text.',
        found,
        due.slice(0, found.length),
      );
      return;
    }
    expectSame('The reply does not show each word of the text once, in order.', found, due);
    const isThinking = due.length > 0 && this.#thinking !== undefined && this.#thinking !== '';
    expectTrue(
      'The reply has ended, but it still contains the notice from the time when the agent was thinking.',
      !isThinking || !texts.join('\n').includes(this.#thinking ?? ''),
      'only the answer',
      texts,
    );
  }

  async perform(move: Move, signal: AbortSignal = new AbortController().signal): Promise<Outcome> {
    this.moves += 1;
    return this.#writer.perform(move, signal);
  }

  #after(move: Move, outcome: Outcome): void {
    const before = deepFreeze(this.screen);
    this.screen = this.#writer.after(before, move, outcome, this.#now);
    const again = this.#writer.after(before, move, outcome, this.#now);
    expectSame(
      'The function "after" is not pure: for the same arguments, it returns a different screen.',
      again,
      this.screen,
    );
    const path = unstorable(this.screen);
    expectTrue(
      'The screen cannot be stored as JSON.',
      path === undefined,
      'only strings, numbers, booleans, lists and plain objects',
      path,
    );
  }
}

/** Waits before the next try of a failed call, as the bridge does; a channel may have to connect again first. */
export async function waitAfter(failures: number): Promise<void> {
  if (failures > 0) await systemClock.wait(Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS));
}

export const begin = async (channel: OpenChannel): Promise<Play> => new Play(channel, await channel.ask());

export function blankDocument({ id }: Turn): ReplyDocument {
  const nothing = { steps: [], media: [], sources: [], suggestions: [], notices: [] };
  return {
    turn: id,
    agent: agentName('knowledge'),
    version: 0,
    state: 'thinking',
    text: '',
    rewrites: 0,
    retry: false,
    ...nothing,
  };
}

function changed(document: ReplyDocument, one: Change): ReplyDocument {
  const next = { ...document, version: document.version + 1 };
  switch (one.kind) {
    case 'append':
      return { ...next, state: 'writing', text: document.text + one.text };
    case 'rewrite':
      return {
        ...next,
        state: 'writing',
        text: document.text.slice(0, one.at) + one.text,
        rewrites: document.rewrites + (one.at < document.text.length ? 1 : 0),
      };
    case 'step':
      return { ...next, steps: [...document.steps, { id: `${next.version}`, name: 'Look', state: 'done' }] };
    case 'nothing':
      return document;
  }
}
