/** The load of a run: which question is asked where, with which fault. The same seed gives the same plan. */

import type { AnswerFault, Saying } from '../../fakes/history/saying.ts';

export type Happening = 'repeat' | 'edit' | 'delete' | 'stop';

export interface Planned {
  readonly channel: 'slack' | 'teams';
  /** Numbers that choose a workspace, a room and a person. They count from 0 and wrap around. */
  readonly workspace: number;
  readonly room: number;
  readonly person: number;
  readonly kind: 'room' | 'direct' | 'group';
  /** True if the question continues an existing thread, provided that there is one. */
  readonly follows: boolean;
  readonly saying: Partial<Saying>;
  /** What a person does while the question is answered, and when, in milliseconds after it was asked. */
  readonly happens?: { readonly what: Happening; readonly afterMs: number };
  /** True if a person presses Retry on a failed answer. */
  readonly retries: boolean;
}

type Random = () => number;

/** Faults of the platform, with parameters that keep each answer short. */
const FAULTS: readonly AnswerFault[] = [
  { code: 'F01', times: 2 },
  { code: 'F01', times: 9, status: 502 },
  { code: 'F02', times: 2 },
  { code: 'F03' },
  { code: 'F04', events: 3 },
  { code: 'F05', ms: 2 },
  { code: 'F06', bytes: 700 },
  { code: 'F06', bytes: 40 },
  { code: 'F07', mode: 'no-stop' },
  { code: 'F07', mode: 'no-blank' },
  { code: 'F08', mode: 'stop-twice' },
  { code: 'F08', mode: 'data-after' },
  { code: 'F08', mode: 'no-end' },
  { code: 'F09' },
  { code: 'F09', events: 4 },
  { code: 'F10', mode: 'utf8' },
  { code: 'F10', mode: 'bom' },
  { code: 'F10', mode: 'crlf' },
  { code: 'F11', mode: 'huge', bytes: 2 * 1024 * 1024 },
  { code: 'F12', mode: 'envelope' },
  { code: 'F12', mode: 'html' },
  { code: 'F13', mode: 'refuse' },
  { code: 'F15', retryAfter: '1' },
  { code: 'F15', retryAfter: '3600' },
];

/** Share of the questions to which each of these applies. */
const SHARES = {
  teams: 0.4,
  direct: 0.25,
  group: 0.15,
  follows: 0.4,
  fault: 0.25,
  happens: 0.14,
  retries: 0.6,
};
const HAPPENINGS: readonly Happening[] = ['repeat', 'repeat', 'edit', 'delete', 'stop'];
const LONGEST_MS = 2_500;

export const planOf = (events: number, random: Random): readonly Planned[] =>
  Array.from({ length: events }, () => plannedBy(random));

function plannedBy(random: Random): Planned {
  const below = (most: number) => Math.floor(random() * most);
  const fault = random() < SHARES.fault ? FAULTS[below(FAULTS.length)] : undefined;
  const happens =
    fault === undefined && random() < SHARES.happens ? HAPPENINGS[below(HAPPENINGS.length)] : undefined;
  const place = random();
  return {
    channel: random() < SHARES.teams ? 'teams' : 'slack',
    kind: place < SHARES.direct ? 'direct' : place < SHARES.direct + SHARES.group ? 'group' : 'room',
    ...{ workspace: below(1_000), room: below(1_000), person: below(1_000) },
    follows: random() < SHARES.follows,
    saying: {
      ms: 200 + below(LONGEST_MS),
      everyMs: 50,
      // Some answers need several messages.
      chars: random() < 0.04 ? 13_000 : 150 + below(900),
      ...(fault !== undefined && { fault }),
      ...(fault === undefined && random() < 0.04 && { cutAt: 60 + below(80) }),
    },
    ...(happens !== undefined && { happens: { what: happens, afterMs: below(LONGEST_MS) } }),
    retries: random() < SHARES.retries,
  };
}
