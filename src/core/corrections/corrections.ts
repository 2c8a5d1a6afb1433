/** Stores corrected answers on the platform, as question-answer pairs in knowledge workspaces. Stores each pair once. */

import { BridgeError } from '../../errors.ts';
import type { Permissions } from '../access/permissions.ts';
import { type AccessPolicy, accountFor, type RoomRules } from '../agents/access.ts';
import type { Directory } from '../agents/routing.ts';
import type { Clock } from '../clock.ts';
import type { AgentName, TurnId } from '../ids.ts';
import type { Log } from '../log.ts';
import type { Person, ThreadRef } from '../message.ts';
import type { AccountLinks } from '../stores/account-links.ts';
import type { AskerTokens } from '../stores/asker-tokens.ts';
import { actIn, type NoteAct } from '../stores/audit.ts';
import { type Keyed, ownerIn } from '../stores/keyed.ts';
import { words } from '../words.ts';

/** A finished answer that a person corrects. */
export interface CorrectedReply {
  readonly thread: ThreadRef;
  readonly turn: TurnId;
  readonly agent: AgentName;
}

/** The workspace in which a correction is stored, and the account that stores it. */
export interface CorrectionTarget {
  /** Name of the knowledge workspace. */
  readonly workspace: string;
  /** The person's platform account; absent for the service account of the platform client. */
  readonly account?: string;
}

export interface Correction extends CorrectedReply {
  readonly by: Person;
  readonly question: string;
  readonly answer: string;
}

/**
 * `stored`: the platform confirmed the pair. `known`: the same pair was stored before. `running`: the same pair is
 * being sent. `unconfirmed`: the platform may or may not have stored the pair.
 */
export type CorrectionOutcome = 'stored' | 'known' | 'running' | 'unconfirmed';

export interface Corrections {
  /** True if a knowledge workspace can store corrections of this answer, and a rule allows somebody to correct it. */
  offered(reply: Omit<CorrectedReply, 'turn'>): boolean;
  /**
   * Resolves with where a correction by the person is stored. Resolves with undefined if the agent and the room have no
   * knowledge workspace, or if the bridge has no client of the Open API. Rejects with `access-denied` if the person
   * needs an account of their own.
   */
  target(reply: CorrectedReply, by: Person): Promise<CorrectionTarget | undefined>;
  /**
   * Stores the pair, unless the same pair of this reply was sent before. A duplicate could not be removed, because the
   * platform can neither list nor delete pairs. Rejects if the pair was certainly not stored.
   */
  store(correction: Correction, target: CorrectionTarget): Promise<CorrectionOutcome>;
}

export interface CorrectionsDeps {
  readonly directory: Directory;
  readonly permissions: Permissions;
  readonly policy: AccessPolicy;
  /** Absent if people cannot link themselves to an account. */
  readonly links?: Pick<AccountLinks, 'find'> | undefined;
  /** Absent if no agent uses the askers' own tokens. */
  readonly askers?: Pick<AskerTokens, 'find'> | undefined;
  /** True if people can sign in to the channel, so that agents can use their own tokens there. */
  readonly signsIn: (channel: string) => boolean;
  readonly room: (thread: ThreadRef) => RoomRules;
  /** Remembers which pairs were sent; contains no text. */
  readonly sent: Keyed;
  /** Returns a digest of a text, from which the text cannot be read. */
  readonly digest: (text: string) => string;
  readonly noteAct: NoteAct;
  readonly log: Log;
  readonly clock: Clock;
  /** Aborts when the bridge stops. */
  readonly signal: AbortSignal;
}

export function createCorrections(deps: CorrectionsDeps): Corrections {
  const { directory, permissions, room } = deps;
  const workspaceFor = ({ thread, agent: name }: Pick<CorrectedReply, 'thread' | 'agent'>) => {
    const agent = directory.agents.get(name);
    return agent?.library && (agent.workspace ?? room(thread).workspace);
  };
  return {
    offered: (reply) =>
      permissions.offers('correct', { ...reply.thread, agent: reply.agent }) &&
      workspaceFor(reply) !== undefined,
    async target(reply, by) {
      const workspace = workspaceFor(reply);
      if (workspace === undefined) return undefined;
      const account = await accountOf(by, reply, deps);
      return { workspace, ...(account !== undefined && { account }) };
    },
    store: (correction, target) => store(correction, target, deps),
  };
}

