/** Defines which person may press which button. Every channel must decide this in the same way. */

import { expect, test } from 'vitest';
import type { Intake } from '../../../../src/core/channel/events.ts';
import { words as core } from '../../../../src/core/words.ts';
import type { ActionName } from '../../../../src/reply/actions/press.ts';
import { words } from '../../../../src/reply/actions/words.ts';

/**
 * `barred` may ask other agents, but not the agent of the answer. `foreigner` is a person of another workspace (Slack),
 * tenant (Teams) or organization (console).
 */
export const people = ['asker', 'another', 'barred', 'guest', 'foreigner'] as const;
export type PersonName = (typeof people)[number];

export type Pressing = Exclude<ActionName, 'shareSource'> | 'personalData';

export const SUGGESTION = 'And at night?';
export const CHOICE = core.personalData.send;
/** Text in the shared source that no refusal contains. */
export const PASSAGE = 'Blue is the colour of the sky.';

/** Events that the bridge receives after each accepted press: the kind of event, and for a question also its origin. */
const told = {
  stop: ['stop'],
  instead: ['instead'],
  retry: ['ask retry'],
  regenerate: ['ask regenerate'],
  show: ['show'],
  suggestion: ['ask act'],
  personalData: ['ask act'],
  agent: ['ask act'],
  mine: ['ask act'],
  feedback: ['feedback'],
  /** The other presses send no event: the channel itself shows the sources or a form, or posts the share. */
  sources: [],
  share: [],
  correct: [],
} satisfies Record<Pressing, readonly string[]>;

const yes = undefined;
const closed = words.guests;
const own = words.onlyAsker;
const other = core.mayNotPress('knowledge');

/** The refusal that each person sees after each press; `yes` if the press is accepted. */
const matrix: Readonly<Record<Pressing, Readonly<Record<PersonName, string | undefined>>>> = {
  stop: { asker: yes, another: yes, barred: other, guest: closed, foreigner: closed },
  /** The bridge itself refuses another person, because it alone knows who asked a question without a reply. */
  instead: { asker: yes, another: yes, barred: other, guest: closed, foreigner: closed },
  retry: { asker: yes, another: yes, barred: other, guest: closed, foreigner: closed },
  regenerate: { asker: yes, another: yes, barred: other, guest: closed, foreigner: closed },
  show: { asker: yes, another: yes, barred: other, guest: closed, foreigner: closed },
  suggestion: { asker: yes, another: yes, barred: other, guest: closed, foreigner: closed },
  personalData: { asker: yes, another: own, barred: other, guest: closed, foreigner: closed },
  agent: { asker: yes, another: yes, barred: other, guest: closed, foreigner: closed },
  mine: { asker: yes, another: yes, barred: other, guest: closed, foreigner: closed },
  feedback: { asker: yes, another: yes, barred: other, guest: closed, foreigner: closed },
  sources: { asker: yes, another: yes, barred: other, guest: closed, foreigner: closed },
  share: { asker: yes, another: yes, barred: other, guest: closed, foreigner: closed },
  correct: { asker: yes, another: yes, barred: other, guest: closed, foreigner: closed },
};

/** Name of the workspace that the correction form shows. The text of a refusal never contains this name. */
const WORKSPACE = 'handbook';

/** What the person and the room see after a press. */
export interface Outcome {
  /** Events that the bridge received after the press. */
  readonly intakes: readonly Intake[];
  /** Everything that the person saw after the press: a note, a form, a card, a response of the server. */
  readonly shown: string;
  /** Everything that the other people in the room saw after the press. */
  readonly posted: string;
}

/** @param press presses a control of a new reply, through the channel's real decoding */
export function checkMatrix(
  actions: readonly Pressing[],
  press: (action: Pressing, who: PersonName) => Promise<Outcome>,
): void {
  const cells = actions.flatMap((action) => people.map((who) => [action, who] as const));
  test.each(cells)('%s by the %s (attack S26)', async (action, who) => {
    const outcome = await press(action, who);
    const refusal = matrix[action][who];
    const events = outcome.intakes.map((each) =>
      each.kind === 'ask' ? `ask ${each.origin.kind}` : each.kind,
    );
    expect(events).toEqual(refusal === yes ? eventsOf(action, outcome.intakes) : []);
    if (refusal === yes) {
      expect(outcome.shown).not.toContain(closed);
      expect(outcome.shown).not.toContain(other);
      if (action === 'sources') expect(outcome.shown).toContain(PASSAGE);
      if (action === 'correct') expect(outcome.shown).toContain(WORKSPACE);
      if (action === 'share') expect(outcome.posted).toContain(PASSAGE);
      return;
    }
    expect(outcome.shown).toContain(refusal);
    expect(outcome.shown + outcome.posted).not.toContain(PASSAGE);
    expect(outcome.shown).not.toContain(WORKSPACE);
    expect(outcome.posted).toBe('');
  });
}

/** Returns the expected events. In the console, a press that asks a question counts as a message of the person. */
function eventsOf(action: Pressing, intakes: readonly Intake[]): readonly string[] {
  const isSaid = intakes.some((each) => each.kind === 'ask' && each.origin.kind === 'message');
  return isSaid && (action === 'suggestion' || action === 'personalData' || action === 'mine')
    ? ['ask message']
    : told[action];
}
