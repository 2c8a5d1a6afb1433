/** Checks how the channel passes events to the bridge. */

import { systemClock } from '../clock.ts';
import { originKey } from '../core/message.ts';
import type { Delivered, Rig, RigQuestion } from '../kit/rig.ts';
import type { Intake } from '../kit.ts';
import { type Check, lacks } from './check.ts';
import { LETTERS } from './content.ts';
import { type AcceptedEvent, REFUSAL } from './host.ts';
import { inTime, seen } from './limits.ts';
import type { Stage } from './stage.ts';
import { expectSame, expectTrue, plainOf, Violation } from './violation.ts';

type Ask = Extract<Intake, { kind: 'ask' }>;

/** Time, in milliseconds, after which a check concludes that a message does not become a question. */
const QUIET_MS = 500;
const DAY_MS = 24 * 60 * 60_000;
/** Time between two questions of one person, in milliseconds. */
const APART_MS = 40;

export const intake: readonly Check[] = [
  {
    id: 'intake.question',
    proves: 'A question reaches the bridge whole, once, with its person and its thread',
    async run(stage) {
      const first = await asks(stage);
      const { name } = stage.adapter;
      const { thread, sender, id, revision, sentAt } = first.message;
      expectSame('The thread does not name this channel.', thread.channel, name);
      for (const [member, value] of Object.entries({ ...thread, 'sender.id': sender.id, 'message.id': id }))
        expectTrue(
          `The property "${member}" is not a text, or empty.`,
          typeof value === 'string' && value !== '',
          'a text',
          value,
        );
      expectSame('The revision of a new message is not 0.', revision, 0);
      const now = systemClock.now();
      const isToday = Math.abs(now - sentAt) < DAY_MS;
      expectTrue('"sentAt" is not the time in milliseconds since the epoch.', isToday, now, sentAt);
      expectSame('A person counts as a bot.', sender.standing === 'bot', false);
    },
  },
  {
    id: 'intake.threads',
    proves: 'People and threads can be distinguished: two people have two ids, two threads have two keys',
    async run(stage) {
      const question = stage.question();
      const first = await asks(stage, question);
      const second = await asks(stage, stage.question({ thread: question.thread, person: 'ben' }));
      const other = await asks(stage);
      expectSame(
        'Two questions of one thread have different threads.',
        second.message.thread,
        first.message.thread,
      );
      expectTrue(
        'Two people have the same id.',
        first.message.sender.id !== second.message.sender.id,
        'two ids',
        first.message.sender.id,
      );
      expectTrue(
        'A thread in which two people write is "direct", so an answer there would use the rights of one of them.',
        first.message.thread.kind !== 'direct',
        '"room" or "group"',
        first.message.thread.kind,
      );
      const [one, another] = [first, other].map(
        ({ message: { thread } }) => `${thread.tenant} ${thread.room} ${thread.key}`,
      );
      expectTrue('Questions of two threads have the same thread.', one !== another, 'two threads', one);
      expectTrue(
        'Two messages have the same id.',
        first.message.id !== other.message.id,
        'two ids',
        other.message.id,
      );
    },
  },
  {
    id: 'intake.namesakes',
    proves: 'Two people with the same name have two ids',
    missing: lacks('namesake'),
    async run(stage) {
      const [ada, twin] = [await asks(stage), await asks(stage, stage.question({ person: 'twin' }))];
      const ids = [ada, twin].map(({ message }) => message.sender.id);
      expectTrue('Two people with the same name have the same id.', ids[0] !== ids[1], 'two ids', ids);
    },
  },
  {
    id: 'intake.letters',
    proves: 'A question arrives with every letter of every script, to its last letter',
    async run(stage) {
      const { key, ...question } = stage.question();
      const text = `${key} ${LETTERS}`;
      const { message } = await asks(stage, { ...question, key, text });
      const [due, found] = [plainOf(text), plainOf(message.text)];
      expectTrue('The question lost letters on its way to the bridge.', found.includes(due), due, found);
    },
  },
  {
    id: 'intake.order',
    proves: 'Questions that a person sends one after another arrive in this order',
    async run(stage) {
      const { thread } = stage.question();
      // The first question of a thread may have to wait for the thread.
      await asks(stage, stage.question({ thread }));
      const questions = [1, 2, 3].map(() => stage.question({ thread }));
      const deliveries = questions.map(async (question, at) => {
        await systemClock.wait(at * APART_MS);
        return deliver(stage, question);
      });
      await Promise.all(deliveries);
      for (const question of questions) await stage.eventsOf(question);
      const events = stage.host.taken.flatMap((event) => questions.findIndex((each) => isAbout(event, each)));
      const order = [...new Set(events.filter((index) => index >= 0))];
      expectSame('The questions arrived in another order than they were sent.', order, [0, 1, 2]);
    },
  },
  {
    id: 'intake.acknowledged-after-stored',
    proves: 'A question is acknowledged only after the bridge has stored it',
    async run(stage) {
      const question = stage.question();
      stage.host.behavior = 'slow';
      const { acknowledged } = await deliver(stage, question);
      const isStored = stage.host.taken.some((each) => each.isStored && isAbout(each, question));
      expectTrue(
        'The channel acknowledged the question before "intake" had resolved. A crash at that moment loses the question.',
        acknowledged !== true || isStored,
        'an acknowledgement after "intake" has resolved',
        'an acknowledgement before',
      );
      const [taken] = await stage.eventsOf(question);
      expectTrue('The question did not reach the bridge.', taken !== undefined, 'a call of "intake"', 'none');
    },
  },
  {
    id: 'intake.store-fails',
    proves:
      'A question that the bridge could not store is not lost: it is not acknowledged, or the person reads that it was not stored',
    async run(stage) {
      const question = stage.question();
      stage.host.behavior = 'fails';
      const { acknowledged } = await deliver(stage, question);
      const [taken] = await stage.eventsOf(question);
      expectTrue('The question did not reach the bridge.', taken !== undefined, 'a call of "intake"', 'none');
      if (acknowledged === false) return;
      const texts = await seen(async () => nonEmpty(await toldOf(stage, question)));
      stage.host.behavior = 'keeps';
      const again =
        texts ??
        (await seen(() => stage.host.taken.find((each) => each.isStored && isAbout(each, question))));
      expectTrue(
        'The bridge could not store the question. The channel acknowledged it, and the person read nothing.',
        again !== undefined,
        'no acknowledgement, or a sentence to the person',
        { acknowledged, told: texts },
      );
    },
  },
  {
    id: 'intake.refused',
    proves: 'When the bridge refuses a question, the person reads why',
    missing: lacks('told'),
    async run(stage) {
      const question = stage.question();
      stage.host.behavior = 'refuses';
      await deliver(stage, question);
      const isTold = await seen(async () =>
        (await toldOf(stage, question)).some((each) => each.includes(REFUSAL)) ? true : undefined,
      );
      expectTrue(
        'The person did not read why the question was refused.',
        isTold === true,
        REFUSAL,
        await toldOf(stage, question),
      );
    },
  },
  {
    id: 'intake.repeated',
    proves: 'An event that the chat sends twice counts as one question in the bridge',
    missing: lacks('repeat'),
    async run(stage) {
      const question = stage.question();
      const first = await asks(stage, question);
      await inTime('"repeat"', async () => stage.rig.repeat?.(question));
      await settle(stage);
      const events = await stage.eventsOf(question);
      const keys = new Set(events.map(({ event }) => (event.kind === 'ask' ? keyOf(event) : event.kind)));
      expectSame(
        'The repeated event has a different origin, so the agent would be asked twice.',
        [...keys],
        [keyOf(first)],
      );
    },
  },
  {
    id: 'intake.edited',
    proves: 'An edited question reaches the bridge as an edit of the same message, with a higher revision',
    missing: lacks('edit'),
    async run(stage) {
      const question = stage.question();
      const first = await asks(stage, question);
      const text = `How long is a parking permit valid? (${question.key})`;
      await inTime('"edit"', async () => stage.rig.edit?.(question, text));
      const edit = await seen(() => stage.host.taken.map(({ event }) => event).find(isEditOf(question)));
      if (edit === undefined)
        throw new Violation('The edit did not reach the bridge.', 'an event "edit"', kindsOf(stage));
      expectSame('The edit does not name the message of the question.', edit.message.id, first.message.id);
      expectSame(
        'The edit does not name the thread of the question.',
        edit.message.thread,
        first.message.thread,
      );
      expectTrue(
        'The revision of the edit is not higher than that of the question.',
        edit.message.revision > 0,
        'at least 1',
        edit.message.revision,
      );
      expectTrue(
        'The edit does not contain the new text.',
        edit.message.text.includes('parking permit'),
        text,
        edit.message.text,
      );
    },
  },
  {
    id: 'intake.deleted',
    proves: 'If a question is deleted, the bridge gets a deletion with the id of the question',
    missing: lacks('remove'),
    async run(stage) {
      const question = stage.question();
      const { message } = await asks(stage, question);
      await inTime('"remove"', async () => stage.rig.remove?.(question));
      const isIt = (event: Intake) => event.kind === 'delete' && event.message === message.id;
      const found = await seen(() => stage.host.taken.map(({ event }) => event).find(isIt));
      expectTrue(
        'The deletion did not reach the bridge.',
        found !== undefined,
        `an event "delete" for ${message.id}`,
        kindsOf(stage),
      );
    },
  },
  {
    id: 'intake.own-message',
    proves: 'A message that the app itself wrote is not a question',
    missing: lacks('echo'),
    async run(stage) {
      const question = stage.question();
      await inTime('"echo"', async () => stage.rig.echo?.(question));
      await settle(stage);
      const events = await stage.eventsOf(question, QUIET_MS);
      expectSame(
        'A message of the app became a question, so the app would answer itself without end.',
        events.map(({ event }) => event.kind),
        [],
      );
    },
  },
];

