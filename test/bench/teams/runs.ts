/** Runs planned questions in one-to-one chats, or in threads of channels. */

import { measure, type Planned, type Ran } from '../channel/runs.ts';
import { questionOf, type Saying, textOf } from '../channel/saying.ts';
import { openHouse } from './house.ts';
import { type Asked, seenOf, type TeamsSeen } from './watch.ts';

interface Setting {
  /** Where people ask: in their own chats with the app, or in channels, where each question begins a thread. */
  readonly places: 'chats' | 'channels';
  readonly streaming?: boolean;
}

export async function runPlan(
  plans: readonly Planned[],
  { places, streaming = true }: Setting,
): Promise<Ran<TeamsSeen>> {
  const house = await openHouse({ streaming });
  try {
    const { teams, answers } = house;
    const tenant = teams.tenant();
    const team = tenant.team();
    const people = new Map(plans.map(({ room }) => [room, tenant.person()] as const));
    const channels = new Map(plans.map(({ room }) => [room, team.channel()] as const));
    const ask = ({ room, saying }: Planned): Asked => {
      const [person, channel] = [people.get(room), channels.get(room)];
      if (person === undefined || channel === undefined) throw new Error('no such place');
      const { id } = saying;
      if (places === 'chats')
        return { conversation: person.says(person.dm(), questionOf(saying)).message.conversation, id };
      const { message } = person.mentions(channel, questionOf(saying));
      return { conversation: channel.id, root: message.id, id };
    };
    const replies = await measure(plans, {
      answers,
      ask(planned) {
        const asked = ask(planned);
        return () => seenOf(teams.log.calls, asked);
      },
    });
    return { replies, refused: teams.log.failed(429).length, violations: teams.log.violations.length };
  } finally {
    await house.close();
  }
}

/** Returns how many numbered parts of the answer the final text lacks. */
export function missing(saying: Saying, shown: string): number {
  const parts = new Set(textOf(saying).match(/Point \d+|part\d+|pump \d+|hose \d+/g));
  return [...parts].filter((part) => !new RegExp(`${part}\\b`).test(shown)).length;
}
