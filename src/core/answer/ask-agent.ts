/** Asks the agent once and adds its answer to the document as it arrives. */

import { asBridgeError, BridgeError } from '../../errors.ts';
import type { AgentEvent, AskingGuard, Exchange, Question } from '../agents/agent.ts';
import { OVER, orAborted } from '../clock.ts';
import { addNotice, fold, resume } from '../live-reply/compose.ts';
import type { Notice } from '../reply.ts';
import { replyOf } from '../stores/finished-replies.ts';
import { type SessionState, withoutReply } from '../stores/sessions.ts';
import { words } from '../words.ts';
import { checkAccount, whileAccountCounts } from './accounts.ts';
import { documentsFor } from './documents.ts';
import { fromStore } from './from-store.ts';
import { addLateSources, storedRecord } from './late-sources.ts';
import { waitForLease } from './lease.ts';
import { isPersonalDataPrompt, offerChoices, withoutPersonalDataIn } from './personal-data.ts';
import { makeQuestion } from './question.ts';
import { noteAnswered, type ResolvedAgent, type TurnContext } from './turn-context.ts';

const NOTHING_EARLIER: SessionState = { history: [] };

/** Asks the agent. If the agent's platform is down, postpones the turn. */
export async function askAgent(context: TurnContext, resolved: ResolvedAgent): Promise<void> {
  const { health } = resolved.agent;
  if (health === undefined) return askNow(context, resolved, () => undefined);
  const { scope, claim } = context;
  const asking = health.admit(claim.turn.id);
  if (asking === undefined) return postpone(context, resolved, false);
  try {
    await askNow(context, resolved, asking.answered);
  } catch (thrown) {
    const isDown = !scope.asking.aborted && (await orAborted(asking.failed(thrown), scope.asking));
    // As soon as a part of the answer has arrived, the agent may have acted, so it is not asked again.
    if (!isDown || hasBegun(context)) throw thrown;
    const { code, message } = asBridgeError(thrown);
    context.liveReply.emit('trouble', { code, cause: message });
    postpone(context, resolved, true);
  } finally {
    asking.end();
  }
}

function hasBegun({ liveReply }: TurnContext): boolean {
  const { text, steps } = liveReply.document();
  return text !== '' || steps.length > 0;
}

/** Interrupts the turn, so that its claim ends and the question is asked later. */
function postpone({ scope }: TurnContext, { agent }: ResolvedAgent, isAsked: boolean): void {
  scope.interrupt({ kind: 'postponed', agent: agent.name, asked: isAsked });
  scope.asking.throwIfAborted();
}

async function askNow(context: TurnContext, resolved: ResolvedAgent, answered: () => void): Promise<void> {
  await checkAccount(context, resolved);
  const earlier = await findEarlier(context, resolved);
  let question: CompleteAnswer | undefined;
  await whileAccountCounts(context, resolved, async () => {
    question = await receive(context, resolved, { earlier, answered });
  });
  if (question !== undefined) await end(context, resolved, { earlier, ...question });
}

/** Asks the agent, and resolves once the whole answer has arrived. */
async function receive(
  context: TurnContext,
  resolved: ResolvedAgent,
  { earlier, answered }: { readonly earlier: SessionState; answered(): void },
): Promise<CompleteAnswer> {
  const question = await prepare(context, resolved, earlier);
  await context.liveReply.recorder.recordAsking({
    agent: resolved.agent.name,
    ...(resolved.account !== undefined && { account: resolved.account }),
  });
  context.liveReply.emit('asking', {
    interface: resolved.agent.interface,
    session: question.session !== undefined,
    images: question.images.length,
  });
  let chatRecord: string | undefined;
  let session = earlier.session;
  let unsaved: SessionState | undefined;
  const { asking } = context.scope;
  const guard: AskingGuard = {
    async ready() {
      await waitForLease(context);
      asking.throwIfAborted();
    },
    maySend: () => context.deps.inbox.holdsLease(context.claim),
  };
  for await (const event of resolved.agent.gateway.ask(question, asking, guard)) {
    answered();
    context.liveReply.update(resume);
    if (event.type === 'record') chatRecord = event.chatRecord;
    if (event.type === 'session') {
      session = event.session;
      const state = { session, history: [] };
      unsaved = (await keepSession(session, context, resolved, state)) ? undefined : state;
    }
    await take(event, context, resolved.agent.platform);
  }
  return { question, chatRecord, session, unsaved };
}

