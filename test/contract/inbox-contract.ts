import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agentName, laneKey, turnId } from '../../src/core/ids.ts';
import { laneOf } from '../../src/core/message.ts';
import type { Claim, Inbox, InboxSignal, NewTurn } from '../../src/core/stores/inbox.ts';
import type { Turn } from '../../src/core/turn.ts';
import { message, newTurn, screen, thread } from './turn-makers.ts';

export interface InboxOptions {
  readonly leaseMs: number;
  readonly laneLimit: number;
}

/** The inboxes of processes that share one store and one clock. */
export interface OpenInbox {
  /** The inbox of the first process. */
  readonly inbox: Inbox;
  /** Opens the inbox of another process. */
  another(): Promise<Inbox>;
  advance(ms: number): void;
  /**
   * Pauses the first process until its leases have ended and `by` has put the turns of the first process back into the
   * queue. Resolves with the number of these turns.
   */
  takeOver(by: Inbox): Promise<number>;
  /** Ends the first process without a shutdown, as far as one process can simulate that, and starts it again. */
  reopen(): Promise<Inbox>;
  dispose(): Promise<void>;
}

const LEASE_MS = 10_000;
const STOP = { kind: 'stop', by: 'u2' } as const;

/** Defines the tests that every inbox engine must pass. */
export function inboxContract(name: string, open: (options: InboxOptions) => Promise<OpenInbox>): void {
  describe(`${name} keeps the inbox contract`, () => {
    let opened: OpenInbox;
    let inbox: Inbox;

    beforeEach(async () => {
      opened = await open({ leaseMs: LEASE_MS, laneLimit: 3 });
      inbox = opened.inbox;
    });
    afterEach(() => opened.dispose());

    const claimed = async (by = inbox): Promise<Claim> => {
      const claim = await by.claim();
      if (claim === undefined) throw new Error('nothing to claim');
      return claim;
    };
    /** Returns the last claim if it is still held, or else the next claim. */
    const newest = async (claims: readonly Claim[]): Promise<Claim | undefined> => {
      const last = claims.at(-1);
      const holds = last !== undefined && (await inbox.renew(last)) === 'held';
      return holds ? last : inbox.claim();
    };

    describe('adding', () => {
      it('returns what was added', async () => {
        const turn = newTurn('1', 'lane');
        expect(await inbox.add(turn)).toEqual({ kind: 'added', ahead: 0 });
        expect(await inbox.find(turn.id)).toMatchObject({
          id: turn.id,
          origin: turn.origin,
          lane: turn.lane,
          message: turn.message,
          attempt: 0,
          phase: 'new',
          state: 'waiting',
        });
      });

      it('stores a repeated event once, whatever happened to the turn since', async () => {
        const once = newTurn('1');
        const again = newTurn('2', 'lane', { originKey: once.originKey });
        await inbox.add(once);
        expect(await inbox.add(again)).toEqual({ kind: 'duplicate', id: '1' });
        const claim = await claimed();
        expect(await inbox.add(again)).toEqual({ kind: 'duplicate', id: '1' });
        await inbox.settle(claim, 'answered');
        expect(await inbox.add(again)).toEqual({ kind: 'duplicate', id: '1' });
        expect(await inbox.find(again.id)).toBeUndefined();
      });

      it('stores one of many concurrent events of the same origin', async () => {
        const added = await Promise.all(
          Array.from({ length: 20 }, (_, n) => inbox.add(newTurn(`${n}`, 'lane', { originKey: 'same' }))),
        );
        expect(added.filter((one) => one.kind === 'added')).toHaveLength(1);
        expect(added.filter((one) => one.kind === 'duplicate')).toHaveLength(19);
      });

      it('counts the turns ahead, and refuses turns beyond the limit of the lane', async () => {
        await inbox.add(newTurn('1'));
        await claimed();
        expect(await inbox.add(newTurn('2'))).toEqual({ kind: 'added', ahead: 1 });
        expect(await inbox.add(newTurn('3'))).toEqual({ kind: 'added', ahead: 2 });
        expect(await inbox.add(newTurn('4'))).toEqual({ kind: 'added', ahead: 3 });
        expect(await inbox.add(newTurn('5'))).toEqual({ kind: 'full', waiting: 3 });
        expect(await inbox.find(turnId('5'))).toBeUndefined();
        expect(await inbox.add(newTurn('6', 'another'))).toEqual({ kind: 'added', ahead: 0 });
        expect(await inbox.counts()).toEqual({ waiting: 4, running: 1 });
      });

      it('keeps every character, including unpaired surrogates and NUL', async () => {
        const turn = newTurn('1');
        const text = 'a\u0000b \ud83d\ude00 \ud83d';
        await inbox.add({ ...turn, message: { ...turn.message, text } });
        expect((await claimed()).turn.message.text).toBe(text);
      });
    });

    describe('claiming', () => {
      it('returns the oldest turn of a free lane, one at a time per lane', async () => {
        for (const [id, lane] of [
          ['1', 'x'],
          ['2', 'x'],
          ['3', 'y'],
        ] as const)
          await inbox.add(newTurn(id, lane));
        const first = await claimed();
        expect(first.turn).toMatchObject({ id: '1', state: 'running', attempt: 1 });
        expect((await claimed()).turn.id).toBe('3');
        expect(await inbox.claim()).toBeUndefined();
        await inbox.settle(first, 'answered');
        expect((await claimed()).turn.id).toBe('2');
      });

      it('orders messages of a lane by their times, whatever their order of arrival', async () => {
        const written = (id: string, sentAt: number, more: Partial<NewTurn> = {}) =>
          inbox.add(newTurn(id, 'x', { message: { ...message(id), sentAt }, ...more }));
        await written('running', 50);
        let claim = await claimed();
        await inbox.checkpoint(claim, { phase: 'asking' });
        await written('second', 20);
        await written('press', 1, { origin: { kind: 'retry', of: turnId('0'), by: 'u1' } });
        expect(await written('first', 10)).toEqual({ kind: 'added', ahead: 1 });
        const order: string[] = [];
        for (let nth = 0; nth < 3; nth++) {
          await inbox.settle(claim, 'answered');
          claim = await claimed();
          order.push(claim.turn.id);
          expect(claim.turn.message.text).toBe(`question ${claim.turn.id}`);
        }
        expect(order).toEqual(['first', 'second', 'press']);
      });

      it('orders messages of one lane by time even if one was claimed already', async () => {
        const times = [1, 1.25, 3];
        for (const arrival of permutations(times)) {
          for (let claims = 0; claims <= times.length; claims++) {
            const lane = `${arrival} ${claims}`;
            const early: Claim[] = [];
            for (const [nth, sentAt] of arrival.entries()) {
              const id = `${lane} at ${sentAt}`;
              const added = await inbox.add(newTurn(id, lane, { message: { ...message(id), sentAt } }));
              expect(added.kind).toBe('added');
              const claim = nth < claims ? await inbox.claim() : undefined;
              if (claim !== undefined) early.push(claim);
            }
            const order: string[] = [];
            for (let claim = await newest(early); claim !== undefined; claim = await inbox.claim()) {
              order.push(claim.turn.id);
              expect(await inbox.settle(claim, 'answered')).toBe('settled');
            }
            expect(order, lane).toEqual(times.map((time) => `${lane} at ${time}`));
          }
        }
      });

      it('does not put back a turn that has shown or asked something', async () => {
        const written = (id: string, sentAt: number) =>
          inbox.add(newTurn(id, 'x', { message: { ...message(id), sentAt } }));
        const ids: string[] = [];
        inbox.onSignal((signal) => signal.kind === 'interrupted' && ids.push(signal.id));
        await written('third', 3);
        const first = await claimed();
        expect(await written('second', 2)).toEqual({ kind: 'added', ahead: 0 });
        expect(ids).toEqual(['third']);
        expect(await inbox.checkpoint(first, { phase: 'asking' })).toBe('lost');
        const second = await claimed();
        expect(second.turn.id).toBe('second');
        await inbox.checkpoint(second, { screen: screen('m') });
        expect(await written('first', 1)).toEqual({ kind: 'added', ahead: 1 });
        await inbox.settle(second, 'answered');
        await inbox.settle(await claimed(), 'answered');
        const again = await claimed();
        expect(again.turn).toMatchObject({ id: 'third', attempt: 2, unasked: 1 });
        await inbox.checkpoint(again, { phase: 'asking' });
        await written('late', 0);
        expect(await inbox.renew(again)).toBe('held');
        expect(ids).toEqual(['third']);
      });

      it('counts the claims that ended before the agent was asked, and keeps the order of their turns', async () => {
        const written = (id: string, sentAt: number) =>
          inbox.add(newTurn(id, 'x', { message: { ...message(id), sentAt } }));
        await written('later', 2);
        for (const unasked of [undefined, 1, 2]) {
          const claim = await claimed();
          expect(claim.turn.unasked).toBe(unasked);
          await inbox.release(claim);
        }
        await written('earlier', 1);
        const earlier = await claimed();
        expect(earlier.turn.id).toBe('earlier');
        await inbox.checkpoint(earlier, { phase: 'asking' });
        await inbox.release(earlier);
        expect((await inbox.find(turnId('earlier')))?.unasked).toBeUndefined();
        const again = await claimed();
        expect(again.turn.id).toBe('earlier');
        await inbox.settle(again, 'answered');
        const later = await claimed();
        expect(later.turn).toMatchObject({ id: 'later', unasked: 3 });
        await inbox.postpone(later, { agent: agentName('books'), asked: false });
        expect(await inbox.find(turnId('later'))).toMatchObject({ postponed: 1, unasked: 3 });
      });

      it('never gives a turn to two owners, nor a lane to two turns', async () => {
        for (let n = 0; n < 40; n++) await inbox.add(newTurn(`${n}`, `lane ${n % 20}`));
        const other = await opened.another();
        const claims = await Promise.all(
          Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? inbox : other).claim()),
        );
        const given = claims.flatMap((claim) => claim?.turn ?? []);
        expect(new Set(given.map((turn) => turn.id)).size).toBe(20);
        expect(new Set(given.map((turn) => turn.lane)).size).toBe(20);
      });

      it('runs every lane in strict order and without overlap, with four loops of two owners', async () => {
        for (let n = 0; n < 90; n++) await inbox.add(newTurn(`${n}`, `lane ${n % 30}`));
        const busy = new Set<string>();
        const order = new Map<string, number[]>();
        const work = async (by: Inbox): Promise<void> => {
          for (;;) {
            const claim = await by.claim();
            if (claim === undefined) {
              const { waiting, running } = await by.counts();
              if (waiting + running === 0) return;
              continue;
            }
            const { id, lane } = claim.turn;
            expect(busy.has(lane)).toBe(false);
            busy.add(lane);
            order.set(lane, [...(order.get(lane) ?? []), Number(id)]);
            await by.checkpoint(claim, { text: { at: 0, text: id } });
            busy.delete(lane);
            expect(await by.settle(claim, 'answered')).toBe('settled');
          }
        };
        const other = await opened.another();
        await Promise.all([work(inbox), work(other), work(inbox), work(other)]);
        expect(order.size).toBe(30);
        for (const [lane, ids] of order) {
          const first = Number(lane.slice('lane '.length));
          expect(ids).toEqual([first, first + 30, first + 60]);
        }
      });
    });

    describe('leases', () => {
      it('hold while they are renewed', async () => {
        await inbox.add(newTurn('1'));
        const claim = await claimed();
        for (let n = 0; n < 9; n++) {
          opened.advance(LEASE_MS / 3);
          expect(await inbox.renew(claim)).toBe('held');
          expect(await inbox.expire()).toBe(0);
        }
      });

      it('fence off an owner that lost its lease', async () => {
        await inbox.add(newTurn('1'));
        const lost = await claimed();
        const other = await opened.another();
        expect(await opened.takeOver(other)).toBe(1);
        const taken = await claimed(other);
        expect(taken.turn).toMatchObject({ id: '1', attempt: 2 });
        expect(await inbox.renew(lost)).toBe('lost');
        expect(await inbox.checkpoint(lost, { text: { at: 0, text: 'late' } })).toBe('lost');
        expect(await inbox.release(lost)).toBe('lost');
        expect(await inbox.settle(lost, 'answered')).toBe('lost');
        expect(await other.settle(taken, 'answered')).toBe('settled');
        expect(await other.settle(taken, 'failed')).toBe('lost');
        expect((await inbox.find(taken.turn.id))?.state).toBe('answered');
      });

      it('fence off an attempt from the next attempt of the same owner', async () => {
        await inbox.add(newTurn('1'));
        const lost = await claimed();
        await inbox.release(lost);
        expect((await claimed()).owner).toBe(lost.owner);
        expect(await inbox.renew(lost)).toBe('lost');
        expect(await inbox.settle(lost, 'answered')).toBe('lost');
      });

      it('end at the restart of their owner; those of other owners hold', async () => {
        const other = await opened.another();
        for (let n = 0; n < 40; n++) await inbox.add(inTenant(`${n}`));
        const own = await claimAll(inbox, 20);
        const others = await claimAll(other, 20);
        expect(Math.min(own.length, others.length)).toBeGreaterThan(0);
        inbox = await opened.reopen();
        const again = [...(await claimAll(inbox, 40)), ...(await claimAll(other, 40))];
        const idsOf = (claims: readonly Claim[]) => claims.map(({ turn }) => turn.id).toSorted();
        expect(idsOf(again.filter(({ turn }) => turn.attempt === 2))).toEqual(idsOf(own));
        expect(again.filter(({ turn }) => idsOf(others).includes(turn.id))).toEqual([]);
        for (const claim of own) expect(await inbox.settle(claim, 'answered')).toBe('lost');
        for (const claim of others) expect(await other.settle(claim, 'answered')).toBe('settled');
      });
    });

    describe('checkpoints', () => {
      it('give the next attempt all recorded state', async () => {
        await inbox.add(newTurn('1'));
        const claim = await claimed();
        expect(claim.text).toBe('');
        const known = { agent: agentName('knowledge'), account: 'acc', session: 's1', chatRecord: 'r1' };
        await inbox.checkpoint(claim, { phase: 'asking', screen: screen('m1') });
        await inbox.checkpoint(claim, { phase: 'answering', ...known, text: { at: 0, text: 'Hello' } });
        await inbox.checkpoint(claim, { text: { at: 5, text: ', world' } });
        expect(await inbox.release(claim)).toBe('released');
        const next = await claimed();
        expect(next.text).toBe('Hello, world');
        expect(next.turn).toMatchObject({ ...known, phase: 'answering', attempt: 2, screen: screen('m1') });
      });

      it('fold rewritten beginnings, shortened texts and split surrogate pairs', async () => {
        await inbox.add(newTurn('1'));
        const claim = await claimed();
        const pieces = [
          { at: 0, text: 'abcdef' },
          { at: 6, text: 'ghi' },
          { at: 4, text: 'X' },
          { at: 5, text: '\ud83d' },
          { at: 6, text: '\ude00!' },
          { at: 8, text: 'gone' },
          { at: 8, text: '' },
        ];
        await Promise.all(pieces.map((text) => inbox.checkpoint(claim, { text })));
        await inbox.release(claim);
        expect((await claimed()).text).toBe('abcdX\u{1f600}!');
      });
    });

    describe('ending', () => {
      it('deletes people’s texts and keeps ids, screen and session', async () => {
        await inbox.add(newTurn('1'));
        const claim = await claimed();
        await inbox.checkpoint(claim, {
          screen: screen('m1'),
          session: 's1',
          text: { at: 0, text: 'words' },
        });
        expect(await inbox.settle(claim, 'partial')).toBe('settled');
        const turn = await inbox.find(claim.turn.id);
        expect(turn).toMatchObject({ id: '1', state: 'partial', screen: screen('m1'), session: 's1' });
        expect(turn?.message).toMatchObject({ id: '1', text: '', quoted: [], files: [] });
        expect(turn?.message.omitted).toBeUndefined();
        expect(await inbox.counts()).toEqual({ waiting: 0, running: 0 });
      });

      it('returns a released turn to its old place in the lane', async () => {
        await inbox.add(newTurn('1'));
        await inbox.add(newTurn('2'));
        await inbox.release(await claimed());
        expect((await claimed()).turn.id).toBe('1');
      });

      it('prunes only turns that ended long ago', async () => {
        await inbox.add(newTurn('1', 'x'));
        await inbox.add(newTurn('2', 'y'));
        await inbox.settle(await claimed(), 'answered');
        opened.advance(1_000);
        await inbox.settle(await claimed(), 'answered');
        await inbox.add(newTurn('3'));
        expect(await inbox.prune(1)).toBe(0);
        const ended = (await inbox.find(turnId('2')))?.keptAt ?? 0;
        expect(await inbox.prune(ended + 1_000)).toBe(1);
        expect(await inbox.find(turnId('1'))).toBeUndefined();
        expect(await inbox.find(turnId('2'))).toBeDefined();
        expect(await inbox.find(turnId('3'))).toBeDefined();
      });
    });

    describe('interruption', () => {
      it('reaches the running turn by signal and by renewal, and the first reason stays', async () => {
        const signals: InboxSignal[] = [];
        inbox.onSignal((signal) => void signals.push(signal));
        await inbox.add(newTurn('1'));
        const claim = await claimed();
        expect(await inbox.interrupt(claim.turn.id, STOP)).toBe('running');
        expect(signals).toContainEqual({ kind: 'interrupted', id: '1', why: STOP });
        await inbox.interrupt(claim.turn.id, { kind: 'stop', by: 'someone else' });
        expect(await inbox.renew(claim)).toEqual(STOP);
        expect(await inbox.settle(claim, 'stopped')).toBe('settled');
        expect(await inbox.interrupt(claim.turn.id, STOP)).toBe('none');
        expect(await inbox.interrupt(turnId('nobody'), STOP)).toBe('none');
      });

      it('lets a waiting turn end at once, before older ones and in parallel with the running one', async () => {
        for (const id of ['1', '2', '3']) await inbox.add(newTurn(id));
        await inbox.add(newTurn('4', 'another'));
        const running = await claimed();
        expect(running.interruption).toBeUndefined();
        expect(await inbox.interrupt(turnId('3'), STOP)).toBe('waiting');
        const stopped = await claimed();
        expect(stopped).toMatchObject({ turn: { id: '3' }, interruption: STOP });
        expect((await claimed()).turn.id).toBe('4');
        expect(await inbox.claim()).toBeUndefined();
        expect((await inbox.current(laneKey('lane')))?.id).toBe('1');
        await inbox.settle(running, 'answered');
        await inbox.settle(stopped, 'stopped');
        expect((await claimed()).turn.id).toBe('2');
      });

      it('asks a waiting question instead, once, also if the person repeats it or the process ends', async () => {
        const lane = laneKey('lane');
        const by = (id: string, person: string) => {
          const { message } = newTurn(id);
          return newTurn(id, 'lane', { message: { ...message, sender: { ...message.sender, id: person } } });
        };
        expect(await inbox.instead(lane, 'ada')).toBeUndefined();
        await inbox.add(by('1', 'ada'));
        expect(await inbox.instead(lane, 'ada')).toBeUndefined();
        const running = await claimed();
        for (const turn of [by('2', 'ben'), by('3', 'ada'), by('4', 'ada')]) await inbox.add(turn);
        expect(await inbox.instead(lane, 'cem')).toBeUndefined();
        const signals: InboxSignal[] = [];
        inbox.onSignal((signal) => void signals.push(signal));
        const why = { kind: 'stop', by: 'ada' } as const;
        expect(await inbox.instead(lane, 'ada')).toMatchObject({ id: '1' });
        expect(signals).toContainEqual({ kind: 'interrupted', id: '1', why });
        expect(await inbox.instead(lane, 'ada')).toBeUndefined();
        expect(await inbox.claim()).toBeUndefined();
        await inbox.release(running);
        inbox = await opened.reopen();
        const stopped = await claimed();
        expect(stopped).toMatchObject({ turn: { id: '1' }, interruption: why });
        await inbox.settle(stopped, 'stopped');
        for (const id of ['4', '2', '3']) {
          const next = await claimed();
          expect(next.turn.id).toBe(id);
          await inbox.settle(next, 'answered');
        }
        expect(await inbox.claim()).toBeUndefined();
      });

      it('asks exactly the named question instead, and only its own author’s', async () => {
        const lane = laneKey('lane');
        const by = (id: string, person: string) => {
          const { message } = newTurn(id);
          return newTurn(id, 'lane', { message: { ...message, sender: { ...message.sender, id: person } } });
        };
        await inbox.add(by('1', 'ada'));
        const running = await claimed();
        for (const turn of [by('2', 'ben'), by('3', 'ada'), by('4', 'ada')]) await inbox.add(turn);
        const instead = (person: string, turn: string) => inbox.instead(lane, person, turnId(turn));
        expect(await instead('ada', '1')).toBeUndefined();
        expect(await instead('ada', '2')).toBeUndefined();
        expect(await instead('ada', 'unknown')).toBeUndefined();
        expect(await inbox.instead(laneKey('other'), 'ada', turnId('3'))).toBeUndefined();
        expect(await instead('ada', '3')).toMatchObject({ id: '1' });
        expect(await instead('ada', '3')).toBeUndefined();
        expect(await instead('ben', '2')).toBeUndefined();
        await inbox.settle(running, 'stopped');
        for (const id of ['3', '2', '4']) {
          const next = await claimed();
          expect(next.turn.id).toBe(id);
          expect(await instead('ada', '3')).toBeUndefined();
          await inbox.settle(next, 'answered');
        }
      });

      it('survives a release and a restart', async () => {
        await inbox.add(newTurn('1'));
        await inbox.add(newTurn('2'));
        const claim = await claimed();
        await inbox.interrupt(claim.turn.id, STOP);
        await inbox.release(claim);
        expect(await claimed()).toMatchObject({ turn: { id: '1' }, interruption: STOP });
        inbox = await opened.reopen();
        expect(await claimed()).toMatchObject({ turn: { id: '1' }, interruption: STOP });
        expect(await inbox.claim()).toBeUndefined();
      });
    });

    describe('a postponed turn', () => {
      const DOWN = { agent: agentName('helper'), asked: false };
      const FAILED = { ...DOWN, asked: true };
      const postponed = async (why = DOWN): Promise<Claim> => {
        const claim = await claimed();
        expect(await inbox.postpone(claim, why)).toBe('postponed');
        return claim;
      };

      it('keeps its place and its checkpoint, and is claimed only after it was resumed', async () => {
        await inbox.add(newTurn('1'));
        await inbox.add(newTurn('2'));
        const claim = await claimed();
        await inbox.checkpoint(claim, { phase: 'asking', screen: screen('m1') });
        await inbox.postpone(claim, DOWN);
        expect(await inbox.claim()).toBeUndefined();
        expect(await inbox.find(claim.turn.id)).toMatchObject({ state: 'waiting', postponed: 1 });
        expect(await inbox.counts()).toEqual({ waiting: 2, postponed: 1, running: 0 });
        expect(await inbox.resume(10, [])).toBe(1);
        expect(await inbox.resume(10, [])).toBe(0);
        const again = await claimed();
        expect(again.turn).toMatchObject({
          id: '1',
          attempt: 2,
          postponed: 1,
          phase: 'asking',
          agent: 'helper',
        });
        expect(again.turn.screen).toEqual(screen('m1'));
        await inbox.settle(again, 'answered');
        expect((await claimed()).turn.id).toBe('2');
      });

      it('stays postponed over a restart', async () => {
        await inbox.add(newTurn('1'));
        await postponed();
        inbox = await opened.reopen();
        expect(await inbox.claim()).toBeUndefined();
        expect((await inbox.counts()).postponed).toBe(1);
        await inbox.resume(1, []);
        expect((await claimed()).turn.id).toBe('1');
      });

      it('does not hold up other lanes, and needs no notice', async () => {
        await inbox.add(newTurn('1', 'x'));
        await postponed();
        await inbox.add(newTurn('2', 'y'));
        expect((await claimed()).turn.id).toBe('2');
        opened.advance(1_000);
        const later = ((await inbox.find(turnId('1')))?.keptAt ?? 0) + 1_000;
        expect(await inbox.takeUnannounced({ behind: later, ready: later }, 10)).toEqual([]);
      });

      it('resumes in the order of the questions, at most as many as asked for, without the agents excepted', async () => {
        for (const id of ['1', '2', '3', '4']) {
          await inbox.add(newTurn(id, id));
          await postponed(id === '1' ? { ...DOWN, agent: agentName('other') } : DOWN);
          opened.advance(1);
        }
        expect(await inbox.resume(2, [agentName('other')])).toBe(2);
        expect([(await claimed()).turn.id, (await claimed()).turn.id]).toEqual(['2', '3']);
        expect(await inbox.claim()).toBeUndefined();
        expect(await inbox.resume(10, [])).toBe(2);
        expect([(await claimed()).turn.id, (await claimed()).turn.id]).toEqual(['1', '4']);
      });

      it('resumes after the others if its own request failed', async () => {
        for (const id of ['1', '2']) await inbox.add(newTurn(id, id));
        const [first, second] = [await claimed(), await claimed()];
        opened.advance(10);
        await inbox.postpone(first, FAILED);
        await inbox.postpone(second, DOWN);
        await inbox.resume(1, []);
        expect((await postponed()).turn.id).toBe('2');
        await inbox.resume(2, []);
        opened.advance(10);
        // Postpones both turns again. This time, no request was sent for them, but turn 1 stays behind turn 2, because
        // its earlier request failed.
        for (const claim of [await claimed(), await claimed()]) await inbox.postpone(claim, DOWN);
        await inbox.resume(1, []);
        expect((await claimed()).turn.id).toBe('2');
      });

      it('is claimed at once when it is stopped, and when it was stopped before it was postponed', async () => {
        await inbox.add(newTurn('1', 'x'));
        await postponed();
        expect(await inbox.interrupt(turnId('1'), STOP)).toBe('waiting');
        const stopped = await claimed();
        expect(stopped).toMatchObject({ turn: { id: '1' }, interruption: STOP });
        await inbox.settle(stopped, 'stopped');
        await inbox.add(newTurn('2', 'y'));
        const claim = await claimed();
        await inbox.interrupt(claim.turn.id, STOP);
        await inbox.postpone(claim, DOWN);
        expect(await claimed()).toMatchObject({ turn: { id: '2' }, interruption: STOP });
        expect(await inbox.resume(10, [])).toBe(0);
      });

      it('ends as superseded if its question was edited meanwhile', async () => {
        const asks = (id: string, revision: number) =>
          newTurn(id, 'lane', {
            origin: { kind: 'message', key: 'm', revision },
            message: { ...message('m'), revision },
            messageKey: 'key of m',
          });
        await inbox.add(asks('1', 0));
        const old = await claimed();
        await inbox.supersede(asks('2', 1));
        await inbox.postpone(old, DOWN);
        expect((await inbox.find(turnId('1')))?.state).toBe('superseded');
        await postponed();
        expect(await inbox.supersede(asks('3', 2))).toMatchObject({ kind: 'added' });
        expect((await inbox.find(turnId('2')))?.state).toBe('superseded');
        expect((await claimed()).turn).toMatchObject({ id: '3', reply: '1' });
      });

      it('expires by the age of its question; a later stop outranks that', async () => {
        const signals: InboxSignal[] = [];
        await inbox.add(newTurn('1', 'x'));
        await inbox.add(newTurn('2', 'x'));
        await postponed();
        const keptAt = (await inbox.find(turnId('1')))?.keptAt ?? 0;
        expect(await inbox.expirePostponed(keptAt, [])).toBe(0);
        expect(await inbox.expirePostponed(keptAt + 1, [DOWN.agent])).toBe(0);
        inbox.onSignal((signal) => void signals.push(signal));
        expect(await inbox.expirePostponed(keptAt + 1, [])).toBe(1);
        expect(signals).toContainEqual({ kind: 'claimable' });
        expect(await inbox.resume(10, [])).toBe(0);
        const expired = await claimed();
        expect(expired).toMatchObject({ turn: { id: '1' }, interruption: { kind: 'expired' } });
        await inbox.interrupt(turnId('1'), STOP);
        expect(await inbox.renew(expired)).toEqual(STOP);
        expect(await inbox.settle(expired, 'expired')).toBe('settled');
        expect(await inbox.find(turnId('1'))).toMatchObject({ state: 'expired', message: { text: '' } });
        expect((await claimed()).turn.id).toBe('2');
      });

      it('cannot be postponed by a process that lost its claim', async () => {
        await inbox.add(newTurn('1'));
        const old = await claimed();
        const another = await opened.another();
        await opened.takeOver(another);
        const current = await claimed(another);
        expect(await inbox.postpone(old, DOWN)).toBe('lost');
        expect(await another.renew(current)).toBe('held');
      });
    });

    describe('queries', () => {
      it('return the current turn of a lane', async () => {
        const lane = laneKey('lane');
        expect(await inbox.current(lane)).toBeUndefined();
        await inbox.add(newTurn('1'));
        await inbox.add(newTurn('2'));
        expect((await inbox.current(lane))?.id).toBe('1');
        const claim = await claimed();
        expect(await inbox.current(lane)).toMatchObject({ id: '1', state: 'running' });
        await inbox.settle(claim, 'answered');
        expect((await inbox.current(lane))?.id).toBe('2');
      });

      it('return the running turns of one tenant of one channel, with their screens', async () => {
        const ask = (id: string, channel: string, tenant: string) => {
          const where = { ...thread(id), channel, tenant };
          return inbox.add(newTurn(id, laneOf(where), { message: { ...message(id), thread: where } }));
        };
        const places = [
          ['1', 'slack', 'T1'],
          ['2', 'slack', 'T1'],
          ['3', 'slack', 'T12'],
          ['4', 'teams', 'T1'],
          ['5', 'slack', 'T1'],
        ] as const;
        for (const [id, channel, tenant] of places) await ask(id, channel, tenant);
        const claims = [];
        for (const _ of places) claims.push(await claimed());
        const [first, , , , last] = claims;
        if (first === undefined || last === undefined) throw new Error('nothing was claimed');
        await inbox.checkpoint(first, { screen: screen('m1') });
        await inbox.settle(last, 'answered');
        const running = await inbox.runningIn('slack', 'T1');
        expect(running.map(({ id }) => id)).toEqual(['1', '2']);
        expect(running[0]?.screen).toEqual(screen('m1'));
        expect(await inbox.runningIn('slack', 'T')).toEqual([]);
      });

      it('announce each wait once, with the number of turns ahead', async () => {
        const start = (await addAndFind(inbox, '1')).keptAt;
        await inbox.add(newTurn('2'));
        await inbox.add(newTurn('3'));
        await claimed();
        opened.advance(1_000);
        await inbox.add(newTurn('4', 'another'));
        const all = { behind: start + 1, ready: start + 1 };
        expect(await inbox.takeUnannounced({ behind: start, ready: start }, 10)).toEqual([]);
        const first = await inbox.takeUnannounced(all, 1);
        expect(first.map(({ turn, ahead }) => [turn.id, ahead])).toEqual([['2', 1]]);
        const both = await Promise.all([inbox.takeUnannounced(all, 10), inbox.takeUnannounced(all, 10)]);
        expect(both.flat().map(({ turn, ahead }) => [turn.id, ahead])).toEqual([['3', 2]]);
      });

      it('announce turns that wait behind another and turns that may start, each up to its own time', async () => {
        const start = (await addAndFind(inbox, '1')).keptAt;
        await inbox.add(newTurn('2'));
        await inbox.add(newTurn('3', 'another'));
        const idsOf = async (kept: { behind: number; ready: number }) =>
          (await inbox.takeUnannounced(kept, 10)).map(({ turn, ahead }) => [turn.id, ahead]);
        expect(await idsOf({ behind: start + 1, ready: start })).toEqual([['2', 1]]);
        expect(await idsOf({ behind: start + 1, ready: start + 1 })).toEqual([
          ['1', 0],
          ['3', 0],
        ]);
      });

      it('signal when a turn may be claimed, until the listener is removed', async () => {
        const heard: string[] = [];
        const stop = inbox.onSignal(({ kind }) => void heard.push(kind));
        const listen = async (work: () => Promise<unknown>): Promise<boolean> => {
          heard.length = 0;
          await work();
          return heard.includes('claimable');
        };
        expect(await listen(() => inbox.add(newTurn('1')))).toBe(true);
        const claim = await claimed();
        await inbox.add(newTurn('2'));
        expect(await listen(() => inbox.release(claim))).toBe(true);
        const again = await claimed();
        expect(await listen(() => inbox.settle(again, 'answered'))).toBe(true);
        expect(await listen(() => inbox.interrupt(turnId('2'), STOP))).toBe(true);
        stop();
        expect(await listen(() => inbox.add(newTurn('3', 'another')))).toBe(false);
      });

      it('keep the order of concurrent calls', async () => {
        const done: string[] = [];
        const note = (what: string) => () => void done.push(what);
        await Promise.all([
          inbox.add(newTurn('1')).then(note('add 1')),
          inbox.add(newTurn('2')).then(note('add 2')),
          inbox.claim().then((claim) => done.push(`claim ${claim?.turn.id}`)),
          inbox.claim().then((claim) => done.push(`claim ${claim?.turn.id}`)),
        ]);
        expect(done).toEqual(['add 1', 'add 2', 'claim 1', 'claim undefined']);
      });
    });

    describe('an edited question', () => {
      const asks = (id: string, revision: number, lane = 'lane') =>
        newTurn(id, lane, {
          originKey: `m ${revision}`,
          origin: { kind: 'message', key: 'm', revision },
          message: { ...message('m', `revision ${revision}`), revision },
          messageKey: 'key of m',
        });

      it('Retry is a duplicate while a newer revision is asked, and always if it asks an earlier one', async () => {
        const retry = (id: string, revision: number) => ({
          ...asks(id, revision),
          origin: { kind: 'retry', of: turnId('1'), by: 'u1' } as const,
          originKey: `retry ${id}`,
          follows: turnId('1'),
        });
        await inbox.add(asks('1', 0));
        await inbox.settle(await claimed(), 'partial');
        await inbox.supersede(asks('2', 1));
        expect(await inbox.add(retry('3', 0))).toEqual({ kind: 'duplicate', id: '2' });
        expect(await inbox.add(retry('6', 1))).toEqual({ kind: 'duplicate', id: '2' });
        await inbox.settle(await claimed(), 'partial');
        expect(await inbox.add(retry('4', 0))).toEqual({ kind: 'duplicate', id: '2' });
        expect(await inbox.add(retry('5', 1))).toMatchObject({ kind: 'added' });
      });

      it('that waits is replaced in its place and never shown', async () => {
        await inbox.add(asks('1', 0));
        await inbox.add(newTurn('2'));
        expect(await inbox.supersede(asks('3', 1))).toEqual({ kind: 'added', ahead: 0 });
        expect(await inbox.find(turnId('1'))).toMatchObject({ state: 'superseded', message: { text: '' } });
        expect(await inbox.supersede(asks('4', 2))).toEqual({ kind: 'added', ahead: 0 });
        const claim = await claimed();
        expect(claim.turn).toMatchObject({ id: '4', reply: '1', message: { text: 'revision 2' } });
        await inbox.settle(claim, 'answered');
        expect((await claimed()).turn.id).toBe('2');
      });

      it('that runs is interrupted, learns the reason when it settles, and passes its screen on', async () => {
        const signals: InboxSignal[] = [];
        inbox.onSignal((signal) => void signals.push(signal));
        await inbox.add(asks('1', 0));
        const old = await claimed();
        await inbox.checkpoint(old, { screen: screen('m1') });
        await inbox.supersede(asks('2', 1));
        expect(signals).toContainEqual({ kind: 'interrupted', id: '1', why: { kind: 'superseded' } });
        expect(await inbox.renew(old)).toEqual({ kind: 'superseded' });
        expect(await inbox.claim()).toBeUndefined();
        await inbox.checkpoint(old, { screen: screen('m2') });
        expect(await inbox.settle(old, 'answered')).toBe('superseded');
        expect((await inbox.find(turnId('1')))?.state).toBe('superseded');
        expect((await claimed()).turn).toMatchObject({ id: '2', reply: '1', screen: screen('m2') });
      });

      it('whose running turn is recovered after a crash ends and does not run again', async () => {
        await inbox.add(asks('1', 0));
        const old = await claimed();
        await inbox.checkpoint(old, { screen: screen('m1'), text: { at: 0, text: 'words' } });
        await inbox.supersede(asks('2', 1));
        inbox = await opened.reopen();
        expect((await inbox.find(turnId('1')))?.state).toBe('superseded');
        expect(await claimed()).toMatchObject({ turn: { id: '2', screen: screen('m1') }, text: '' });
        expect(await inbox.claim()).toBeUndefined();
      });

      it('that was answered is followed in the same reply', async () => {
        await inbox.add(asks('1', 0));
        const old = await claimed();
        await inbox.checkpoint(old, { screen: screen('m1') });
        await inbox.settle(old, 'answered');
        await inbox.supersede(asks('2', 1));
        expect(await inbox.find(turnId('1'))).toMatchObject({ state: 'answered' });
        expect((await claimed()).turn).toMatchObject({ id: '2', reply: '1', screen: screen('m1') });
        expect((await inbox.ofMessage('key of m'))?.id).toBe('2');
      });

      it('is stored once, and never replaced by an older revision', async () => {
        expect(await inbox.supersede(asks('0', 1))).toEqual({ kind: 'unknown' });
        expect(await inbox.find(turnId('0'))).toBeUndefined();
        await inbox.add(asks('1', 0));
        await inbox.supersede(asks('2', 2));
        expect(await inbox.supersede(asks('3', 2))).toEqual({ kind: 'duplicate', id: '2' });
        expect(await inbox.supersede(asks('4', 1))).toEqual({ kind: 'duplicate', id: '2' });
        expect(await inbox.add(asks('5', 0))).toEqual({ kind: 'duplicate', id: '1' });
        expect((await claimed()).turn.id).toBe('2');
        expect(await inbox.claim()).toBeUndefined();
      });

      it('is not added beside its question, which another replica may have stored meanwhile', async () => {
        expect(await inbox.supersede(asks('2', 1))).toEqual({ kind: 'unknown' });
        await inbox.add(asks('1', 0));
        expect(await inbox.add(asks('2', 1))).toEqual({ kind: 'duplicate', id: '1' });
        expect(await inbox.supersede(asks('2', 1))).toMatchObject({ kind: 'added' });
        expect((await claimed()).turn.id).toBe('2');
        expect(await inbox.claim()).toBeUndefined();
      });

      it('counts against the limit of the lane, but not twice', async () => {
        await inbox.add(asks('1', 0));
        await inbox.add(newTurn('2'));
        await inbox.add(newTurn('3'));
        expect((await inbox.supersede(asks('4', 1))).kind).toBe('added');
        await inbox.settle(await claimed(), 'answered');
        await inbox.add(newTurn('5'));
        expect(await inbox.supersede(asks('6', 2))).toEqual({ kind: 'full', waiting: 3 });
      });
    });

    describe('a deleted question', () => {
      const asks = (id: string) => newTurn(id, 'lane', { messageKey: 'key of m' });
      const takes = (newest: Turn) =>
        newTurn(`taking ${newest.id}`, `beside ${newest.id}`, {
          origin: { kind: 'withdraw', of: newest.id, key: 'k' },
        });
      const withdraw = () => inbox.withdraw('key of m', takes);
      const WITHDRAWN = { kind: 'withdrawn' };

      it('that waits is claimed at once to remove its reply', async () => {
        await inbox.add(newTurn('1'));
        await claimed();
        await inbox.add(asks('2'));
        expect(await withdraw()).toBe(1);
        const claim = await claimed();
        expect(claim).toMatchObject({ turn: { id: '2' }, interruption: WITHDRAWN });
        expect(await inbox.settle(claim, 'withdrawn')).toBe('settled');
      });

      it('that runs is interrupted; a settlement that arrives too late has no effect', async () => {
        await inbox.add(asks('1'));
        const claim = await claimed();
        await inbox.interrupt(claim.turn.id, STOP);
        expect(await withdraw()).toBe(1);
        expect(await inbox.renew(claim)).toEqual(WITHDRAWN);
        expect(await inbox.settle(claim, 'answered')).toBe('withdrawn');
        const again = await claimed();
        expect(again).toMatchObject({ turn: { id: '1', attempt: 2 }, interruption: WITHDRAWN });
        expect(await inbox.settle(again, 'withdrawn')).toBe('settled');
      });

      it('that was answered gets a turn that removes the reply, once', async () => {
        await inbox.add(asks('1'));
        const claim = await claimed();
        await inbox.checkpoint(claim, { screen: screen('m1') });
        await inbox.settle(claim, 'answered');
        expect(await withdraw()).toBe(1);
        expect(await withdraw()).toBe(0);
        const taking = await claimed();
        expect(taking.turn).toMatchObject({ id: 'taking 1', reply: '1', screen: screen('m1') });
        await inbox.settle(taking, 'withdrawn');
        expect(await withdraw()).toBe(0);
        expect(await inbox.claim()).toBeUndefined();
      });

      it('is not asked if it arrives after its deletion, nor in a newer revision', async () => {
        expect(await withdraw()).toBe(0);
        expect(await inbox.add(asks('1'))).toEqual(WITHDRAWN);
        expect(await inbox.supersede(asks('2'))).toEqual(WITHDRAWN);
        expect(await inbox.claim()).toBeUndefined();
        opened.advance(1_000);
        await inbox.prune(Number.MAX_SAFE_INTEGER);
        expect((await inbox.add(asks('3'))).kind).toBe('added');
      });
    });

    it('only one turn of a reply is claimed at a time, in any lane, and the newest screen counts', async () => {
      await inbox.add(newTurn('1'));
      const first = await claimed();
      await inbox.checkpoint(first, { screen: screen('m1') });
      await inbox.settle(first, 'answered');
      await inbox.add(newTurn('2', 'lane', { follows: turnId('1') }));
      await inbox.add(newTurn('3', 'beside', { follows: turnId('2') }));
      const second = await claimed();
      expect(second.turn).toMatchObject({ id: '2', reply: '1', screen: screen('m1') });
      expect(await inbox.claim()).toBeUndefined();
      await inbox.checkpoint(second, { screen: screen('m2') });
      await inbox.settle(second, 'answered');
      const third = await claimed();
      expect(third.turn).toMatchObject({ id: '3', reply: '1', screen: screen('m2') });
      await inbox.checkpoint(third, { screen: screen('m3') });
      await inbox.settle(third, 'answered');
      expect((await inbox.newestOfReply(turnId('1')))?.id).toBe('3');
      await inbox.add(newTurn('4', 'lane', { follows: turnId('2') }));
      expect((await claimed()).turn.screen).toEqual(screen('m3'));
    });

    it('returns the screens of a lane’s waiting, running and recently ended turns', async () => {
      for (const id of ['1', '2', '3']) await inbox.add(newTurn(id));
      await inbox.add(newTurn('4', 'other lane'));
      const show = async (): Promise<Claim> => {
        const claim = await claimed();
        await inbox.checkpoint(claim, { screen: screen(`m${claim.turn.id}`) });
        return claim;
      };
      await inbox.settle(await show(), 'answered');
      await inbox.settle(await show(), 'answered');
      await show();
      await show();
      const ids = async (since: number) =>
        (await inbox.screensIn(laneKey('lane'), since))
          .map(({ reply, screen: { parts } }) => `${reply} ${parts[0]?.id}`)
          .toSorted();
      expect(await ids(0)).toEqual(['1 m1', '2 m2', '3 m3']);
      expect(await ids(Number.MAX_SAFE_INTEGER)).toEqual(['3 m3']);
    });

    it('writes are refused after the inbox was closed', async () => {
      const last = inbox.add(newTurn('1'));
      await inbox.close();
      expect(await last).toEqual({ kind: 'added', ahead: 0 });
      await expect(inbox.add(newTurn('2'))).rejects.toMatchObject({ code: 'store-unavailable' });
    });
  });
}

/** Returns a turn whose lane and tenant no other turn has. */
const inTenant = (id: string): NewTurn =>
  newTurn(id, `lane ${id}`, { message: { ...message(id), thread: { ...thread(id), tenant: `T${id}` } } });

async function claimAll(inbox: Inbox, limit: number): Promise<readonly Claim[]> {
  const claims: Claim[] = [];
  while (claims.length < limit) {
    const claim = await inbox.claim();
    if (claim === undefined) break;
    claims.push(claim);
  }
  return claims;
}

async function addAndFind(inbox: Inbox, id: string) {
  await inbox.add(newTurn(id));
  const turn = await inbox.find(turnId(id));
  if (turn === undefined) throw new Error('not kept');
  return turn;
}

function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length <= 1) return [items];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}
