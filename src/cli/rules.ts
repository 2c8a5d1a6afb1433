/** `parley can` and `parley rules`: explain, test, compare and reload the rules. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RULES_RECORD } from '../bridge/file-source.ts';
import { systemClock } from '../clock.ts';
import { channelNames, type Loaded } from '../config/load.ts';
import { readRules } from '../config/rules-file.ts';
import type { Config } from '../config/schema.ts';
import type { CompiledRules, Decision } from '../core/access/compile.ts';
import { createPermissions } from '../core/access/permissions.ts';
import { agentActions, type Rule, type RuleAction, ruleActions } from '../core/access/rules.ts';
import { NAMES, nameKey } from '../core/stores/people-names.ts';
import type { Turn } from '../core/turn.ts';
import { BridgeError } from '../errors.ts';
import { isTree } from '../settings/tree.ts';
import { openSealed } from '../store/index.ts';
import { readRecentTurns } from '../store/sqlite/status.ts';
import { type CommandDeps, loadSettings } from './channels.ts';
import { withRows } from './keyed-rows.ts';
import { printLines, printResult } from './print.ts';
import { type Asker, type AskerOptions, askerOf, type Expectation, readExpectations } from './rules-input.ts';

interface CanOptions extends AskerOptions {
  readonly explain?: true;
  readonly json?: true;
  readonly config?: string;
}

interface RulesOptions {
  readonly config?: string;
  readonly json?: true;
}

/** Says whether the person may ask the agent in the room. Resolves with 0 if they may, else with 1. */
export async function can(
  { explain, json, config: file, ...options }: CanOptions,
  deps: CommandDeps,
  [person, agent, room]: readonly [string, string, string],
): Promise<number> {
  const loaded = await loadSettings(deps, file);
  const agents = Object.keys(loaded.config.agents);
  if (!agents.includes(agent)) {
    throw new BridgeError('agent-unknown', `There is no agent "${agent}". Known: ${agents.join(', ')}.`);
  }
  const asker = askerOf({ person, agent, room }, options, channelsOf(loaded));
  const decision = decide(loaded.rules, asker, agents);
  const report = reportOf(decision, asker, loaded.rules);
  printResult(json, report, linesOf(decision, asker, loaded, explain));
  return decision.allowed ? 0 : 1;
}

const channelsOf = ({ channels }: Loaded): readonly string[] =>
  channelNames(channels.map(({ channel }) => channel));

function decide(
  rules: CompiledRules,
  { subject, action, place }: Asker,
  agents: readonly string[],
): Decision {
  const where = agentActions.includes(action) ? place : { ...place, agent: undefined };
  return createPermissions(() => rules, agents).decide(subject, action, where);
}

function reportOf({ allowed, rule, limits }: Decision, asker: Asker, rules: CompiledRules) {
  const { subject, action, place } = asker;
  const groups = rules.groupsOf(subject, place);
  return { allowed, action, person: asker.named, ...place, groups, rule, limits };
}

function linesOf(
  decision: Decision,
  asker: Asker,
  loaded: Loaded,
  explain: true | undefined,
): readonly string[] {
  const { allowed, rule, limits } = decision;
  const { action, named, place, subject } = asker;
  const agent = agentActions.includes(action) ? ` ${place.agent ?? ''}` : '';
  const where = [place.channel, place.tenant, place.room].filter((each) => each !== undefined).join('/');
  const answer = `${allowed ? 'Yes' : 'No'}: ${named} ${allowed ? 'may' : 'may not'} ${action}${agent} in ${where}.`;
  if (explain === undefined) return [answer];
  const groups = loaded.rules.groupsOf(subject, place);
  return [
    answer,
    rule === undefined
      ? '  Decided by: no rule, because none matches. Without a matching rule, the action is not allowed.'
      : `  Decided by: ${rule.place}, ${writtenRule(rule)}`,
    `  Assumed: the person has the standing "${subject.standing}", writes in ${kindWords[place.kind ?? 'room']}${groups.length === 0 ? '' : `, and belongs to ${groups.join(', ')}`}`,
    ...limits.map(
      ({ questions, every, per, place: line }) =>
        `  Limit: ${questions} questions per ${every} for each ${per} (${line})`,
    ),
    ...(allowed && action === 'ask' && loaded.config.identity.unmapped === 'refuse'
      ? ['  Also needed: a platform account, because identity.unmapped is "refuse".']
      : []),
  ];
}

