/** Asks the agent once and folds its answer into the document as it arrives. */

import { BridgeError } from '../errors.ts';
import type { Act, Cast } from './act.ts';
import type { AgentEvent, Question } from './agent.ts';
import { addNotice, fold } from './compose.ts';
import { addLateSources } from './late-sources.ts';
import { makeQuestion } from './question.ts';
import type { SessionState } from './stores.ts';

const NOTHING_EARLIER: SessionState = { history: [] };

export async function askAgent(act: Act, cast: Cast): Promise<void> {
  const earlier = (await act.parts.sessions.find(cast.session)) ?? NOTHING_EARLIER;
  const question = await prepare(act, cast, earlier);
  await act.stage.recorder.record({
    phase: 'asking',
    agent: cast.agent.name,
    ...(cast.account !== undefined && { account: cast.account }),
  });
  act.stage.see('asking', { session: question.session !== undefined, images: question.images.length });
  let chatRecord: string | undefined;
  for await (const event of cast.agent.gateway.ask(question, act.scope.asking)) {
    if (event.type === 'record') chatRecord = event.chatRecord;
    await take(event, act, { cast, earlier });
  }
  await end(act, cast, { earlier, question, chatRecord });
}

async function prepare(act: Act, cast: Cast, earlier: SessionState): Promise<Question> {
  const { message } = act.claim.turn;
  const { question, notices } = await makeQuestion(message, {
    agent: cast.agent,
    account: cast.account,
    earlier,
    signal: act.scope.asking,
    openFile: (file, limit) =>
      act.parts.adapter(message.thread.channel).openFile(file, limit, act.scope.asking),
  });
  if (question.images.length > 0) act.stage.see('images', { count: question.images.length });
  for (const notice of notices) act.stage.update((document) => addNotice(document, notice));
  return question;
}

async function take(
  event: AgentEvent,
  act: Act,
  { cast, earlier }: { cast: Cast; earlier: SessionState },
): Promise<void> {
  const { stage, parts } = act;
  // Before any text is composed: from here on the question is never asked again by itself (trust.md 2).
  if (event.type === 'text' && stage.document().text === '' && event.text !== '') {
    await stage.recorder.record({ phase: 'answering' });
    stage.see('answering');
  }
  if (event.type === 'session') {
    await stage.recorder.record({ session: event.session });
    await parts.sessions.save(cast.session, { ...earlier, session: event.session });
    stage.see('session');
  }
  if (event.type === 'record') await stage.recorder.record({ chatRecord: event.chatRecord });
  if (event.type === 'remark') stage.see('remark', { remark: event.remark });
  stage.update((document) => fold(document, event));
}

interface Ended {
  readonly earlier: SessionState;
  readonly question: Question;
  readonly chatRecord: string | undefined;
}

async function end(act: Act, cast: Cast, { earlier, question, chatRecord }: Ended): Promise<void> {
  const { stage, parts, claim } = act;
  const { text, media } = stage.document();
  if (text === '' && media.length === 0) {
    throw new BridgeError('platform-empty', `The agent "${cast.agent.name}" ended without any text.`);
  }
  await stage.recorder.recordEnding(stage.document());
  stage.see('ending', { chars: text.length });
  if (cast.agent.gateway.memory === 'history') {
    const history = [...earlier.history, { question: question.text, answer: text }];
    await parts.sessions.save(cast.session, { ...earlier, history });
  }
  await addLateSources(act, cast, chatRecord);
  await parts.memory.keepSources(claim.turn.message.thread, stage.document().sources);
}
