/**
 * The bridge runs as a process. It is killed while replies are at every stage, killed at random moments, and asked to
 * stop (F31, F32). Each question has one terminal reply after the restart.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogue } from '../../src/errors.ts';
import type { Breach } from '../fakes/history/breach.ts';
import { recordOf } from '../fakes/history/history.ts';
import { type House, openHouse } from '../fakes/history/house.ts';
import { restart, sendAgain } from '../fakes/history/restart.ts';
import { questionOf } from '../fakes/history/saying.ts';
import { type Asked, nextId, openScene, type Scene, until } from '../fakes/history/scene.ts';
import { settled } from '../fakes/history/settled.ts';
import { seeded } from '../fakes/seeded.ts';
import { type FakePerson, type Fault, visibleText } from '../fakes/slack/index.ts';
import { controlOf } from '../unit/slack/controls.ts';
import { breachesOf } from './breaches.ts';
import { killAt, type Stage, type Stages } from './stages.ts';

const RUN_MS = 300_000;
/**
 * Maximum time from the restart to the terminal reply, in milliseconds. The contract allows 30 s, which the test does
 * not measure, because other tests run beside it; `npm run test:faults` prints the times.
 */
const TERMINAL_MS = 90_000;
const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 2 ** 31);

const STREAMED = ['chat.startStream', 'chat.appendStream', 'chat.stopStream', 'agents.sessions.setStatus'];
const EDITED = ['chat.postMessage', 'chat.update'];
const NO_STREAMS: Fault = { kind: 'error', error: 'unknown_method', method: 'chat.startStream' };

/** Number of workspaces. Each scene has its own. */
const TENANTS = 13;

let house: House;
let opened = 0;
let checkStage: (name: string) => unknown;

function scene(): Scene {
  opened += 1;
  return openScene(house, opened - 1);
}

const read = (where: Scene, asked: Asked): string => where.replies(asked).map(visibleText).join('\n');
const askingsOf = ({ id }: Pick<Asked, 'id'>) => house.platform.askings.filter((asking) => asking.id === id);

/** Ids of questions that were asked in forms. The checker does not know them. */
const inForms = new Set<string>();
const counts = ({ where }: Breach): boolean => !inForms.has(where);

/** Acknowledge, claim, asking, start, append, stop, post, edit, sources, and a question that waits. */
async function everyStep(): Promise<Stage> {
  const [streams, edits, strangers] = [scene(), scene(), scene()];
  const held: Asked[] = [];
  const release = ({ id }: Asked) => house.platform.release(id);
  const staged = (where: Scene, saying = {}) => where.ask(where.room(), { ms: 1_000, ...saying });
  /** Holds the answer back until the fault has hit, because an answer that arrives at once needs fewer calls. */
  const failing = async (where: Scene, fault: Fault) => {
    const room = where.room();
    where.plant({ channel: room.id, ...fault });
    const asked = where.ask(room, { ms: 1_000, held: true });
    held.push(asked);
    // A stream is stopped only once its answer is complete.
    if (fault.method === 'chat.stopStream') await where.begun(asked).then(() => release(asked));
  };
  // The hits of this fault are not counted below, because no stream is requested once the error is known.
  house.slack.plant({ ...NO_STREAMS, team: edits.workspace.id, count: 1_000 });
  // With `timeout`, the fake ignores the call; with `hang`, it performs the call without a response.
  const failures = (['timeout', 'hang'] as const).flatMap((kind) => {
    const last = staged(edits, { ms: 2_000 });
    // This fault usually hits the last edit. It is not waited for, because a busy machine may make only one edit.
    house.slack.plant({ channel: last.room.id, kind, method: 'chat.update', after: 1 });
    return [
      ...STREAMED.map((method) => failing(streams, { kind, method })),
      ...EDITED.map((method) => failing(edits, { kind, method })),
    ];
  });
  strangers.plant({ kind: 'timeout', method: 'users.info' });
  staged(strangers);
  staged(streams, { silentMs: 60_000 });
  const running = staged(streams, { ms: 60_000, everyMs: 1_000, chars: 4_000 });
  streams.ask(running.room, { ms: 300 }, { thread: running.message.ts });
  const sourced = streams.ask(streams.room(), { ms: 300, source: true }, { agent: 'librarian' });
  await until('the answer with late sources is whole', () => read(streams, sourced).includes('The end of'));
  await Promise.all(failures);
  const all = [streams, edits, strangers];
  await until('every call hangs', () => all.flatMap((each) => each.hits()).every((hits) => hits > 0));
  return {
    async last() {
      // At the kill, the event was received but not acknowledged, or acknowledged but not claimed.
      staged(streams);
      for (const asked of held) release(asked);
    },
    check() {
      const teams = all.map(({ workspace }) => workspace.id);
      const { questions } = recordOf(house);
      expect(questions.filter(({ team }) => teams.includes(team))).toHaveLength(20);
    },
  };
}

