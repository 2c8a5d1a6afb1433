/**
 * Runs a claimed turn until its document is finished: resumes it, chooses the agent, and runs a command or asks the
 * agent.
 */

import { asBridgeError, BridgeError } from '../../errors.ts';
import type { Agent } from '../agents/agent.ts';
import { findAgent } from '../agents/routing.ts';
import { refusalToAsk, refusalToPress, routeOf } from '../commands/ask-rights.ts';
import { runCommand } from '../commands/commands.ts';
import type { CommandContext } from '../commands/context.ts';
import { type Command, commandOf } from '../commands/reading.ts';
import { addNotice, speak, withAgent } from '../live-reply/compose.ts';
import { interrupted, unreadable } from '../live-reply/ending.ts';
import { letEdit } from '../live-reply/opening.ts';
import { change } from '../reply.ts';
import type { SessionKey } from '../stores/sessions.ts';
import { words } from '../words.ts';
import { checkSignIn, identityFor } from './accounts.ts';
import { askAgent } from './ask-agent.ts';
import { fromStore } from './from-store.ts';
import { addLateSources, recordOn } from './late-sources.ts';
import { withPromptedQuestion } from './personal-data.ts';
import { needsAskerToken, signedInAccount } from './sign-in.ts';
import type { ResolvedAgent, TurnContext } from './turn-context.ts';

/**
 * Maximum number of claims of a turn that asked the agent, and of all its claims without postponements, so that a
 * question that crashes the process cannot crash it endlessly.
 */
const MAX_ATTEMPTS = 3;
const MAX_CLAIMS = 20;

/**
 * Resolves when the document is final. Throws a `BridgeError` if the answer failed, and the abort reason if the turn
 * was interrupted.
 */
export async function answer(context: TurnContext): Promise<void> {
  const { turn } = context.claim;
  if (context.scope.why()?.kind === 'withdrawn' || turn.origin.kind === 'withdraw') return;
  await nameEdition(context);
  // Comes before the check for interruptions, because a complete answer must not be interrupted any more.
  if (turn.phase === 'ending') return finishResumed(context);
  context.scope.asking.throwIfAborted();
  if (context.claim.damaged) throw unreadable();
  // The agent may have acted already, so it is not asked again automatically, even if none of its text was stored.
  if (turn.phase === 'answering') {
    throw interrupted();
  }
  // Claims that ended with a postponement do not count, because they did not crash the process.
  const claims = turn.attempt - (turn.postponed ?? 0);
  if (claims > MAX_CLAIMS || claims - (turn.unasked ?? 0) > MAX_ATTEMPTS) {
    throw new BridgeError('turn-gave-up', `The turn was claimed ${turn.attempt} times without an answer.`);
  }
  await letEdit(turn, context.deps.clock, context.scope.asking);
  const [completed] = await Promise.all([complete(context), context.liveReply.begun]);
  context.scope.asking.throwIfAborted();
  const withAccount = await fromStore(completed, () => withPromptedQuestion(completed));
  const chosen = await resolveAgent(withAccount);
  const command = commandOf(withAccount.claim.turn.message);
  if (command !== undefined) return obey(command, withAccount, chosen);
  await askAgent(withAccount, chosen);
}

/**
 * True if the rules changed after Retry or Regenerate was pressed, and no longer let the person ask. If the store cannot
 * be read, returns false; the rules are checked again before the agent is asked.
 */
export async function isRefused(
  { turn, interruption, damaged }: TurnContext['claim'],
  deps: TurnContext['deps'],
): Promise<boolean> {
  const { id, origin, phase, message } = turn;
  if (origin.kind !== 'retry' && origin.kind !== 'regenerate') return false;
  if (phase !== 'new' || interruption !== undefined || damaged) return false;
  return (await refusalToPress(message.sender, { id, message }, deps).catch(() => undefined)) !== undefined;
}

/** Adds the position of this version to the document if the reply has several versions. */
async function nameEdition({ claim: { turn }, liveReply, deps }: TurnContext): Promise<void> {
  const editions = await deps.finishedReplies.editionOf(turn).catch(() => undefined);
  if (editions !== undefined) liveReply.update((document) => change(document, { editions }));
}

/** Adds the parts of the message that the channel must look up over the network, such as the sender's name. */
async function complete(context: TurnContext): Promise<TurnContext> {
  const { turn } = context.claim;
  const { lookup } = context.deps.adapter(turn.message.thread.channel).abilities;
  if (lookup === undefined) return context;
  const message = await lookup.complete(turn.message, context.scope.asking);
  // Not awaited, and failures are ignored, because only operators' commands use the name.
  void context.deps.names.note(message.sender, message.thread).catch(() => undefined);
  return { ...context, claim: { ...context.claim, turn: { ...turn, message } } };
}

/** Finishes an answer whose whole text was recorded by an earlier process; fetches only its sources. */
async function finishResumed(context: TurnContext): Promise<void> {
  const { agent: name, account: used, chatRecord } = context.claim.turn;
  const agent = name === undefined ? undefined : findAgent(context.deps.directory, name);
  if (agent === undefined) return;
  const { platform } = agent;
  if (platform !== undefined) context.liveReply.update((document) => change(document, { platform }));
  const account = platform === undefined ? used : undefined;
  const session = sessionKey(context, agent, account);
  await addLateSources(context, { agent, account, session }, recordOn(platform, chatRecord));
}

