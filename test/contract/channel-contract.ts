import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  agentName,
  isFinal,
  type Move,
  type Outcome,
  type ReplyDocument,
  type ReplyWriter,
  type Screen,
  type Turn,
} from '../../src/kit.ts';

/** A channel under test: a started adapter, connected to a server or a fake that reports what people see. */
export interface OpenChannel {
  /** Asks a new question in the channel. Returns its turn. */
  ask(): Promise<Turn>;
  writer(turn: Turn): ReplyWriter;
  /** Returns the texts of the messages that contain the turn's reply, in order. */
  shown(turn: Turn): Promise<readonly string[]>;
  /** Returns the expected text of a reply: the joined result of `shown` when `messages` messages show the document. */
  expected(document: ReplyDocument, messages: number): string;
  /** Set for a channel that cannot change text once it is shown, such as a terminal. */
  readonly keepsWhatItShowed?: true;
  /** Set for a channel that cannot look up its own messages. A post whose outcome is unknown may appear there twice. */
  readonly blind?: true;
  close(): Promise<void>;
}

/** The outcome of one move. */
type PlannedOutcome =
  | 'done'
  /** The call takes effect, but its response is lost. */
  | 'hidden'
  /** The call is lost before it arrives. */
  | 'lost'
  | 'rate'
  /** The call has no effect; it may succeed if it is repeated soon. */
  | 'busy'
  /** Before the move, another process takes over the turn. */
  | 'takeover';

interface Step {
  readonly change: Change;
  readonly outcome: PlannedOutcome;
}

type Change =
  | { readonly kind: 'append'; readonly text: string }
  | { readonly kind: 'rewrite'; readonly at: number; readonly text: string }
  | { readonly kind: 'step' }
  | { readonly kind: 'nothing' };

/** Maximum number of moves until a screen must show its document. */
const MOVES = 100;
const RUNS = 60;

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('append' as const), text }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rewrite' as const), at: fc.nat(40), text }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'step' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'nothing' as const }) },
);
const outcome = fc.oneof(
  { weight: 4, arbitrary: fc.constant<PlannedOutcome>('done') },
  { weight: 2, arbitrary: fc.constantFrom<PlannedOutcome>('hidden', 'lost', 'rate', 'busy', 'takeover') },
);
const story = fc.array(fc.record({ change, outcome }), { maxLength: 25 });
const ending = fc.constantFrom<ReplyDocument['state']>('done', 'partial', 'stopped', 'failed');

/**
 * Defines the tests that every channel's writer must pass. The tests of each adapter call this function.
 * @param numRuns number of random stories per test; fewer for a channel on a real server, where each call takes time
 */
export function channelContract(name: string, open: () => Promise<OpenChannel>, numRuns = RUNS): void {
  describe(`${name} keeps the channel contract`, () => {
    let channel: OpenChannel;
    beforeAll(async () => {
      channel = await open();
    });
    afterAll(() => channel.close());

    const check = (law: (play: Play, steps: readonly Step[]) => Promise<void>) =>
      fc.assert(
        fc.asyncProperty(story, async (steps) => law(await begin(channel), steps)),
        { numRuns },
      );

    it('shows the last document, whatever happens to the moves', () =>
      fc.assert(
        fc.asyncProperty(story, ending, async (steps, state) => {
          const play = await begin(channel);
          for (const step of steps) await play.take(step);
          play.end(state);
          await play.converge();
          await play.expectShown();
        }),
        { numRuns },
      ));

    it('shows only the newest of several documents', () =>
      check(async (play, steps) => {
        for (const { change: one } of steps) play.change(one);
        await play.converge();
        await play.expectShown();
        expect(play.moves).toBeLessThanOrEqual(play.screen.parts.length + 1);
      }));

    it('creates no second message when a move is repeated', () =>
      check(async (play, steps) => {
        for (const { change: one } of steps) {
          play.change(one);
          await play.take({ change: { kind: 'nothing' }, outcome: 'hidden' });
        }
        play.end('done');
        await play.converge();
        await play.expectShown();
      }));

    it('continues from a stored screen, in the same messages', () =>
      check(async (play, steps) => {
        for (const step of steps) await play.take({ ...step, outcome: 'done' });
        const before = play.screen.parts.map((part) => part.id);
        play.takeOver();
        play.end('partial');
        await play.converge();
        await play.expectShown();
        expect(play.screen.parts.map((part) => part.id).slice(0, before.length)).toEqual(before);
      }));

    it('has no move for a finished screen, until it is resumed', async () => {
      const play = await begin(channel);
      play.change({ kind: 'append', text: 'All of it.' });
      play.end('done');
      await play.converge();
      expect(play.screen.finished).toBe(true);
      expect(play.next()).toBeUndefined();
      play.takeOver();
      expect(play.screen.finished).toBe(false);
      await play.converge();
      await play.expectShown();
    });

    it('replaces a finished answer with another version, even a much longer one, and never merges the two', () =>
      check(async (play, steps) => {
        for (const { change: one } of steps) play.change(one);
        play.end('done');
        await play.converge();
        play.takeOver();
        play.beginVersion();
        if (channel.keepsWhatItShowed) return;
        play.change({ kind: 'append', text: `Another answer, ${'longer '.repeat(60)}than the first.` });
        play.end('done');
        await play.converge();
        await play.expectShown();
      }));

    it('shows late sources, which change a finished document after its last text', async () => {
      const play = await begin(channel);
      play.change({ kind: 'append', text: 'All of it.' });
      play.end('done');
      await play.converge();
      play.end('done');
      expect(play.next()).toMatchObject({ essential: true });
      await play.converge();
      await play.expectShown();
    });

    it('has no move after the reply was removed', async () => {
      const play = await begin(channel);
      await play.take({ change: { kind: 'append', text: 'Some' }, outcome: 'done' });
      play.change({ kind: 'append', text: ' more' });
      play.settle({ kind: 'refused', why: 'gone' });
      expect(play.next()).toBeUndefined();
    });

    it('deletes its messages when the question was deleted, whatever happened before', () =>
      fc.assert(
        fc.asyncProperty(story, async (steps) => {
          const play = await begin(channel);
          if (channel.keepsWhatItShowed) return;
          for (const step of steps) await play.take(step);
          play.end('withdrawn');
          await play.comeToRest();
          expect(await play.shown()).toEqual([]);
          expect(play.screen.parts).toEqual([]);
        }),
        { numRuns },
      ));

    it('names a family and marks the last move as essential', async () => {
      const play = await begin(channel);
      await play.take({ change: { kind: 'append', text: 'Some' }, outcome: 'done' });
      play.end('done');
      const last = play.next();
      expect(last).toMatchObject({ family: expect.any(String), essential: true });
    });
  });
}

