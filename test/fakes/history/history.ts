/** Builds the history of a run, in one form for all channels, from what the fake channels and the platform recorded. */

import type { FakeSlack } from '../slack/index.ts';
import type { FakeTeams } from '../teams/index.ts';
import { type Bounds, CONTRACT, type History, type MachineFault, type Seen, type Span } from './kept.ts';
import type { ScriptedPlatform } from './platform.ts';
import { slackRecord } from './slack-record.ts';
import { teamsRecord } from './teams-record.ts';

export type { Act, Called, History, Place, Question, Shown } from './kept.ts';

/** The parts of a test house that the checker needs. */
export interface Run {
  readonly platform: ScriptedPlatform;
  readonly slack?: FakeSlack;
  readonly teams?: FakeTeams;
  /** What another channel showed: the archives of an XMPP server, or a page of the console. */
  readonly seen?: Seen;
  /** Times at which the bridge was killed or restarted. */
  readonly breaks: readonly number[];
  readonly machineFaults?: readonly MachineFault[];
  readonly replicas?: readonly unknown[];
  readonly excused?: readonly Span[];
  readonly bounds?: Bounds;
}

/** Bounds of a run on a machine that may be overloaded. */
const PATIENT: Bounds = { ...CONTRACT, noticeMs: 60_000 };

export function recordOf(run: Run): History {
  const { slack, teams, machineFaults = [], excused = [], bounds = PATIENT, replicas } = run;
  const seen = [
    ...(slack === undefined ? [] : [slackRecord(slack)]),
    ...(teams === undefined ? [] : [teamsRecord(teams)]),
    ...(run.seen === undefined ? [] : [run.seen]),
  ];
  const all = <Part extends keyof Seen>(part: Part) =>
    seen.flatMap((each): Seen[Part][number][] => [...each[part]]);
  return {
    questions: all('questions'),
    shown: all('shown'),
    calls: all('calls'),
    thinking: all('thinking'),
    closed: all('closed'),
    violations: all('violations'),
    acts: all('acts'),
    askings: run.platform.askings.map((asking) => ({ ...asking })),
    breaks: [...run.breaks],
    machineFaults: [...machineFaults],
    signInsRefused: [...run.platform.member.refusedAt],
    excused: [...excused],
    bounds,
    ...(replicas !== undefined && { replicas: replicas.length }),
  };
}

/** Number of calls that the channels received. */
export const callCount = ({ slack, teams }: Run): number =>
  (slack?.log.calls.length ?? 0) + (teams?.log.calls.length ?? 0);
