/** Runs a load with seeded faults and returns its history. */

import { type History, recordOf } from '../../fakes/history/history.ts';
import { plantFault } from './channel-faults.ts';
import { spoilMember } from './member-faults.ts';
import type { LoadOptions } from './options.ts';
import type { Ask } from './people.ts';
import { play } from './play.ts';
import { quiet } from './quiet.ts';
import { saveLogs } from './save.ts';
import { slackPeople } from './slack-people.ts';
import { teamsPeople } from './teams-people.ts';
import { openTown } from './town.ts';

/** Number of questions from one fault of a kind to the next fault of this kind. */
const EVERY = { channelFault: 12, memberFault: 10 };

export async function runLoad(options: LoadOptions, tell: (line: string) => void): Promise<History> {
  const town = await openTown(options);
  const { events } = options;
  const [slack, teams] = [slackPeople(town.slack, events), teamsPeople(town.teams, events)];
  const ask: Ask = (planned) => (planned.channel === 'slack' ? slack : teams)(planned);
  try {
    await play(town, options, {
      ask,
      after(at, random) {
        if (at % EVERY.channelFault === EVERY.channelFault - 1) plantFault(town, random);
        if (at % EVERY.memberFault === EVERY.memberFault - 1) spoilMember(town, random);
        if (at % 500 === 499) tell(`${at + 1} of ${events} questions asked`);
      },
      mend() {
        town.slack.clearFaults();
        town.teams.clearFaults();
        town.platform.member.signInDown(0);
      },
    });
    await quiet(town);
    return recordOf(town);
  } finally {
    if (options.logs !== undefined) await saveLogs(options.logs, town.replicas);
    await town.close();
  }
}
