/** From a claimed turn to its finished document: resume, route, and then a command or the agent. */

import { asBridgeError, BridgeError } from '../../errors.ts';
import { identify } from '../agents/access.ts';
import type { Agent } from '../agents/agent.ts';
import { chooseAgent, findAgent } from '../agents/routing.ts';
import { runCommand } from '../commands/commands.ts';
import type { CommandDesk } from '../commands/desk.ts';
import { type Command, commandOf } from '../commands/reading.ts';
import type { AgentName } from '../ids.ts';
import { addNotice, cast, speak } from '../live-reply/compose.ts';
import { letEdit } from '../live-reply/opening.ts';
import { change } from '../reply.ts';
import type { SessionKey } from '../stores/sessions.ts';
import { words } from '../words.ts';
import type { Act, Cast } from './act.ts';
import { askAgent } from './ask-agent.ts';
import { addLateSources } from './late-sources.ts';
import { withPromptedQuestion } from './personal-data.ts';

/** Claims of one turn before it is given up: a question that ends the process must not end it for ever. */
const MAX_ATTEMPTS = 3;

/** Resolves with the document final. Throws a `BridgeError` when it broke off, or the scope's reason. */
export async function answer(act: Act): Promise<void> {
  const { turn } = act.claim;
  if (act.scope.why()?.kind === 'withdrawn' || turn.origin.kind === 'withdraw') return;
  await nameEdition(act);
  // Before any interruption: an answer that is whole stays whole.
  if (turn.phase === 'ending') return finishResumed(act);
  act.scope.asking.throwIfAborted();
  if (act.claim.damaged) {
    throw new BridgeError('turn-damaged', 'What the store kept of this turn cannot be read.');
  }
  if (turn.phase === 'answering') {
    throw interrupted();
  }
  if (turn.attempt > MAX_ATTEMPTS) {
    throw new BridgeError('turn-gave-up', `The turn was claimed ${turn.attempt} times without an answer.`);
  }
  await letEdit(turn, act.parts.clock, act.scope.asking);
  const [completed] = await Promise.all([complete(act), act.stage.begun]);
  act.scope.asking.throwIfAborted();
  const told = await withPromptedQuestion(completed);
  const chosen = await castTurn(told);
  const command = commandOf(told.claim.turn.message);
  if (command !== undefined) return obey(command, told, chosen);
  await askAgent(told, chosen);
}

/** Which version of its reply this is, where it is one of several. */
async function nameEdition({ claim: { turn }, stage, parts }: Act): Promise<void> {
  const editions = await parts.shelf.editionOf(turn).catch(() => undefined);
  if (editions !== undefined) stage.update((document) => change(document, { editions }));
}

/** With what the channel tells of the message only over the network. */
async function complete(act: Act): Promise<Act> {
  const { turn } = act.claim;
  const { lookup } = act.parts.adapter(turn.message.thread.channel).abilities;
  if (lookup === undefined) return act;
  const message = await lookup.complete(turn.message, act.scope.asking);
  return { ...act, claim: { ...act.claim, turn: { ...turn, message } } };
}

/** The agent may have acted already, so it is not asked again by itself, even where none of its text was kept. */
function interrupted(): BridgeError {
  return new BridgeError('turn-interrupted', 'The process that ran this turn ended during the answer.');
}

/** The whole text was recorded before the process ended, and is shown as done: only its sources are missing. */
async function finishResumed(act: Act): Promise<void> {
  const { agent: name, account } = act.claim.turn;
  const agent = name === undefined ? undefined : findAgent(act.parts.directory, name);
  if (agent === undefined) return;
  const session = sessionKey(act, agent, account);
  await addLateSources(act, { agent, account, session }, act.claim.turn.chatRecord);
}

async function castTurn(act: Act): Promise<Cast> {
  const { message } = act.claim.turn;
  const { parts, stage } = act;
  const chosen = await chosenAgent(act);
  const room = parts.room(message.thread);
  const agent = chooseAgent(parts.directory, {
    named: message.agent,
    thread: chosen,
    room: message.roomAgent ?? room.agent,
  });
  const question = titleOf(message.text);
  stage.update((document) => change(cast(document, agent.name, undefined), { question }));
  const { account, own } = identify(message.sender, message.thread, { policy: parts.policy, room });
  // The first agent that a thread names answers its follow-ups too, until `use` says otherwise.
  const named = act.claim.turn.origin.kind === 'message' && message.agent !== undefined;
  if (named && chosen === undefined) {
    await parts.memory.chooseAgent(message.thread, agent.name).catch((thrown: unknown) => {
      stage.see('trouble', { code: asBridgeError(thrown).code, what: 'agent' });
      stage.update((document) => addNotice(document, { tone: 'warning', text: words.notRemembered }));
    });
  }
  stage.update((document) => cast(document, agent.name, account));
  stage.see('routed', { agent: agent.name, ...(account !== undefined && { account }) });
  return { agent, account, own, session: sessionKey(act, agent, account) };
}

/** Longest title of a reply, UTF-16 units. */
const TITLE_CHARS = 80;

function titleOf(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return line.length <= TITLE_CHARS ? line : `${line.slice(0, TITLE_CHARS - 1).toWellFormed()}…`;
}

/** A choice that is no longer configured counts as none: with it `use` itself could not be said any more. */
async function chosenAgent({ claim, parts }: Act): Promise<AgentName | undefined> {
  const { thread, sender } = claim.turn.message;
  const name = await parts.memory.chosenAgent(thread, sender.id);
  return name !== undefined && findAgent(parts.directory, name) !== undefined ? name : undefined;
}

function sessionKey({ claim }: Act, agent: Agent, account: string | undefined): SessionKey {
  const thread = claim.turn.message.thread;
  return { thread, agent: agent.name, ...(account !== undefined && { account }) };
}

async function obey(command: Command, act: Act, cast: Cast): Promise<void> {
  const { text, sources = [] } = await runCommand(command, deskFor(act, cast));
  act.stage.update((document) => speak(document, text, sources));
}

function deskFor({ claim, parts, scope }: Act, cast: Cast): CommandDesk {
  const { thread, sender } = claim.turn.message;
  const { memory } = parts;
  return {
    directory: parts.directory,
    person: sender,
    thread,
    agent: cast.agent,
    account: cast.account,
    own: cast.own,
    signal: scope.asking,
    library: parts.library,
    workspace: parts.room(thread).workspace,
    lastSources: () => memory.lastSources(thread),
    lastUploads: () => memory.lastUploads(thread),
    forgetUploads: () => memory.forgetUploads(thread),
    lastAnswer: async () => {
      const turn = await memory.lastAnswer(thread);
      return turn && { turn, events: await parts.receipt(turn) };
    },
    language: () => memory.language(thread),
    speak: (language) => memory.speak(thread, language),
    use: (agent) => memory.chooseAgent(thread, agent.name, sender.id),
    forget: () => parts.sessions.forget(cast.session),
  };
}