/** A reply being written: its newest document, its screen, and the moves that bring the screen up to date. */
class Play {
  readonly #channel: OpenChannel;
  readonly #turn: Turn;
  readonly #writer: ReplyWriter;
  #document: ReplyDocument;
  screen: Screen;
  /** Number of calls so far. */
  moves = 0;
  #now = 1_000;

  constructor(channel: OpenChannel, turn: Turn) {
    this.#channel = channel;
    this.#turn = turn;
    this.#writer = channel.writer(turn);
    this.#document = blankDocument(turn);
    this.screen = this.#writer.blank();
  }

  change(one: Change): void {
    this.#document = changed(this.#document, one);
  }

  end(state: ReplyDocument['state']): void {
    this.#document = { ...this.#document, version: this.#document.version + 1, state };
  }

  /** Starts another version of the reply, with a blank document. */
  beginVersion(): void {
    this.#document = blankDocument(this.#turn);
  }

  takeOver(): void {
    const stored = JSON.parse(JSON.stringify(this.screen)) as Screen;
    this.screen = this.#writer.resume(deepFreeze(stored));
  }

  async take({ change: one, outcome: its }: Step): Promise<void> {
    this.change(one);
    if (its === 'takeover') return this.takeOver();
    const move = this.next();
    if (!move) return;
    if (its === 'rate' || its === 'busy')
      return this.#after(move, { kind: 'refused', why: its, retryAfterMs: 5 });
    const told = this.#channel.blind && this.#makesMessage(move) ? 'done' : its;
    const outcome = told === 'lost' ? undefined : await this.#perform(move);
    this.#after(move, told === 'done' && outcome ? outcome : { kind: 'unknown' });
  }

  #makesMessage(move: Move): boolean {
    const made = this.#writer.after(this.screen, move, { kind: 'done', id: 'another' }, this.#now);
    return made.parts.length > this.screen.parts.length;
  }

  /** Makes successful moves until the writer has no further moves. */
  async converge(): Promise<void> {
    await this.comeToRest();
    expect(this.screen.finished).toBe(isFinal(this.#document));
  }

  async comeToRest(): Promise<void> {
    for (let move = this.next(); move; move = this.next()) {
      this.#after(move, await this.#perform(move));
      if (this.moves > MOVES) throw new Error(`The screen did not come to rest within ${MOVES} moves.`);
    }
  }

  /** Returns the next move. Expects that a second call returns the same move and changes nothing. */
  next(): Move | undefined {
    this.#now += 10;
    const moves = this.#writer.next(deepFreeze(this.screen), deepFreeze(this.#document), this.#now);
    expect(this.#writer.next(this.screen, this.#document, this.#now)).toEqual(moves);
    return moves[0];
  }

  settle(outcome: Outcome): void {
    const move = this.next();
    if (move) this.#after(move, outcome);
  }

  shown(): Promise<readonly string[]> {
    return this.#channel.shown(this.#turn);
  }

  async expectShown(): Promise<void> {
    const texts = await this.#channel.shown(this.#turn);
    expect(texts.join('')).toBe(this.#channel.expected(this.#document, this.screen.parts.length));
    expect(texts).toHaveLength(this.screen.parts.length);
  }

  async #perform(move: Move): Promise<Outcome> {
    this.moves += 1;
    return this.#writer.perform(move, new AbortController().signal);
  }

  #after(move: Move, outcome: Outcome): void {
    const before = deepFreeze(this.screen);
    this.screen = this.#writer.after(before, move, outcome, this.#now);
    expect(this.#writer.after(before, move, outcome, this.#now)).toEqual(this.screen);
    expect(JSON.parse(JSON.stringify(this.screen))).toEqual(this.screen);
  }
}

const begin = async (channel: OpenChannel): Promise<Play> => new Play(channel, await channel.ask());

function blankDocument({ id }: Turn): ReplyDocument {
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

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}
