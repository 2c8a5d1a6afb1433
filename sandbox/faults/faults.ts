import { z } from 'zod';
import type { Clock } from '../clock.ts';
import type { Fields } from '../http/json.ts';
import type { Call } from '../http/operation.ts';
import { invalid, type Reply } from '../http/reply.ts';
import { exact, invalidBy, parse, someText } from '../http/schema.ts';
import { afterReply, beforeRoute } from './effects.ts';
import { FAULTS, type FaultName, type FaultRule, ROUTE_GROUPS } from './names.ts';

export interface FaultDeps {
  /** Not the shifted one: waits are real. */
  readonly clock: Clock;
  readonly revokeTokens: () => void;
  /** Ids of the operations that are served: what a rule may name as its route. */
  readonly operations: () => ReadonlySet<string>;
}

export type Faults = ReturnType<typeof createFaults>;

/** Faults on demand (platform contract LOC-6): rules that are set while the sandbox runs. */
export function createFaults(parts: FaultDeps) {
  let rules: FaultRule[] = [];
  let made = 0;
  const hit = (route: string, wanted: (rule: FaultRule) => boolean): FaultRule | undefined => {
    for (const rule of rules) {
      if (!wanted(rule) || !covers(rule.route, route) || rule.left === 0) continue;
      if (rule.skip > 0) {
        rule.skip -= 1;
        continue;
      }
      if (rule.left !== null) rule.left -= 1;
      return rule;
    }
    return undefined;
  };
  return {
    add: (fields: Fields): FaultRule => {
      made += 1;
      const rule = readRule(`f${made}`, fields);
      checkRoute(rule.route, parts.operations());
      rules.push(rule);
      return rule;
    },
    list: (): readonly FaultRule[] => rules,
    /** Removes one rule, or all of them without an id. Returns how many. */
    remove: (id: string | undefined): number => {
      const before = rules.length;
      rules = id === undefined ? [] : rules.filter((rule) => rule.id !== id);
      return before - rules.length;
    },
    /** The first rule that hits this request of the route, counted down. */
    take: (route: string) => {
      const rule = hit(route, (candidate) => candidate.fault !== 'F16' && !shiftsClock(candidate));
      return (
        rule && {
          /** The reply instead of the route's; undefined when the route shall run. */
          before: (call: Call) => beforeRoute(rule, call, parts),
          after: (reply: Reply, call: Call) => afterReply(rule, reply, call, parts),
        }
      );
    },
    /** True if F16 makes the platform forget the session of this request. */
    forgetsSession: (route: string): boolean => hit(route, (rule) => rule.fault === 'F16') !== undefined,
    /** Milliseconds by which F14 `clock` shifts the clock. */
    clockOffset: (): number => {
      const rule = rules.find(shiftsClock);
      return rule === undefined ? 0 : (rule.ms ?? 600_000);
    },
  };
}

const shiftsClock = (rule: FaultRule): boolean => rule.fault === 'F14' && rule.mode === 'clock';

const covers = (pattern: string, route: string): boolean =>
  pattern === '*' || pattern === route || (groupOf(pattern)?.includes(route) ?? false);

const groupOf = (name: string): readonly string[] | undefined =>
  Object.hasOwn(ROUTE_GROUPS, name) ? ROUTE_GROUPS[name] : undefined;

/** A misspelt route would make a fault that never happens. */
function checkRoute(route: string, operations: ReadonlySet<string>): void {
  if (route === '*' || Object.hasOwn(ROUTE_GROUPS, route) || operations.has(route)) return;
  const groups = Object.keys(ROUTE_GROUPS).join(', ');
  const known = [...operations].sort().join(', ');
  throw invalid(`There is no route ${route}; known: *, the groups ${groups}, and the operations ${known}.`);
}

const isFault = (name: string): name is FaultName => Object.hasOwn(FAULTS, name);

/** Text, of which also the empty one counts. */
const optionalText = z
  .string('must be a string')
  .nullish()
  .transform((value) => value ?? undefined);
const amount = (name: string) =>
  z
    .int(`The parameter ${name} must be an integer.`)
    .min(0, `${name} must not be negative.`)
    .nullish()
    .transform((value) => value ?? undefined);

const members = exact({
  fault: someText,
  mode: optionalText,
  route: optionalText,
  skip: amount('skip'),
  count: z.unknown(),
  status: amount('status'),
  ms: amount('ms'),
  bytes: amount('bytes'),
  events: amount('events'),
  retryAfter: optionalText,
  to: optionalText,
});

function readRule(id: string, fields: Fields): FaultRule {
  const { fault, mode: wanted, skip, count, route: place, ...rest } = parse(members, fields, invalidBy);
  if (!isFault(fault)) throw invalid(`There is no fault ${fault}; known: ${Object.keys(FAULTS).join(', ')}.`);
  const { modes, route } = FAULTS[fault];
  const mode = wanted ?? modes[0];
  if (!modes.some((known) => known === mode)) throw invalid(`${fault} has the modes ${modes.join(', ')}.`);
  const left = count === null ? null : (parse(amount('count'), count, invalidBy) ?? 1);
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  return { id, fault, mode, route: place ?? route, skip: skip ?? 0, left, ...Object.fromEntries(given) };
}