const kindWords = { direct: 'a direct chat', group: 'a group chat', room: 'a channel' };

/** Writes a rule as one line of a rules file. */
function writtenRule({ effect, actions, who, agents, channels, tenants, rooms, kinds }: Rule): string {
  const list = (values: readonly string[]) => (values.length === 1 ? values[0] : `[${values.join(', ')}]`);
  const lists = { channel: channels, tenant: tenants, room: rooms, kind: kinds };
  const where = Object.entries(lists).flatMap(([name, values]) =>
    values === undefined ? [] : [`${name}: ${list(values)}`],
  );
  const parts = [
    `${effect}: ${list(actions)}`,
    `who: ${list(who)}`,
    ...(agents === undefined ? [] : [`agent: ${list(agents)}`]),
    ...(where.length === 0 ? [] : [`where: { ${where.join(', ')} }`]),
  ];
  return `{ ${parts.join(', ')} }`;
}

/** Compares the rules with the operator's expectations. Resolves with 1 if they differ. */
export async function testRules(
  { config }: RulesOptions,
  deps: CommandDeps,
  [file]: readonly [string],
): Promise<number> {
  const loaded = await loadSettings(deps, config);
  const agents = Object.keys(loaded.config.agents);
  const expectations = await readExpectations(file, { agents, channels: channelsOf(loaded) });
  const failed = expectations.filter(
    ({ asker, allowed }) => decide(loaded.rules, asker, agents).allowed !== allowed,
  );
  printLines(failed.map((each) => failureOf(each, decide(loaded.rules, each.asker, agents))));
  const all = expectations.length;
  console.log(
    failed.length === 0 ? `All ${all} expectations hold.` : `${failed.length} of ${all} expectations fail.`,
  );
  return failed.length === 0 ? 0 : 1;
}

function failureOf({ asker, allowed, place }: Expectation, { rule }: Decision): string {
  const { action, named, place: at } = asker;
  const agent = at.agent === undefined ? '' : ` ${at.agent}`;
  const by = rule === undefined ? 'no rule matches' : `${rule.place} decides: ${writtenRule(rule)}`;
  return `${place}: ${named} should ${allowed ? '' : 'not '}be allowed to ${action}${agent}, but ${by}.`;
}

/** Number of recent turns that `rules diff` compares. */
const RECENT = 10_000;
/** Number of changes that are printed without `--json`. */
const SHOWN = 50;

interface Change {
  readonly person: string;
  readonly name: string;
  readonly channel: string;
  readonly tenant: string;
  readonly room: string;
  readonly agent: string;
  readonly action: RuleAction;
  readonly becomes: 'allowed' | 'refused';
  readonly questions: number;
}

/**
 * Compares two rules files. Prints the people whose recent questions the two files decide differently, with room and
 * agent.
 */
export async function diffRules(
  { config: file, json }: RulesOptions,
  deps: CommandDeps,
  [older, newer]: readonly [string, string],
): Promise<number> {
  const { config, names: known } = await loadSettings(deps, file);
  const [before, after] = [readRules(older, known), readRules(newer, known)];
  const turns = await recentTurns(config);
  const names = await knownNames(config);
  const changes = changesOf(turns, { before, after, names, fallback: config.defaultAgent });
  printResult(json, changes, summaryOf(changes, turns.length));
  return 0;
}

async function recentTurns({ data, database }: Config): Promise<readonly Turn[]> {
  const store = join(data, 'parley.sqlite');
  if (database === undefined) return existsSync(store) ? readRecentTurns(store, RECENT) : [];
  const { readRecent, withStore } = await import('../store/postgres/outside.ts');
  return withStore(database.url.reveal().trim(), (query) => readRecent(query, RECENT));
}

/** Resolves with the names of people, by `nameKey`. */
const knownNames = (config: Config): Promise<ReadonlyMap<string, string>> =>
  withRows(config, async (open) => {
    const stored = (await open?.rows.list(NAMES, '')) ?? [];
    const named = stored.map(({ key, value }) => {
      const name = open && openSealed(value, key, { ...open.sealing, namespace: NAMES });
      return [key, String(name ?? '')] as const;
    });
    return new Map(named);
  });