/**
 * Delay of a pending call to Slack, in milliseconds. The call takes effect long after the next process has removed the
 * hourglass, which is the reaction on a waiting question.
 */
const LATE_MS = 9_000;

/** None stays, not even one that Slack adds after the restart. */
async function hourglass(): Promise<Stage> {
  const own = scene();
  const putIn = ({ id }: Asked['room']) =>
    house.slack.log.calls.some(({ channel, method }) => channel === id && method === 'reactions.add');
  /** Asks a question and a second one that waits for it. The fault hits the calls for the hourglass. */
  const waits = async (fault: Fault, { ms, ends }: { ms: number; ends: boolean }): Promise<Asked> => {
    const room = own.room();
    own.plant({ channel: room.id, ...fault });
    const root = own.ask(room, { ms: 300, held: true });
    await own.begun(root);
    const waiting = own.ask(room, { ms, everyMs: 500, chars: 400 }, { thread: root.message.ts });
    await until('the hourglass is put', () => putIn(room));
    if (ends) house.platform.release(root.id);
    return waiting;
  };
  const [answered] = await Promise.all([
    waits({ kind: 'timeout', method: 'reactions.remove' }, { ms: 300, ends: true }),
    waits({ kind: 'timeout', method: 'reactions.remove' }, { ms: 60_000, ends: true }),
    waits({ kind: 'hang', method: 'reactions.add' }, { ms: 300, ends: false }),
    waits({ kind: 'slow', ms: LATE_MS, method: 'reactions.add' }, { ms: 300, ends: false }),
  ]);
  await until('every call hangs', () => own.hits().every((hits) => hits > 0));
  await until('one is answered', () => read(own, answered).includes(`end of canary=${answered.id}`));
  return {
    async check() {
      const put = () => house.slack.log.calls.filter(({ method }) => method === 'reactions.add');
      await until('the last hourglass is put', () => put().every(({ doneAt }) => doneAt !== undefined));
      await until('no question is marked any more', () =>
        recordOf(house).questions.every(({ waits: marked }) => !marked),
      );
    },
  };
}

/** The next process sends it. */
async function refusal(): Promise<Stage> {
  const own = scene();
  own.plant({ kind: 'timeout', method: 'chat.postEphemeral' });
  own.person.mentions(own.room(), '');
  await until('the note is on its way', () => own.hits()[0] === 1);
  const notes = () =>
    house.slack.log.calls.filter(
      ({ team, method, answer }) =>
        team === own.workspace.id && method === 'chat.postEphemeral' && answer?.ok,
    );
  return {
    async check() {
      await until('who asked is told', () => notes().length > 0);
      expect(notes().map(({ args }) => args.text)).toEqual([catalogue['question-empty'].tellUser]);
    },
  };
}