async function deliver({ rig }: Stage, question: RigQuestion): Promise<Delivered> {
  return (await inTime('"say"', () => rig.say(question))) ?? {};
}

/**
 * Asks a question, and returns the event that reached the bridge. A chat may send several events for one message, for
 * example one for the mention and one for the message; these events must have the same origin.
 */
async function asks(stage: Stage, question = stage.question()): Promise<Ask> {
  const { acknowledged } = await deliver(stage, question);
  const isLate = 'A question that the bridge stored was not acknowledged.';
  expectTrue(isLate, acknowledged !== false, 'true', acknowledged);
  const events = (await stage.eventsOf(question)).map(({ event }) => event);
  const [event] = events;
  const origins = new Set(events.map((each) => (each.kind === 'ask' ? keyOf(each) : each.kind)));
  if (event?.kind !== 'ask' || origins.size !== 1)
    throw new Violation(
      'A question must reach the bridge once.',
      `one event "ask" with "${question.text}"`,
      events,
    );
  return event;
}

/** Waits until events that are still on their way have arrived. It asks another question, which arrives after them. */
const settle = (stage: Stage): Promise<unknown> => asks(stage);

const isAbout = ({ event }: AcceptedEvent, { key }: RigQuestion): boolean =>
  event.kind === 'ask' && event.message.text.includes(key);

const isEditOf =
  ({ key }: RigQuestion) =>
  (event: Intake): event is Extract<Intake, { kind: 'edit' }> =>
    event.kind === 'edit' && event.message.text.includes(key);

const keyOf = ({ message, origin }: Ask): string => originKey(message.thread, origin);
const kindsOf = ({ host }: Stage): readonly string[] => host.taken.slice(-3).map(({ event }) => event.kind);
const nonEmpty = (texts: readonly string[]) => (texts.length === 0 ? undefined : texts);

async function toldOf({ rig }: { readonly rig: Rig }, question: RigQuestion): Promise<readonly string[]> {
  return inTime('"told"', async () => (await rig.told?.(question)) ?? []);
}