/**
 * Returns the earlier conversation. If the store fails, the agent is asked without it, and the reply shows a remark
 * (fault F29).
 */
async function findEarlier(context: TurnContext, resolved: ResolvedAgent): Promise<SessionState> {
  const { deps, scope, liveReply } = context;
  try {
    const read = reader(context, resolved);
    if (read !== undefined && resolved.agent.gateway.memory === 'history') return { history: await read() };
    const find = () => deps.sessions.find(resolved.session);
    const state = (await (deps.inbox.isShared ? fromStore(context, find) : find())) ?? NOTHING_EARLIER;
    if (read !== undefined && state.session === undefined) return { history: await read() };
    return withoutReply(state, replyOf(context.claim.turn));
  } catch (thrown) {
    scope.asking.throwIfAborted();
    liveReply.emit('trouble', { code: asBridgeError(thrown).code, what: 'session' });
    liveReply.update((document) => fold(document, { type: 'remark', remark: 'context-lost' }));
    return NOTHING_EARLIER;
  }
}

/**
 * Returns a function that reads earlier exchanges from the channel. Returns undefined if the agent has sessions, or
 * if the channel offers no history because the bridge stores the exchanges.
 */
function reader(
  { deps, claim, scope }: TurnContext,
  { agent }: ResolvedAgent,
): (() => Promise<readonly Exchange[]>) | undefined {
  if (agent.gateway.memory === 'session') return undefined;
  const { message } = claim.turn;
  const history = deps.adapter(message.thread.channel).abilities.lookup?.history;
  return history && (() => history(message, agent.name, scope.asking));
}

async function prepare(
  context: TurnContext,
  resolved: ResolvedAgent,
  earlier: SessionState,
): Promise<Question> {
  const { message } = context.claim.turn;
  const { lite } = context.deps.room(message.thread);
  const { question, notices } = await makeQuestion(message, {
    agent: resolved.agent,
    account: resolved.account,
    locale: message.sender.locale,
    language: await languageOf(context),
    documents: documentsFor(context, resolved),
    earlier: { ...earlier, history: await historyToSend(context, earlier.history) },
    skipHint: context.choice === 'send',
    ...(lite !== undefined && { lite }),
    signal: context.scope.asking,
    openFile: (file, limit) =>
      context.deps.adapter(message.thread.channel).openFile(file, limit, context.scope.asking),
  });
  if (question.images.length > 0) context.liveReply.emit('images', { count: question.images.length });
  const { sandboxed } = context.deps;
  const footer: readonly Notice[] = sandboxed?.has(message.thread.channel)
    ? [{ tone: 'info', text: words.sandboxAnswers }]
    : [];
  for (const notice of [...notices, ...footer])
    context.liveReply.update((document) => addNotice(document, notice));
  return question;
}

/**
 * Removes personal data from earlier questions if the platform has asked for consent in this thread. Needed because a
 * channel's own history still contains the data that people chose not to send.
 */
async function historyToSend(context: TurnContext, history: readonly Exchange[]) {
  const { deps, claim, choice } = context;
  if (choice === 'send' || history.length === 0) return history;
  const hasPrompted = await fromStore(context, () => deps.memory.hasPrompted(claim.turn.message.thread));
  return hasPrompted ? withoutPersonalDataIn(history) : history;
}

/** Returns the language chosen for the thread, or else the one that the asker chose for all threads. */
async function languageOf({ deps, claim }: TurnContext): Promise<string | undefined> {
  const { thread, sender } = claim.turn.message;
  return (await deps.memory.language(thread).catch(() => undefined)) ?? sender.language;
}

async function take(
  event: AgentEvent,
  { liveReply }: TurnContext,
  platform: string | undefined,
): Promise<void> {
  // The phase is recorded before any text is shown, so that a restarted bridge never asks the question again (delivery
  // contract 2).
  if (event.type === 'text' && liveReply.document().text === '' && event.text !== '') {
    await liveReply.recorder.record({ phase: 'answering' });
    liveReply.emit('answering');
  }
  if (event.type === 'record')
    await liveReply.recorder.record({ chatRecord: storedRecord(platform, event.chatRecord) });
  if (event.type === 'remark') liveReply.emit('remark', { remark: event.remark });
  if (event.type === 'media' && platform !== undefined) {
    const { media } = event;
    const marked = { ...event, media: { ...media, ref: { ...media.ref, platform } } };
    liveReply.update((document) => fold(document, marked));
  } else liveReply.update((document) => fold(document, event));
}

