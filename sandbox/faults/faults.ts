import { deletionReply, refusalReply } from '../dialect/error.ts';
import type { Fields } from '../http/json.ts';
import type { Call, Route } from '../http/operation.ts';
import { type Face, invalid, type Refusal, type Reply } from '../http/reply.ts';
import { invalidBy, parse } from '../http/schema.ts';
import type { Options } from '../options.ts';
import { afterReply, type EffectDeps, FAULTS } from './effects.ts';
import { amount, type FaultRule, ROUTE_GROUPS, ruleRequest } from './rule.ts';

export type FaultRules = ReturnType<typeof createFaultRules>;

/** The faults that are to happen. Rules can be added and removed while the sandbox runs. */
export function createFaultRules() {
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
    /** @param routes the served routes; a rule may name the operations among them */
    add: (fields: Fields, routes: readonly Route[]): FaultRule => {
      made += 1;
      const rule = readRule(`f${made}`, fields);
      checkRoute(rule.route, routes);
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
    /** Returns the rule of the first fault that applies to the route, and counts the request as a hit. */
    applying: (route: string) => hit(route, (rule) => rule.fault !== 'F16' && !shiftsClock(rule)),
    /** True if F16 applies: the platform must then treat the session of this request as unknown. */
    forgetsSession: (route: string): boolean => hit(route, (rule) => rule.fault === 'F16') !== undefined,
    /** Returns by how many milliseconds the fault F14 in mode `clock` shifts the clock. */
    clockOffset: (): number => {
      const rule = rules.find(shiftsClock);
      return rule === undefined ? 0 : (rule.ms ?? 600_000);
    },
  };
}

export type Faults = ReturnType<typeof createFaults>;

/**
 * Changes replies on demand, for tests: causes faults (platform contract LOC-6: faults), and words refusals in the
 * chosen dialect.
 * @param deps its `clock` must be the clock that no fault shifts, because faults wait in real time
 */
export function createFaults(rules: Pick<FaultRules, 'applying'>, deps: EffectDeps, options: Options) {
  return {
    /** Runs a route with the first fault that applies to it. Confirms deletions in the chosen dialect. */
    run: async (route: Route, call: Call): Promise<Reply> => {
      const rule = rules.applying(route.id);
      const instead = rule && (await FAULTS[rule.fault]?.before?.(rule, call, deps));
      const { clock } = deps;
      const after = (reply: Reply) =>
        rule === undefined ? reply : afterReply(rule, reply, { clock, signal: call.signal });
      const reply = instead ?? after(await route.handle(call));
      return route.method === 'DELETE' ? deletionReply(reply, options.dialect.deletion) : reply;
    },
    /** Returns the reply to a refused request, in the chosen dialect. */
    refusal: (face: Face, refusal: Refusal): Reply => refusalReply(face, refusal, options.dialect),
  };
}

const shiftsClock = (rule: FaultRule): boolean => rule.fault === 'F14' && rule.mode === 'clock';

const covers = (pattern: string, route: string): boolean =>
  pattern === '*' || pattern === route || ROUTE_GROUPS.get(pattern)?.includes(route) === true;

/** Refuses an unknown route, because a rule for such a route would never apply. */
function checkRoute(route: string, routes: readonly Route[]): void {
  const operations = new Set(routes.filter(({ control }) => !control).map(({ id }) => id));
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
