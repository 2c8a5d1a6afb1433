/** Runs planned questions in rooms of one workspace, for targets P1 to P7. */

import { measure, type Planned, type Ran } from '../channel/runs.ts';
import { questionOf } from '../channel/saying.ts';
import { type House, openHouse } from './house.ts';
import { type SlackSeen, seenOf } from './watch.ts';

interface Setting {
  readonly mode?: 'window' | 'bucket';
  readonly streaming?: boolean;
}

export async function runPlan(
  plans: readonly Planned[],
  { mode = 'window', streaming = true }: Setting = {},
): Promise<Ran<SlackSeen>> {
  const house = await openHouse({ limits: { mode }, streaming });
  try {
    return await ask(house, plans);
  } finally {
    await house.close();
  }
}

async function ask({ slack, answers }: House, plans: readonly Planned[]): Promise<Ran<SlackSeen>> {
  const workspace = slack.workspace();
  const person = workspace.person();
  const rooms = new Map(
    [...new Set(plans.map(({ room }) => room))].map((room) => [room, workspace.channel()]),
  );
  const replies = await measure(plans, {
    answers,
    ask({ room: which, saying }) {
      const room = rooms.get(which);
      if (room === undefined) throw new Error('no such room');
      const { ts } = person.mentions(room, questionOf(saying));
      return () => seenOf(slack.log.calls, { ts, id: saying.id });
    },
  });
  return { replies, refused: slack.log.failed(429).length, violations: slack.log.violations.length };
}