interface Compared {
  readonly names: ReadonlyMap<string, string>;
  readonly before: CompiledRules;
  readonly after: CompiledRules;
  readonly fallback: string;
}

/**
 * Takes each combination of person, room and agent from the turns, and decides it with the old rules and with the new
 * rules.
 */
function changesOf(turns: readonly Turn[], { before, after, names, fallback }: Compared): readonly Change[] {
  const groups = Map.groupBy(turns, ({ message: { thread, sender }, agent = fallback }) =>
    JSON.stringify([thread.channel, thread.tenant, thread.room, thread.kind, sender.id, agent]),
  );
  return [...groups.values()].flatMap((same) => {
    const [turn] = same;
    if (turn === undefined) return [];
    const { message, agent = fallback } = turn;
    const { thread, sender } = message;
    const { channel, tenant, room } = thread;
    return ruleActions.flatMap((action): readonly Change[] => {
      const place = agentActions.includes(action) ? { ...thread, agent } : thread;
      const [was, is] = [before, after].map((rules) => rules.decide(sender, action, place).allowed);
      if (was === is) return [];
      const becomes = is ? 'allowed' : 'refused';
      const name = names.get(nameKey(thread, sender.id)) ?? sender.name;
      const person = { person: sender.id, name };
      return [{ ...person, channel, tenant, room, agent, action, becomes, questions: same.length }];
    });
  });
}

function summaryOf(changes: readonly Change[], turns: number): readonly string[] {
  if (changes.length === 0) return [`Nothing changes for the people who asked the last ${turns} questions.`];
  const people = new Set(
    changes.map(({ channel, tenant, person }) => JSON.stringify([channel, tenant, person])),
  );
  const lines = changes
    .slice(0, SHOWN)
    .map(({ name, person, channel, room, agent, action, becomes, questions }) => {
      const what = agentActions.includes(action) ? `${action} ${agent}` : action;
      const who = name === '' || name === person ? person : `${name} (${person})`;
      return `  ${who} in ${channel}/${room}: ${what} becomes ${becomes}; ${questions} recent questions`;
    });
  return [
    `${changes.length} changes for ${people.size} people who asked the last ${turns} questions:`,
    ...lines,
    ...(changes.length > SHOWN ? [`  and ${changes.length - SHOWN} more; --json prints all.`] : []),
  ];
}

/** Maximum time until a running bridge uses a changed file, and the interval between checks, in milliseconds. */
const RELOAD_MS = 5_000;
const LOOK_MS = 100;

/**
 * Checks the rules file, and waits until the running bridge uses it. Resolves with 69 if no running bridge uses it in
 * time. With a database, does not wait.
 */
export async function reloadRules({ config: file }: RulesOptions, deps: CommandDeps): Promise<number> {
  const { config, rulesFile } = await loadSettings(deps, file);
  if (rulesFile === undefined) {
    throw new BridgeError(
      'config-invalid',
      'No rules file is configured. Give its path in the setting `rules`.',
    );
  }
  const { name, first } = rulesFile;
  const { digest, count } = first;
  if (config.database !== undefined) {
    console.log(
      `${name} is valid (${count} rules). Each replica starts to use its own copy within two seconds.`,
    );
    return 0;
  }
  const record = join(config.data, RULES_RECORD);
  for (
    const until = systemClock.now() + RELOAD_MS;
    systemClock.now() < until;
    await systemClock.wait(LOOK_MS)
  ) {
    if (digest !== undefined && (await digestIn(record)) === digest) {
      console.log(`The running bridge uses ${name} (${count} rules).`);
      return 0;
    }
  }
  console.error(
    `${name} is valid (${count} rules), but no running bridge with the data folder ${config.data} uses it. Start the bridge, or check its log.`,
  );
  return UNAVAILABLE;
}

/** Exit code if no running bridge uses the rules (EX_UNAVAILABLE of sysexits). */
const UNAVAILABLE = 69;

/** Returns the digest of the rules that a running bridge uses; undefined if no bridge runs. */
async function digestIn(record: string): Promise<unknown> {
  const value: unknown = await readFile(record, 'utf8').then(JSON.parse, () => undefined);
  return isTree(value) && typeof value.process === 'number' && runs(value.process) ? value.digest : undefined;
}

function runs(process_: number): boolean {
  try {
    return process.kill(process_, 0);
  } catch {
    return false;
  }
}
