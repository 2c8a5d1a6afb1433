/**
 * Implements `parley forget`. The command asks for confirmation, then stores a request, which the running bridge
 * carries out, because only the bridge can stop answers and delete the channels' own data. When the bridge has done so,
 * the command prints the receipt, which says what was deleted.
 */

import { systemClock } from '../clock.ts';
import type { ForgetStore, ForgetTarget, Receipt, RemovedKind } from '../core/stores/forgetting.ts';
import { usage } from '../errors.ts';
import { requestsOf } from '../store/forgetting.ts';
import { type CommandDeps, loadSettings, type Settings } from './channels.ts';
import { confirm } from './platform/outside.ts';
import { plain, printResult } from './print.ts';
import { withEngine } from './store.ts';

/** Exit code for a command that can be repeated later (EX_TEMPFAIL of sysexits). */
const UNAVAILABLE = 75;
/** Interval between checks of whether the receipt is stored, in milliseconds. */
const LOOK_MS = 250;
const WAIT_SECONDS = 120;
const MAX_WAIT_SECONDS = 3_600;

interface ForgetOptions {
  readonly json?: true;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly wait?: string;
  readonly config?: string;
}

/**
 * Asks for confirmation, stores the request, waits at most `wait` seconds until a bridge has carried it out, and prints
 * the receipt.
 */
export async function forget(
  { json, wait, dryRun, yes, config: file }: ForgetOptions,
  deps: CommandDeps,
  [kind, id]: readonly [string, string],
): Promise<number> {
  const waitMs = secondsOf(wait) * 1_000;
  const settings = await loadSettings(deps, file);
  const target = targetOf(kind, id, settings);
  if (!dryRun && !yes && !(await isConfirmed(`${kind} ${id}`))) {
    console.error('Nothing was deleted.');
    return 1;
  }
  const receipt = await withEngine(settings.config, async (engine) => {
    const requests = requestsOf(engine);
    const id = await (dryRun ? requests.requestDryRun(target) : requests.request(target, true));
    return receiptOf(requests, id, waitMs);
  });
  if (receipt === undefined) {
    const later = dryRun ? '' : ' The next bridge that runs carries out the request.';
    console.error(
      `The request is stored, but no running bridge has carried it out within ${waitMs / 1_000} s. Start the bridge, or look into its log.${later}`,
    );
    return UNAVAILABLE;
  }
  printResult(json, { kind, id, ...receipt }, linesOf(target.kind, `${kind} ${id}`, receipt));
  return receipt.outcome === 'refused' ? 1 : 0;
}

async function isConfirmed(what: string): Promise<boolean> {
  const question = `Delete everything that is stored about ${what}? This cannot be undone. --dry-run counts it first.`;
  const answer = await confirm(plain(question));
  if (answer === undefined)
    throw usage('This cannot be undone. Add --yes to confirm, or --dry-run to count.');
  return answer;
}

async function receiptOf(
  requests: Pick<ForgetStore, 'receipt'>,
  id: string,
  waitMs: number,
): Promise<Receipt | undefined> {
  const until = systemClock.now() + waitMs;
  for (;;) {
    const receipt = await requests.receipt(id);
    if (receipt !== undefined || systemClock.now() > until) return receipt;
    await systemClock.wait(LOOK_MS);
  }
}

const FORMS: Readonly<Record<string, string>> = {
  person: 'CHANNEL/ID or CHANNEL/WORKSPACE/ID, such as slack/U024BE7LH',
  thread: 'CHANNEL/WORKSPACE/ROOM/THREAD, such as slack/T024BE7LD/C0LEGAL/1767225600.000100',
  tenant: 'CHANNEL/WORKSPACE, such as slack/T024BE7LD',
};