/** Saves the platform's session id. Returns false if the thread's session state could not be stored. */
async function keepSession(
  session: string,
  context: TurnContext,
  resolved: ResolvedAgent,
  state: SessionState,
): Promise<boolean> {
  // Start both writes before waiting, so that they share one commit.
  const recorded = context.liveReply.recorder.record({ session });
  const isSaved = await remember(context, resolved, state);
  await recorded;
  context.liveReply.emit('session', { session });
  return isSaved;
}

/** Stores the session state. Returns false if the store failed, which does not end the answer (fault F29). */
async function remember(
  { deps, liveReply }: TurnContext,
  { session }: ResolvedAgent,
  state: SessionState,
): Promise<boolean> {
  try {
    await deps.sessions.save(session, state);
    return true;
  } catch (thrown) {
    liveReply.emit('trouble', { code: asBridgeError(thrown).code, what: 'session' });
    return false;
  }
}

/** Facts known once the whole answer has arrived. */
interface CompleteAnswer {
  /** Session state that the store failed to save. */
  readonly unsaved: SessionState | undefined;
  readonly question: Question;
  readonly chatRecord: string | undefined;
  /** The agent's newest session; undefined if it has none. */
  readonly session: string | undefined;
}

interface Ended extends CompleteAnswer {
  readonly earlier: SessionState;
}

async function end(context: TurnContext, resolved: ResolvedAgent, ended: Ended): Promise<void> {
  const { chatRecord } = ended;
  const { liveReply, deps, claim } = context;
  const { thread, sender } = claim.turn.message;
  const { text, media } = liveReply.document();
  if (text === '' && media.length === 0) {
    throw new BridgeError('platform-empty', `The agent "${resolved.agent.name}" ended without any text.`);
  }
  const isPrompt = asksConsent(context, resolved, ended.question);
  if (isPrompt) liveReply.update(offerChoices);
  // Late sources may take seconds, so the answer is recorded before they arrive.
  await Promise.all([liveReply.recorder.recordEnding(liveReply.document()), noteAnswered(context)]);
  // The new owner may have removed the reply since, together with the history of its question.
  if (context.scope.why()?.kind === 'lost') throw OVER;
  liveReply.emit('ending', { chars: text.length, ...(chatRecord !== undefined && { chatRecord }) });
  // While the platform waits for consent, the question stays out of the history, so that it is not sent with the next
  // question.
  await keepState(context, resolved, isPrompt ? ended.unsaved : stateAfter(context, resolved, ended));
  await addLateSources(context, resolved, chatRecord);
  const { sources } = liveReply.document();
  await deps.memory.keepAnswer(thread, claim.turn.id, sources);
  if (!isPrompt) return;
  if (sources.length === 0) await deps.memory.keepPrompt(thread, sender.id, claim.turn.id);
  else await keepState(context, resolved, stateAfter(context, resolved, ended));
}

/** Stores the session state. Shows a warning in the reply if the store fails (fault F29). */
async function keepState(
  context: TurnContext,
  resolved: ResolvedAgent,
  state: SessionState | undefined,
): Promise<void> {
  if (state === undefined || (await remember(context, resolved, state))) return;
  context.liveReply.update((document) => addNotice(document, { tone: 'warning', text: words.notRemembered }));
}

/**
 * True if the answer is the platform's prompt about personal data. Always false if the person has just answered such
 * a prompt.
 */
function asksConsent(
  { liveReply, choice }: TurnContext,
  { agent }: ResolvedAgent,
  { text }: Question,
): boolean {
  const { canSkipHint = false } = agent.gateway;
  return canSkipHint && choice === undefined && isPersonalDataPrompt(text, liveReply.document());
}

/** Returns the session state to save once the answer is complete; undefined if there is none. */
function stateAfter(
  context: TurnContext,
  resolved: ResolvedAgent,
  { earlier, session, unsaved, question }: Ended,
): SessionState | undefined {
  const hasSession = resolved.agent.gateway.memory === 'session' || session !== undefined;
  if (hasSession || reader(context, resolved) !== undefined) return unsaved;
  const { text } = context.liveReply.document();
  const exchange = { question: question.text, answer: text, reply: replyOf(context.claim.turn) };
  return { ...earlier, history: [...earlier.history, exchange] };
}
