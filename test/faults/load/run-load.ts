/** Runs a load with seeded faults and returns its history. */

import { setTimeout as pause } from 'node:timers/promises';
import { type History, recordOf } from '../../fakes/history/history.ts';
import { seeded } from '../../fakes/seeded.ts';
import { plantFault } from './channel-faults.ts';
import { createCrowd } from './crowd.ts';
import { breakOne } from './machine-faults.ts';
import { spoilMember } from './member-faults.ts';
import type { LoadOptions } from './options.ts';
import type { Ask } from './people.ts';
import { planOf } from './plan.ts';
import { quiet } from './quiet.ts';
import { saveLogs } from './save.ts';
import { slackPeople } from './slack-people.ts';
import { teamsPeople } from './teams-people.ts';
import { openTown, type Town } from './town.ts';

/** Mean pause between two questions in milliseconds, if the bridge keeps up. */
const PAUSE_MS = 60;
/** Number of questions from one fault of a kind to the next fault of this kind. */
const EVERY = { channelFault: 12, memberFault: 10, machineFault: 70 };
/** Minimum number of machine faults. A short run has fewer questions between two such faults, to reach this number. */
const LEAST_MACHINE_FAULTS = 3;

export async function runLoad(options: LoadOptions, tell: (line: string) => void): Promise<History> {
  const town = await openTown(options);
  try {
    await play(town, options, tell);
    await quiet(town);
    return recordOf(town);
  } finally {
    if (options.logs !== undefined) await saveLogs(options.logs, town.replicas);
    await town.close();
  }
}

async function play(town: Town, options: LoadOptions, tell: (line: string) => void): Promise<void> {
  const { events, seed, atOnce } = options;
  const random = seeded(seed);
  const plan = planOf(events, seeded(seed + 1));
  const [slack, teams] = [slackPeople(town.slack, events), teamsPeople(town.teams, events)];
  const ask: Ask = (planned) => (planned.channel === 'slack' ? slack : teams)(planned);
  const crowd = createCrowd(town);
  const machineFault = Math.min(EVERY.machineFault, Math.ceil(events / (LEAST_MACHINE_FAULTS + 1)));
  let trouble: Promise<void> = Promise.resolve();
  let busy = false;
  for (const [at, planned] of plan.entries()) {
    crowd.add(ask(planned), planned);
    if (at % EVERY.channelFault === EVERY.channelFault - 1) plantFault(town, random);
    if (at % EVERY.memberFault === EVERY.memberFault - 1) spoilMember(town, random);
    if (at % machineFault === machineFault - 1 && !busy) {
      busy = true;
      trouble = breakOne(town, random).finally(() => {
        busy = false;
      });
    }
    if (at % 500 === 499) tell(`${at + 1} of ${events} questions asked`);
    await pause(random() * 2 * PAUSE_MS);
    await crowd.below(atOnce);
    if (!busy) await trouble;
  }
  await trouble;
  town.slack.clearFaults();
  town.teams.clearFaults();
  town.platform.member.signInDown(0);
  await crowd.ended();
}
