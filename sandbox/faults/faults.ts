import type { Clock } from '../clock.ts';
import type { Call } from '../http/call.ts';
import { type Fields, optionalInteger, optionalText, requiredText } from '../http/fields.ts';
import { invalid } from '../http/refusal.ts';
import type { Reply } from '../http/reply.ts';
import { afterReply, beforeRoute } from './effects.ts';
import { FAULTS, type FaultName, type FaultRule, ROUTE_GROUPS } from './names.ts';

/** A fault that hits one request. */
export interface TakenFault {
  /** The reply instead of the route's, or nothing when the route shall run. */
  before(call: Call): Promise<Reply | undefined>;
  after(reply: Reply, call: Call): Reply;
}

/** Faults on demand (platform contract LOC-6): rules that are set while the sandbox runs. */
export interface Faults {
  add(fields: Fields): FaultRule;
  list(): readonly FaultRule[];
  /** Removes one rule, or all of them without an id. Returns how many. */
  remove(id: string | undefined): number;
  /** The first rule that hits this request of the route, counted down. */
  take(route: string): TakenFault | undefined;
  /** Whether F16 makes the platform forget the session of this request. */
  forgetsSession(route: string): boolean;
  /** Milliseconds by which F14 `clock` shifts the clock. */
  clockOffset(): number;
}

export interface FaultParts {
  /** Not the shifted one: waits are real. */
  readonly clock: Clock;
  readonly revokeTokens: () => void;
  /** Ids of the operations that are served: what a rule may name as its route. */
  readonly operations: () => ReadonlySet<string>;
}

export function createFaults(parts: FaultParts): Faults {
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
    add: (fields) => {
      made += 1;
      const rule = readRule(`f${made}`, fields);
      checkRoute(rule.route, parts.operations());
      rules.push(rule);
      return rule;
    },
    list: () => rules,
    remove: (id) => {
      const before = rules.length;
      rules = id === undefined ? [] : rules.filter((rule) => rule.id !== id);
      return before - rules.length;
    },
    take: (route) => {
      const rule = hit(route, (candidate) => candidate.fault !== 'F16' && !shiftsClock(candidate));
      return (
        rule && {
          before: (call) => beforeRoute(rule, call, parts),
          after: (reply, call) => afterReply(rule, reply, call, parts),
        }
      );
    },
    forgetsSession: (route) => hit(route, (rule) => rule.fault === 'F16') !== undefined,
    clockOffset: () => {
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

function readRule(id: string, fields: Fields): FaultRule {
  const fault = requiredText(fields, 'fault');
  if (!isFault(fault)) throw invalid(`There is no fault ${fault}; known: ${Object.keys(FAULTS).join(', ')}.`);
  const { modes, route } = FAULTS[fault];
  const mode = optionalText(fields, 'mode') ?? modes[0];
  if (!modes.some((known) => known === mode)) throw invalid(`${fault} has the modes ${modes.join(', ')}.`);
  const numbers = {
    status: number(fields, 'status'),
    ms: number(fields, 'ms'),
    bytes: number(fields, 'bytes'),
    events: number(fields, 'events'),
  };
  const texts = { retryAfter: optionalText(fields, 'retryAfter'), to: optionalText(fields, 'to') };
  return {
    id,
    fault,
    mode,
    route: optionalText(fields, 'route') ?? route,
    skip: number(fields, 'skip') ?? 0,
    left: fields.count === null ? null : (number(fields, 'count') ?? 1),
    ...given(numbers),
    ...given(texts),
  };
}

function number(fields: Fields, name: string): number | undefined {
  const value = optionalInteger(fields, name);
  if (value !== undefined && value < 0) throw invalid(`${name} must not be negative.`);
  return value;
}

/** Only the members that have a value. */
function given<V>(members: Readonly<Record<string, V | undefined>>): Record<string, V> {
  const kept: Record<string, V> = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) kept[name] = value;
  return kept;
}