async function resolveAgent(context: TurnContext): Promise<ResolvedAgent> {
  const { message } = context.claim.turn;
  const { deps, liveReply } = context;
  const { agent, chosen } = await fromStore(context, () => routeOf(message, deps));
  const question = titleOf(message.text);
  liveReply.update((document) =>
    change(withAgent(document, agent.name, undefined, agent.platform), { question }),
  );
  await admit(context, agent);
  await checkSignIn(context, context.scope.asking);
  const isAsker = needsAskerToken(context, agent);
  const mapped = isAsker ? {} : await fromStore(context, () => identityFor(context, agent));
  await countQuestion(context, agent);
  // In a room, the first agent that a message in the thread names also answers the follow-up messages, until `use` changes
  // it. In a direct chat, a name counts for its message only, because the whole chat would otherwise change its agent.
  const isNamed = context.claim.turn.origin.kind === 'message' && message.agent !== undefined;
  const keeps = isNamed && message.thread.kind !== 'direct';
  if (keeps && chosen === undefined) {
    await deps.memory.chooseAgent(message.thread, agent.name).catch((thrown: unknown) => {
      liveReply.emit('trouble', { code: asBridgeError(thrown).code, what: 'agent' });
      liveReply.update((document) => addNotice(document, { tone: 'warning', text: words.notRemembered }));
    });
  }
  const signedIn = isAsker ? await signedInAccount(context, commandOf(message)) : undefined;
  const { account = signedIn, own = signedIn } = mapped;
  liveReply.update((document) => withAgent(document, agent.name, account));
  // Everyone in a room reads the events, so the account of the person who asks is not named there.
  const isAskers = account !== undefined && account === own && message.thread.kind !== 'direct';
  const named = isAskers ? { asker: true } : account !== undefined && { account };
  liveReply.emit('routed', { agent: agent.name, ...named });
  return { agent, account, own, session: sessionKey(context, agent, account) };
}

/**
 * Throws `access-denied` if the rules do not let the sender ask this agent. For a command, it is enough that the
 * sender may ask any agent, so that people can choose another agent with `use`.
 */
async function admit({ claim, deps }: TurnContext, { name }: Agent): Promise<void> {
  const { id, message } = claim.turn;
  const { sender, thread } = message;
  const place = commandOf(message) === undefined ? { ...thread, agent: name } : thread;
  const refusal = await refusalToAsk(sender, place, { turn: id, agent: name }, deps);
  if (refusal === undefined) return;
  const { tellUser, rule } = refusal;
  const reason = rule === undefined ? 'no rule allows it' : `${rule} denies it`;
  throw new BridgeError('access-denied', `The person may not ask "${name}": ${reason}.`, { tellUser });
}

/**
 * Counts the question against the quotas. Throws `too-many-questions`, with the limit, if the question exceeds a
 * quota. Does not count commands, nor a question that was claimed before, because its first claim counted it.
 */
async function countQuestion(context: TurnContext, { name }: Agent): Promise<void> {
  const { claim, deps } = context;
  const { message, attempt } = claim.turn;
  if (attempt > 1 || commandOf(message) !== undefined) return;
  const { sender, thread } = message;
  const { limits } = deps.permissions.decide(sender, 'ask', { ...thread, agent: name });
  const exceeded = await fromStore(context, () =>
    deps.quotas.take(limits, { person: sender.id, thread, agent: name }),
  );
  if (exceeded === undefined) return;
  const { quota, waitMs } = exceeded;
  const tellUser = words.quotaReached(quota, waitMs);
  throw new BridgeError('too-many-questions', `The quota of ${quota.place} is reached.`, { tellUser });
}

/** Maximum length of a reply's title, in UTF-16 units. */
const TITLE_CHARS = 80;

function titleOf(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return line.length <= TITLE_CHARS ? line : `${line.slice(0, TITLE_CHARS - 1).toWellFormed()}…`;
}

function sessionKey({ claim }: TurnContext, agent: Agent, account: string | undefined): SessionKey {
  const thread = claim.turn.message.thread;
  return { thread, agent: agent.name, account, platform: agent.platform };
}

async function obey(command: Command, context: TurnContext, resolved: ResolvedAgent): Promise<void> {
  const { text, sources = [] } = await runCommand(command, commandContext(context, resolved));
  context.liveReply.update((document) => speak(document, text, sources));
}

function commandContext(context: TurnContext, resolved: ResolvedAgent): CommandContext {
  const { claim, deps, scope } = context;
  const { thread, sender } = claim.turn.message;
  const { memory } = deps;
  return {
    directory: deps.directory,
    person: sender,
    thread,
    permissions: deps.permissions,
    agent: resolved.agent,
    account: resolved.account,
    own: resolved.own,
    asAsker: needsAskerToken(context, resolved.agent),
    mapped: deps.policy.accounts.find(sender, thread),
    links: deps.links,
    signal: scope.asking,
    workspace: deps.room(thread).workspace,
    memory,
    noteAct: deps.noteAct,
    lastAnswer: async () => {
      const turn = await memory.lastAnswer(thread);
      return turn && { turn, events: await deps.receipt(turn) };
    },
    forget: () => deps.sessions.forget(resolved.session),
  };
}
