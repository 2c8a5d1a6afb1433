import type { Fields } from '../http/json.ts';
import type { Call } from '../http/operation.ts';
import { invalid, type Reply } from '../http/reply.ts';
import { invalidBy, parse } from '../http/schema.ts';
import { afterReply, type EffectDeps, FAULTS } from './effects.ts';
import { amount, type FaultRule, ROUTE_GROUPS, ruleRequest } from './rule.ts';

/** `clock` must be the clock that no fault shifts, because faults wait in real time. */
interface FaultDeps extends EffectDeps {
  /** Ids of the served operations, which a rule may name as its route. */
  readonly operations: () => ReadonlySet<string>;
}

export type Faults = ReturnType<typeof createFaults>;

/**
 * Causes faults on demand, for tests (platform contract LOC-6: faults). Rules can be added and removed while the
 * sandbox runs.
 */
export function createFaults(deps: FaultDeps) {
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
      checkRoute(rule.route, deps.operations());
      rules.push(rule);
      return rule;
    },
    list: (): readonly FaultRule[] => rules,
    /** Removes one rule, or all rules if `id` is undefined. Returns the number of removed rules. */
    remove: (id: string | undefined): number => {
      const before = rules.length;
      rules = id === undefined ? [] : rules.filter((rule) => rule.id !== id);
      return before - rules.length;
    },
    /** Returns the effects of the first rule that applies to this request, and counts the request as a hit. */
    take: (route: string) => {
      const rule = hit(route, (candidate) => candidate.fault !== 'F16' && !shiftsClock(candidate));
      return (
        rule && {
          /** Returns a reply to send in place of the route's reply; undefined if the route should run. */
          before: (call: Call) => FAULTS[rule.fault]?.before?.(rule, call, deps),
          after: (reply: Reply, call: Call) =>
            afterReply(rule, reply, { clock: deps.clock, signal: call.signal }),
        }
      );
    },
    /** True if F16 applies: the platform must then treat the session of this request as unknown. */
    forgetsSession: (route: string): boolean => hit(route, (rule) => rule.fault === 'F16') !== undefined,
    /** Returns by how many milliseconds the fault F14 in mode `clock` shifts the clock. */
    clockOffset: (): number => {
      const rule = rules.find(shiftsClock);
      return rule === undefined ? 0 : (rule.ms ?? 600_000);
    },
  };
}

const shiftsClock = (rule: FaultRule): boolean => rule.fault === 'F14' && rule.mode === 'clock';

const covers = (pattern: string, route: string): boolean =>
  pattern === '*' || pattern === route || ROUTE_GROUPS.get(pattern)?.includes(route) === true;

/** Refuses an unknown route, because a rule for such a route would never apply. */
function checkRoute(route: string, operations: ReadonlySet<string>): void {
  if (route === '*' || ROUTE_GROUPS.has(route) || operations.has(route)) return;
  const groups = [...ROUTE_GROUPS.keys()].join(', ');
  const known = [...operations].sort().join(', ');
  throw invalid(`There is no route ${route}; known: *, the groups ${groups}, and the operations ${known}.`);
}

function readRule(id: string, fields: Fields): FaultRule {
  const { fault, mode: wanted, skip, count, route: place, ...rest } = parse(ruleRequest, fields, invalidBy);
  const known = Object.hasOwn(FAULTS, fault) ? FAULTS[fault] : undefined;
  if (known === undefined)
    throw invalid(`There is no fault ${fault}; known: ${Object.keys(FAULTS).join(', ')}.`);
  const { modes, route } = known;
  const mode = wanted ?? modes[0] ?? '';
  if (!modes.includes(mode)) throw invalid(`${fault} has the modes ${modes.join(', ')}.`);
  const left = count === null ? null : (parse(amount('count'), count, invalidBy) ?? 1);
  return { id, fault, mode, route: place ?? route, skip: skip ?? 0, left, ...rest };
}