/** The press was just acknowledged. The next process asks again. */
async function press(): Promise<Stage> {
  const own = scene();
  const failed = own.ask(own.room(), { ms: 400, cutAt: 200 });
  const answered = own.ask(own.room(), { ms: 400 });
  const controls = [
    [failed, 'reply:retry'],
    [answered, 'reply:regenerate'],
  ] as const;
  const controlIn = (asked: Asked, kind: string) => {
    const message = own.replies(asked).find(({ blocks }) => controlOf(blocks, kind));
    const control = controlOf(message?.blocks, kind);
    return message && control && { message, control };
  };
  for (const [asked, kind] of controls) await until(`${kind} is offered`, () => controlIn(asked, kind));
  let before: readonly number[] = [];
  return {
    async last() {
      own.plant({ kind: 'rate', method: 'conversations.replies', retryAfter: 10, count: 100 });
      const presses = controls.map(([asked, kind]) => {
        const found = controlIn(asked, kind);
        if (found === undefined) throw new Error(`${kind} is not offered any more`);
        return own.person.presses(found.message, found.control);
      });
      await until('both presses are acknowledged', () =>
        presses.every(({ attempts }) => attempts.some(({ status }) => status === 200)),
      );
      // 3 s after a press whose question Slack does not tell, the bridge asks its own copy. On a busy machine, the kill
      // may come later than that; the question is then asked again only if its answer had not begun.
      before = controls.map(([asked]) => askingsOf(asked).length);
    },
    async check() {
      await until('both questions are asked again', () =>
        controls.every(([asked]) => askingsOf(asked).length > 1),
      );
      for (const [at, [asked]] of controls.entries())
        expect(askingsOf(asked).length, `asked ${before[at]} times before the kill`).toBeLessThanOrEqual(
          Math.max(2, (before[at] ?? 0) + 1),
        );
    },
  };
}

/** The form was just acknowledged. The next process asks its question. */
async function form(): Promise<Stage> {
  const own = scene();
  const { person: asker } = own;
  const other = own.workspace.person({ name: 'jo' });
  const said = other.says(own.room({ members: [asker.id, other.id] }), 'Lunch at noon.');
  asker.uses('ask_about', said);
  other.uses('ask_anywhere');
  const viewOf = (person: FakePerson) => person.views().at(-1);
  await until('both forms are open', () => viewOf(asker) && viewOf(other));
  const ids = [asker, other].map(() => nextId());
  const askings = () => ids.map((id) => askingsOf({ id }).length);
  return {
    async last() {
      own.plant({ kind: 'timeout', method: 'chat.postEphemeral' });
      own.plant({ kind: 'timeout', method: 'chat.postMessage', channel: other.id });
      for (const [at, person] of [asker, other].entries()) {
        const view = viewOf(person);
        const id = ids[at];
        if (view === undefined || id === undefined) throw new Error('the form is closed');
        inForms.add(id);
        const value = questionOf({ id, ms: 400, everyMs: 50, chars: 300 });
        void person.submits(view, { question: { question: { type: 'plain_text_input', value } } });
      }
      // Slack closes a form when the bridge acknowledges it.
      await until('both forms are acknowledged', () => !viewOf(asker) && !viewOf(other));
      expect(askings()).toEqual([0, 0]);
    },
    async check() {
      await until('both questions are asked', () => askings().every((length) => length > 0));
      for (const [at, { id }] of [{ id: said.channel }, other.dm()].entries()) {
        const shown = () => house.slack.messages(id).map(visibleText).join('\n');
        await until('both are answered', () => shown().includes(`canary=${ids[at]}`));
      }
      expect(askings()).toEqual([1, 1]);
    },
  };
}

const button = 'reply:instead';

/** The question is answered once, the stopped text stays, no note stays. */
async function instead(fault: Fault & { readonly method: string }): Promise<Stage> {
  const own = scene();
  if (fault.method === 'chat.update')
    house.slack.plant({ ...NO_STREAMS, team: own.workspace.id, count: 1_000 });
  const by = fault.method === 'users.info' ? own.workspace.person() : own.person;
  const room = own.room({ members: [own.person.id, by.id] });
  const running = own.ask(room, { ms: 60_000, everyMs: 1_000, chars: 6_000 });
  await own.begun(running);
  const waiting = own.ask(room, { ms: 500, chars: 300 }, { thread: running.message.ts, by });
  const note = () =>
    house.slack
      .messages(room.id)
      .find(({ onlyFor, blocks }) => onlyFor === by.id && controlOf(blocks, button));
  await until('the note stands', note);
  return {
    async last() {
      const found = note();
      const control = controlOf(found?.blocks, button);
      if (found === undefined || control === undefined) throw new Error('the note is gone');
      // The look-up of a person names no channel.
      own.plant({ ...fault, ...(fault.method !== 'users.info' && { channel: room.id }), count: 10 });
      const presses = [by.presses(found, control)];
      const attempts = () => presses.flatMap((each) => each.attempts);
      const isAcknowledged = () => {
        const { status = 0, ms = 0 } = attempts().at(-1) ?? {};
        // Slack sends a press once. If the bridge is too busy, people see an error and press again.
        if (status !== 200 && ms > 0) presses.push(by.presses(found, control));
        return status === 200;
      };
      await until('the press is acknowledged', isAcknowledged, TERMINAL_MS, attempts);
      await until('the call hangs', () => own.hits().every((hits) => hits > 0));
    },
    async check() {
      expect(read(own, waiting).split(`end of canary=${waiting.id}`)).toHaveLength(2);
      expect(read(own, running)).toContain(`Point 1 of canary=${running.id}`);
      await until('the note is gone', () => note() === undefined, TERMINAL_MS);
    },
  };
}

