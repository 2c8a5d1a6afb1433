/** Runs the checks of `parley conform` on a built-in channel. */

import { expect } from 'vitest';
import { conform } from '../../src/conform/run.ts';
import * as kit from '../../src/kit/argument.ts';
import type { OpenRig } from '../../src/kit/package.ts';
import { project } from '../fakes/outside/candidate.ts';

export interface Candidate {
  readonly channel: kit.Channel;
  readonly openRig: OpenRig;
  /** Ids of the checks that cannot run with this rig. */
  readonly notChecked: readonly string[];
  /** Random stories per law. */
  readonly runs: number;
}

const SEED = 11;

/** Expects that no check fails, and that only the checks in `notChecked` do not run. */
export async function expectConforms({ channel, openRig, notChecked, runs }: Candidate): Promise<void> {
  const report = await conform({ channel, openRig, kit, project }, { seed: SEED, runs });
  expect(report.checks.filter(({ status }) => status === 'fail')).toEqual([]);
  const left = report.checks.filter(({ status }) => status === 'not-checked').map(({ id }) => id);
  expect(left.toSorted()).toEqual(notChecked.toSorted());
}
