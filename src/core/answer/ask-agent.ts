/** Asks the agent once and folds its answer into the document as it arrives. */

import { asBridgeError, BridgeError } from '../../errors.ts';
import type { AgentEvent, Exchange, Question } from '../agents/agent.ts';
import { addNotice, fold } from '../live-reply/compose.ts';
import { type SessionState, withoutReply } from '../stores/sessions.ts';
import { replyOf } from '../stores/shelf.ts';
import { words } from '../words.ts';
import type { Act, Cast } from './act.ts';
import { documentsFor } from './documents.ts';
import { addLateSources } from './late-sources.ts';
import { isPersonalDataPrompt, offerChoices, withoutPersonalDataIn } from './personal-data.ts';
import { makeQuestion } from './question.ts';

const NOTHING_EARLIER: SessionState = { history: [] };

export async function askAgent(act: Act, cast: Cast): Promise<void> {
  const earlier = await findEarlier(act, cast);
  const question = await prepare(act, cast, earlier);
  await act.stage.recorder.record({
    phase: 'asking',
    agent: cast.agent.name,
    ...(cast.account !== undefined && { account: cast.account }),
  });
  act.stage.see('asking', { session: question.session !== undefined, images: question.images.length });
  let chatRecord: string | undefined;
  let unsaved: SessionState | undefined;
  for await (const event of cast.agent.gateway.ask(question, act.scope.asking)) {
    if (event.type === 'record') chatRecord = event.chatRecord;
    if (event.type === 'session') {
      const state = { ...earlier, session: event.session };
      unsaved = (await keepSession(event.session, act, { cast, state })) ? undefined : state;
    }
    await take(event, act);
  }
  await end(act, cast, { earlier, unsaved, question, chatRecord });
}

/** A store that cannot tell the earlier conversation costs the context, and says so; never the answer (fault F29). */
async function findEarlier(act: Act, cast: Cast): Promise<SessionState> {
  const { parts, scope, stage } = act;
  try {
    const history = await reader(act, cast)?.();
    if (history) return { history };
    const state = (await parts.sessions.find(cast.session)) ?? NOTHING_EARLIER;
    return withoutReply(state, replyOf(act.claim.turn));
  } catch (thrown) {
    scope.asking.throwIfAborted();
    stage.see('trouble', { code: asBridgeError(thrown).code, what: 'session' });
    stage.update((document) => fold(document, { type: 'remark', remark: 'context-lost' }));
    return NOTHING_EARLIER;
  }
}

/** How to read the earlier exchanges of an agent without sessions, where the channel forbids keeping them. */
function reader(
  { parts, claim, scope }: Act,
  { agent }: Cast,
): (() => Promise<readonly Exchange[]>) | undefined {
  if (agent.gateway.memory === 'session') return undefined;
  const { message } = claim.turn;
  const history = parts.adapter(message.thread.channel).abilities.lookup?.history;
  return history && (() => history(message, agent.name, scope.asking));
}

async function prepare(act: Act, cast: Cast, earlier: SessionState): Promise<Question> {
  const { message } = act.claim.turn;
  const { question, notices } = await makeQuestion(message, {
    agent: cast.agent,
    account: cast.account,
    locale: message.sender.locale,
    language: await languageOf(act),
    documents: documentsFor(act, cast),
    earlier: { ...earlier, history: await historyToSend(act, earlier.history) },
    skipHint: act.choice === 'send',
    signal: act.scope.asking,
    openFile: (file, limit) =>
      act.parts.adapter(message.thread.channel).openFile(file, limit, act.scope.asking),
  });
  if (question.images.length > 0) act.stage.see('images', { count: question.images.length });
  for (const notice of notices) act.stage.update((document) => addNotice(document, notice));
  return question;
}

/**
 * Removes personal data from earlier questions once the platform has asked for consent in the thread: a channel that
 * keeps the history itself still holds the data that people chose not to send.
 */
async function historyToSend({ parts, claim, choice }: Act, history: readonly Exchange[]) {
  if (choice === 'send' || history.length === 0) return history;
  const hasPrompted = await parts.memory.hasPrompted(claim.turn.message.thread);
  return hasPrompted ? withoutPersonalDataIn(history) : history;
}