const FORM = 'right after a form is acknowledged, while Slack does not answer';

const stages: Stages = {
  'at every step of a reply': everyStep,
  'while an hourglass is added or removed': hourglass,
  'while a refusal notice is being sent': refusal,
  'right after a press is acknowledged, while Slack limits reading the question': press,
  'after Ask this instead, while the bridge looks up who pressed': () =>
    instead({ kind: 'timeout', method: 'users.info' }),
  'after Ask this instead, while it ends the stream of the running answer': () =>
    instead({ kind: 'hang', method: 'chat.stopStream' }),
  'after Ask this instead, while it shows that the running answer is stopped': () =>
    instead({ kind: 'timeout', method: 'chat.update' }),
};

beforeAll(async () => {
  house = await openHouse({ tenants: TENANTS, bridge: 'process', seed });
  // The forms open first, because Slack lets the bridge open one only within 3 s, and the other stages keep it busy.
  const forms = await form();
  checkStage = await killAt({ ...stages, [FORM]: async () => forms }, () => restart(house));
  await settled(house, TERMINAL_MS, counts);
}, RUN_MS);
afterAll(() => house?.close(), RUN_MS);

test.each([FORM, ...Object.keys(stages)])(
  'F32 kill -9 %s',
  async (name) => void (await checkStage(name)),
  RUN_MS,
);

const ROUNDS = 3;

test(
  `F32 kill -9 in ${ROUNDS} rounds at random moments, seed ${seed}`,
  async () => {
    const random = seeded(seed);
    const [streams, edits] = [scene(), scene()];
    edits.plant(NO_STREAMS);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const each of [streams, edits]) {
        const root = each.ask(each.room(), { ms: 800 });
        each.ask(root.room, { ms: 300, chars: 400 }, { thread: root.message.ts });
        each.ask(each.room(), { ms: 1_200, chars: 2_000 });
      }
      await pause(random() * 1_800);
      await restart(house);
    }
    await settled(house, TERMINAL_MS, counts);
    expect(await breachesOf(house, seed, counts)).toEqual([]);
  },
  RUN_MS,
);

test(
  'F31 SIGTERM: new events wait for the next process, answers get 20 s, then they are partial or asked again',
  async () => {
    const own = scene();
    const long = own.ask(own.room(), { ms: 60_000, everyMs: 1_000, chars: 6_000 });
    const silent = own.ask(own.room(), { silentMs: 60_000, ms: 500 });
    const short = own.ask(own.room(), { ms: 3_000 });
    await own.begun(long);
    await until('the platform is asked', () => [long, silent, short].every((each) => askingsOf(each).length));
    const told = Date.now();
    const stopped = house.life().stop();
    await until('it is told to stop', () => house.life().log().includes('stopping: '));
    const late = own.ask(own.room(), { ms: 300 });
    await until('it is refused', () =>
      house.slack.deliveries.some(({ attempts }) =>
        attempts.some(({ status, at }) => status === 503 && at >= told),
      ),
    );
    await stopped;
    // Running answers get 20 s. The whole answer would take 60 s, so it is partial.
    expect(read(own, long)).toMatch(/\(Reference [0-9a-f]{8}\)/);
    expect(read(own, short)).toContain(`end of canary=${short.id}`);
    expect([silent, late].map((asked) => read(own, asked))).toEqual(['', '']);
    await house.start();
    await sendAgain(house);
    await settled(house, TERMINAL_MS, counts);
    for (const asked of [silent, late]) expect(read(own, asked)).toContain(`end of canary=${asked.id}`);
  },
  RUN_MS,
);

test('the whole history keeps the contract', async () => {
  expect(await breachesOf(house, seed, counts)).toEqual([]);
});
