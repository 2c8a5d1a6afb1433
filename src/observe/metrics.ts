import { LRUCache } from 'lru-cache';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { TurnId } from '../core/ids.ts';
import type { CoreEvent, TurnEvents } from '../core/turn-events.ts';
import { type StoreGauges, storeGauges } from './store-gauges.ts';

/**
 * Maximum number of different values of one label. Further values are counted as `other`, so that outsiders cannot
 * exhaust the memory.
 */
const LABEL_VALUES = 100;
/** Maximum number of turns whose start time is remembered: enough for all running and waiting turns. */
const TURNS = 10_000;
const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const CALL_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];

export interface PlatformCall {
  readonly operation: string;
  /** `ok`, or the error code of a failed call. */
  readonly outcome: string;
  readonly ms: number;
}

/**
 * @param gauges returns the values of the store; called each time the metrics are read
 * @param version the bridge's own version
 */
export function createMetrics(gauges: () => Promise<StoreGauges>, version = '') {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const info = { name: 'parley_info', help: 'Always 1; the label is the version of the bridge' };
  new Gauge({ ...info, labelNames: ['version'], registers: [registry] }).set({ version }, 1);
  const readStore = storeGauges(registry, gauges);
  const callCount = { name: 'parley_platform_calls_total', help: 'Calls to the agent platform' };
  const calls = new Counter({ ...callCount, labelNames: ['operation', 'outcome'], registers: [registry] });
  const callSeconds = new Histogram({
    name: 'parley_platform_call_seconds',
    help: 'Duration of a call to the agent platform, until its answer has ended',
    labelNames: ['operation'],
    buckets: CALL_SECONDS,
    registers: [registry],
  });
  const platforms = new Gauge({
    name: 'parley_platform_up',
    help: '1 while the agent platform answers, 0 while it counts as down',
    labelNames: ['platform', 'name'],
    registers: [registry],
  });
  const strays = new Counter({
    name: 'parley_channel_stray_errors_total',
    help: 'Errors that the code of a channel from outside did not handle',
    labelNames: ['channel'],
    registers: [registry],
  });
  const limited = new Counter({
    name: 'parley_rate_limited_calls_total',
    help: 'Calls that a channel refused because of its rate limit, by workspace',
    labelNames: ['channel', 'tenant'],
    registers: [registry],
  });
  const operations = bounded();
  const outcomes = bounded();
  const tenants = bounded();
  return {
    turnEvents: turnMetrics(registry),
    channelStrayed: (channel: string) => strays.inc({ channel }),
    rateLimited: (channel: string, tenant: string) => limited.inc({ channel, tenant: tenants(tenant) }),
    called({ operation, outcome, ms }: PlatformCall) {
      const label = { operation: operations(operation) };
      calls.inc({ ...label, outcome: outcomes(outcome) });
      callSeconds.observe(label, ms / 1000);
    },
    /** Records whether the platform answers. */
    platformChanged: ({ name, address }: { readonly name: string; readonly address: string }, up: boolean) =>
      platforms.set({ platform: address, name }, up ? 1 : 0),
    contentType: registry.contentType,
    /** Resolves with the metrics in Prometheus' text format. */
    text: async () => {
      await readStore();
      return registry.metrics();
    },
  };
}

interface Begun {
  readonly keptAt: number;
  readonly agent: string;
  readonly answering: boolean;
}

/** Counts turns by how they ended, and measures the time since the question was stored. */
function turnMetrics(registry: Registry): TurnEvents {
  const turns = new LRUCache<TurnId, Begun>({ max: TURNS });
  const { ended, troubles, moves, firstText, whole } = turnMeters(registry);
  const agents = bounded();
  const families = bounded();
  const codes = bounded();

  const begin = (event: CoreEvent): void => {
    const waited = event.detail.waitedMs;
    turns.set(event.turn, {
      keptAt: event.at - (typeof waited === 'number' ? waited : 0),
      agent: 'none',
      answering: false,
    });
  };
  const see: Partial<Record<CoreEvent['name'], (event: CoreEvent) => void>> = {
    claimed: begin,
    routed: ({ turn, detail }) => change(turns, turn, { agent: agents(String(detail.agent)) }),
    answering({ turn, at }) {
      const begun = turns.get(turn);
      if (begun === undefined || begun.answering) return;
      change(turns, turn, { answering: true });
      firstText.observe({ agent: begun.agent }, (at - begun.keptAt) / 1000);
    },
    trouble: ({ detail }) => troubles.inc({ code: codes(String(detail.code)) }),
    move: ({ detail }) =>
      moves.inc({ family: families(String(detail.family)), outcome: String(detail.outcome) }),
    released: ({ turn }) => turns.delete(turn),
    postponed: ({ turn }) => turns.delete(turn),
    settled({ turn, at, detail }) {
      const begun = turns.get(turn);
      turns.delete(turn);
      const agent = begun?.agent ?? 'none';
      ended.inc({ agent, state: String(detail.state) });
      if (begun !== undefined) whole.observe({ agent }, (at - begun.keptAt) / 1000);
    },
  };
  return {
    record: (event) => see[event.name]?.(event),
    trouble: ({ code }) => troubles.inc({ code: codes(code) }),
  };
}

function change(turns: LRUCache<TurnId, Begun>, turn: TurnId, news: Partial<Begun>): void {
  const begun = turns.get(turn);
  if (begun !== undefined) turns.set(turn, { ...begun, ...news });
}

function turnMeters(registry: Registry) {
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const timer = (name: string, help: string) =>
    new Histogram({ name, help, labelNames: ['agent'], buckets: SECONDS, registers });
  return {
    ended: counter('parley_turns_ended_total', 'Ended turns, by agent and outcome', ['agent', 'state']),
    troubles: counter('parley_troubles_total', 'Errors, by code', ['code']),
    moves: counter('parley_moves_total', 'Calls that changed a reply on a channel', ['family', 'outcome']),
    firstText: timer('parley_first_text_seconds', 'Time from the stored question to the first text'),
    whole: timer('parley_turn_seconds', 'Time from the stored question to the end of the turn'),
  };
}

function bounded(): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= LABEL_VALUES) return 'other';
    known.add(value);
    return value;
  };
}