/** The language chosen for the thread, else the asker's own choice for all threads. */
async function languageOf({ parts, claim }: Act): Promise<string | undefined> {
  const { thread, sender } = claim.turn.message;
  return (await parts.memory.language(thread).catch(() => undefined)) ?? sender.language;
}

async function take(event: AgentEvent, { stage }: Act): Promise<void> {
  // Before any text is composed: from here on the question is never asked again by itself (delivery contract 2).
  if (event.type === 'text' && stage.document().text === '' && event.text !== '') {
    await stage.recorder.record({ phase: 'answering' });
    stage.see('answering');
  }
  if (event.type === 'record') await stage.recorder.record({ chatRecord: event.chatRecord });
  if (event.type === 'remark') stage.see('remark', { remark: event.remark });
  stage.update((document) => fold(document, event));
}

/** Returns false if the session's state could not be saved. */
async function keepSession(
  session: string,
  act: Act,
  { cast, state }: { cast: Cast; state: SessionState },
): Promise<boolean> {
  // Start both writes before waiting, so that they share one commit.
  const recorded = act.stage.recorder.record({ session });
  const isSaved = await remember(act, cast, state);
  await recorded;
  act.stage.see('session', { session });
  return isSaved;
}

/** Returns false if the store failed to save the state, which does not end the answer (fault F29). */
async function remember({ parts, stage }: Act, { session }: Cast, state: SessionState): Promise<boolean> {
  try {
    await parts.sessions.save(session, state);
    return true;
  } catch (thrown) {
    stage.see('trouble', { code: asBridgeError(thrown).code, what: 'session' });
    return false;
  }
}

interface Ended {
  readonly earlier: SessionState;
  /** Session state that the store failed to save. */
  readonly unsaved: SessionState | undefined;
  readonly question: Question;
  readonly chatRecord: string | undefined;
}

async function end(act: Act, cast: Cast, ended: Ended): Promise<void> {
  const { chatRecord } = ended;
  const { stage, parts, claim } = act;
  const { thread, sender } = claim.turn.message;
  const { text, media } = stage.document();
  if (text === '' && media.length === 0) {
    throw new BridgeError('platform-empty', `The agent "${cast.agent.name}" ended without any text.`);
  }
  const isPrompt = asksConsent(act, cast, ended.question);
  if (isPrompt) stage.update(offerChoices);
  await stage.recorder.recordEnding(stage.document());
  stage.see('ending', { chars: text.length, ...(chatRecord !== undefined && { chatRecord }) });
  // A question that awaits consent stays out of the history, so the next question does not send it.
  await keepState(act, cast, isPrompt ? ended.unsaved : stateAfter(act, cast, ended));
  await addLateSources(act, cast, chatRecord);
  const { sources } = stage.document();
  await parts.memory.keepAnswer(thread, claim.turn.id, sources);
  if (!isPrompt) return;
  if (sources.length === 0) await parts.memory.keepPrompt(thread, sender.id, claim.turn.id);
  else await keepState(act, cast, stateAfter(act, cast, ended));
}

/** Tells the reader if context was lost (fault F29). */
async function keepState(act: Act, cast: Cast, state: SessionState | undefined): Promise<void> {
  if (state === undefined || (await remember(act, cast, state))) return;
  act.stage.update((document) => addNotice(document, { tone: 'warning', text: words.notRemembered }));
}

/** True if the answer is the platform's prompt about personal data. False for the answer to a choice, which gave consent. */
function asksConsent({ stage, choice }: Act, { agent }: Cast, { text }: Question): boolean {
  const { canSkipHint = false } = agent.gateway;
  return canSkipHint && choice === undefined && isPersonalDataPrompt(text, stage.document());
}

/** The session state still to be saved once the answer is complete; undefined if there is none. */
function stateAfter(act: Act, cast: Cast, { earlier, unsaved, question }: Ended): SessionState | undefined {
  if (cast.agent.gateway.memory === 'session' || reader(act, cast) !== undefined) return unsaved;
  const { text } = act.stage.document();
  const exchange = { question: question.text, answer: text, reply: replyOf(act.claim.turn) };
  return { ...earlier, history: [...earlier.history, exchange] };
}