/** Reads the target. In ids, `%2F` stands for a slash. Throws `usage`. */
function targetOf(kind: string, id: string, { channels }: Settings): ForgetTarget {
  const form = FORMS[kind];
  if (form === undefined) throw usage(`There is no "${kind}" to forget. Write person, thread or tenant.`);
  const words = id.split('/').map((word) => word.replaceAll(/%2F/gi, '/').replaceAll('%25', '%'));
  const target = words.includes('') ? undefined : parsed(kind, words);
  if (target === undefined) throw usage(`"${id}" is not a ${kind}. Write ${form}.`);
  const known = channels.map(({ channel }) => channel.name);
  if (known.includes(target.channel)) return target;
  throw usage(`There is no channel "${target.channel}". Known: ${known.join(', ')}.`);
}

function parsed(kind: string, words: readonly string[]): ForgetTarget | undefined {
  const [channel = '', second = '', third = '', fourth = ''] = words;
  if (kind === 'person' && words.length === 2) return { kind: 'person', channel, person: second };
  if (kind === 'person' && words.length === 3)
    return { kind: 'person', channel, tenant: second, person: third };
  if (kind === 'thread' && words.length === 4)
    return { kind: 'thread', channel, tenant: second, room: third, thread: fourth };
  if (kind === 'tenant' && words.length === 2) return { kind: 'tenant', channel, tenant: second };
  return undefined;
}

function secondsOf(text = String(WAIT_SECONDS)): number {
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (seconds >= 1 && seconds <= MAX_WAIT_SECONDS) return seconds;
  throw usage(`"${text}" is not a time for --wait. Write seconds, from 1 to ${MAX_WAIT_SECONDS}.`);
}

/** Names of the kinds of deleted data, as people read them: for one item, and for several. */
const NAMES: Readonly<Record<RemovedKind, readonly [string, string]>> = {
  turns: ['turn', 'turns'],
  answers: ['finished answer', 'finished answers'],
  conversations: ['conversation with an agent', 'conversations with agents'],
  timelines: ['timeline of an answer', 'timelines of answers'],
  feedback: ['rating', 'ratings'],
  state: ['choice, look-up or other small value', 'choices, look-ups and other small values'],
  auditRecords: [
    'audit record (changed, so that it contains no text)',
    'audit records (changed, so that they contain no text)',
  ],
  messages: ['message of the console', 'messages of the console'],
  rooms: ['direct room of the console', 'direct rooms of the console'],
  files: ['file of the console', 'files of the console'],
  people: ['person of the console', 'people of the console'],
  sessions: ['sign-in session', 'sign-in sessions'],
  links: ['link to a platform account', 'links to platform accounts'],
};

/** Says what the audit still contains about a target, so that the operator can find its records. */
const inAudit: Readonly<Record<ForgetTarget['kind'], (pseudonym: string) => string>> = {
  person: (pseudonym) => `In the audit, ${pseudonym} stands for this person.`,
  thread: () => 'The audit still names the people in this thread.',
  tenant: (pseudonym) =>
    `In the audit, ${pseudonym} stands for this workspace, and for its rooms and people.`,
};

const HEADS: Readonly<Record<Receipt['outcome'], (what: string) => string>> = {
  done: (what) => `Deleted about ${what}:`,
  refused: (what) => `Nothing was deleted about ${what}.`,
  'dry-run': (what) => `Nothing was deleted. Stored about ${what}:`,
};

function linesOf(
  kind: ForgetTarget['kind'],
  what: string,
  { outcome, pseudonym, removed, remaining }: Receipt,
): readonly string[] {
  const counts = Object.entries(NAMES).flatMap(([kind, [one, several]]) => {
    const count = removed[kind as RemovedKind] ?? 0;
    return count === 0 ? [] : [`  ${count} ${count === 1 ? one : several}`];
  });
  const head =
    outcome !== 'refused' && counts.length === 0 ? `Nothing is stored about ${what}.` : HEADS[outcome](what);
  const left = remaining.flatMap(({ what: thing, why, ids = [] }) => [
    `  ${thing}. ${why}`,
    ...ids.map((id) => `    ${id}`),
  ]);
  return [
    head,
    ...counts,
    ...(left.length > 0 ? [outcome === 'dry-run' ? 'A deletion would leave:' : 'Not deleted:', ...left] : []),
    ...(outcome === 'done' ? [inAudit[kind](pseudonym)] : []),
  ];
}
