/** Checks how a press on a control of a reply reaches the bridge, and who may press. */

import type { KeptReply } from '../kit/ladder.ts';
import type { RigPerson } from '../kit/rig.ts';
import { type ActionName, type Intake, isFinal, type ThreadRef } from '../kit.ts';
import type { Check } from './check.ts';
import { BARRED } from './host.ts';
import { inTime, seen } from './limits.ts';
import { begin, type Play } from './play.ts';
import type { Stage } from './stage.ts';
import { expectSame, expectTrue, Violation } from './violation.ts';

const SUGGESTION = 'And how long is a parking permit valid?';
/** Time, in milliseconds, after which a check concludes that a refused press does not reach the bridge. */
const QUIET_MS = 500;

/** Kind of the event that a press on each action must cause. Actions without a kind cause no event. */
const events: Readonly<Partial<Record<ActionName, Intake['kind']>>> = {
  stop: 'stop',
  retry: 'ask',
  regenerate: 'ask',
  show: 'show',
  suggestion: 'ask',
  agent: 'ask',
  mine: 'ask',
  feedback: 'feedback',
};

const BARS = ['barred', 'barredFromAgent'] as const;

const details: Partial<Record<ActionName, string>> = {
  suggestion: SUGGESTION,
  agent: 'helper',
  feedback: 'up',
  show: '1',
};

/**
 * Actions that ask a new question with each press, so the state of the reply does not show whether a press is a
 * repetition. For the other actions, it does.
 */
const ASKING: readonly ActionName[] = ['suggestion', 'agent', 'mine'];

export const missing: NonNullable<Check['missing']> = ({ press, actions }) => {
  if (press === undefined || actions === undefined) return 'the rig has no "press" with "actions"';
  return actions.some((action) => events[action] !== undefined)
    ? undefined
    : 'the rig cannot press any action that causes an event';
};

export const actions: readonly Check[] = [
  {
    id: 'actions.press',
    proves: 'A press reaches the bridge with the person who pressed and the thread of the reply',
    missing,
    async run(stage) {
      for (const action of pressed(stage)) {
        const play = await answered(stage, action);
        const asker = play.turn.message;
        const event = await press(stage, play, action, 'ada');
        if (event === undefined)
          throw new Violation(`A press on "${action}" did not reach the bridge.`, events[action], 'no event');
        expectSame(
          `A press on "${action}" does not name the person who pressed.`,
          personOf(event),
          asker.sender.id,
        );
        // "Ask as me" asks in a private thread.
        if (action !== 'mine')
          expectSame(
            `A press on "${action}" does not name the thread of the reply.`,
            threadOf(event),
            asker.thread,
          );
      }
    },
  },
  {
    id: 'actions.unique',
    proves: 'Two presses on the same control are two events, so each of them asks a question',
    missing,
    async run(stage) {
      const asking = pressed(stage).filter((action) => ASKING.includes(action));
      for (const action of asking) {
        const play = await answered(stage, action);
        const first = await press(stage, play, action, 'ada');
        const second = await press(stage, play, action, 'ada');
        const keys = [first, second].map((each) =>
          each?.kind === 'ask' ? JSON.stringify(each.origin) : 'none',
        );
        expectTrue(
          `Two presses on "${action}" have the same origin, so the bridge would ignore the second press.`,
          keys[0] !== keys[1],
          'two origins',
          keys,
        );
      }
    },
  },
  {
    id: 'actions.refused',
    proves:
      'A press by a person who may not use the app, or not ask the agent of the reply, has no effect, and the person reads why',
    missing,
    async run(stage) {
      const eve = (await stage.asks({ person: 'eve' })).turn.message.sender.id;
      const cases = pressed(stage).flatMap((action) => BARS.map((bar) => ({ action, bar })));
      for (const { action, bar } of cases) {
        const play = await answered(stage, action);
        stage.host[bar] = eve;
        const before = stage.host.taken.length;
        const result = await inTime('"press"', () => pressAs(stage, play, action, 'eve'));
        await seen(() => (stage.host.taken.length > before ? true : undefined), QUIET_MS);
        stage.host[bar] = undefined;
        expectSame(
          `A press on "${action}" reached the bridge, although the rules forbid it to the person who pressed.`,
          stage.host.taken.slice(before).map(({ event }) => event.kind),
          [],
        );
        expectTrue(
          `The person did not read why the press on "${action}" was refused.`,
          result.includes(BARRED),
          BARRED,
          result,
        );
      }
    },
  },
];

export const pressed = ({ rig: { actions = [] } }: Stage): readonly ActionName[] =>
  actions.filter((action) => events[action] !== undefined);

/** Shows a reply on which the action can be pressed. */
export async function answered(stage: Stage, action: ActionName): Promise<Play> {
  const play = await begin(stage);
  const failed = action === 'retry';
  play.set({
    text: 'An answer.',
    state: action === 'stop' ? 'writing' : failed ? 'failed' : 'done',
    suggestions: [SUGGESTION],
    retry: failed,
    ...(action === 'show' && { editions: { shown: 2, count: 2 } }),
  });
  await play.comeToRest();
  const { document, turn } = play;
  const reply: KeptReply = { ...document, question: turn.message.text, askedBy: turn.message.sender.id };
  if (isFinal(document) || action === 'stop') stage.host.replies.set(turn.id, reply);
  return play;
}

const pressAs = async (stage: Stage, { turn }: Play, action: ActionName, by: RigPerson): Promise<string> => {
  const question = stage.questionOf(turn);
  return (await stage.rig.press?.({ question, action, detail: details[action] ?? '', by })) ?? '';
};

/** Presses the control. Returns the event that then reached the bridge, or undefined if none did. */
export async function press(
  stage: Stage,
  play: Play,
  action: ActionName,
  by: RigPerson,
): Promise<Intake | undefined> {
  const before = stage.host.taken.length;
  await inTime('"press"', () => pressAs(stage, play, action, by));
  return seen(() =>
    stage.host.taken
      .slice(before)
      .map(({ event }) => event)
      .find(({ kind }) => kind === events[action]),
  );
}

function personOf(event: Intake): string | undefined {
  if (event.kind === 'ask' || event.kind === 'edit') return event.message.sender.id;
  return event.by?.id;
}

export const threadOf = (event: Intake): ThreadRef =>
  event.kind === 'ask' || event.kind === 'edit' ? event.message.thread : event.thread;