/**
 * Resolves with the account of the person who corrects: the account with which the same agent would answer them here.
 * Otherwise a person could write with rights that they do not have.
 */
async function accountOf(
  by: Person,
  { thread, agent: name }: CorrectedReply,
  { directory, policy, links, askers, signsIn }: CorrectionsDeps,
): Promise<string | undefined> {
  const { channel, tenant } = thread;
  const agent = directory.agents.get(name);
  if (agent?.asAsker === true && thread.kind === 'direct' && signsIn(channel)) {
    const account = await askers?.find({ channel, tenant, person: by.id }, 0);
    if (account !== undefined) return account;
    throw new BridgeError('access-denied', 'The person has no valid token of the identity provider.', {
      tellUser: words.signIn.askFirst,
    });
  }
  const listed = policy.accounts.find(by, thread);
  const own = listed ?? (await links?.find(by, thread)) ?? accountFor(by, thread, policy);
  return agent?.platform === undefined ? own : undefined;
}

/** Time for which a sent pair is remembered, in milliseconds (2 days). Replies can be corrected for one day. */
const SENT_MS = 48 * 60 * 60_000;
/** Maximum duration of a call, in milliseconds. A call that seems to run longer belongs to a process that has ended. */
const RUNNING_MS = 120_000;

/** Stored state of a question-answer pair that was sent to the platform. `at`: when the state began. */
interface Sent {
  readonly state: 'sending' | 'stored' | 'unconfirmed';
  readonly at: number;
}

async function store(
  correction: Correction,
  target: CorrectionTarget,
  deps: CorrectionsDeps,
): Promise<CorrectionOutcome> {
  const { sent, clock } = deps;
  const key = keyOf(correction, target, deps);
  const owner = { ...ownerIn(correction.thread, correction.by.id), turn: correction.turn };
  let before: unknown;
  // The mark is stored before the pair is sent, so that neither a second press nor a restart sends the pair again.
  const begun = await sent.change(
    key,
    (current) => {
      before = current;
      return current === undefined ? ({ state: 'sending', at: clock.now() } satisfies Sent) : undefined;
    },
    SENT_MS,
    owner,
  );
  if (!begun) return outcomeOf(before, clock.now());
  const state = await send(correction, target, deps).catch(async (thrown: unknown) => {
    await sent.delete(key);
    await note('refused', correction, target, deps);
    throw thrown;
  });
  // If this write fails, the stored state remains `sending`. After `RUNNING_MS`, a press then says that the pair is
  // unconfirmed.
  await sent
    .set(key, { state, at: clock.now() } satisfies Sent, SENT_MS, owner)
    .catch((err: unknown) => deps.log.warn({ err }, 'the outcome of a correction was not stored'));
  await note(state === 'stored' ? 'done' : state, correction, target, deps);
  return state;
}

const keyOf = (
  { turn, question, answer }: Correction,
  { workspace }: CorrectionTarget,
  { digest }: CorrectionsDeps,
): string => `${turn} ${digest(JSON.stringify([workspace, question, answer]))}`;

function outcomeOf(before: unknown, now: number): CorrectionOutcome {
  if (!isSent(before)) return 'unconfirmed';
  if (before.state === 'stored') return 'known';
  return before.state === 'sending' && now - before.at < RUNNING_MS ? 'running' : 'unconfirmed';
}

const isSent = (value: unknown): value is Sent =>
  typeof value === 'object' && value !== null && 'state' in value && 'at' in value;

async function send(
  { question, answer, agent }: Correction,
  { workspace, account }: CorrectionTarget,
  { directory, signal }: CorrectionsDeps,
): Promise<'stored' | 'unconfirmed'> {
  const library = directory.agents.get(agent)?.library;
  if (library === undefined) throw new BridgeError('internal', 'There is no client of the Open API.');
  return library.addPair({ question, answer }, workspace, { account, signal });
}

/** Adds the correction to the audit and to the log, without its text. */
async function note(
  outcome: 'done' | 'refused' | 'unconfirmed',
  { thread, by, turn, agent }: Correction,
  { workspace, account }: CorrectionTarget,
  { noteAct, log }: CorrectionsDeps,
): Promise<void> {
  const facts = { ...actIn(thread, by), outcome, turn, agent, ...(account !== undefined && { account }) };
  log.info({ ...facts, workspace }, 'an answer was corrected');
  await noteAct({ ...facts, action: 'correct', detail: workspace });
}
