/** The published interface for channels, `parley/kit`: what every channel needs. */

export { z } from 'zod';
export type { Finding } from './core/agents/agent.ts';
export type { ReplyWriter } from './core/channel/adapter.ts';
export type { Intake, IntakeResult } from './core/channel/events.ts';
export type { FamilyLimit } from './core/channel/limits.ts';
export { type Clock, within } from './core/clock.ts';
export { type AgentName, agentName, turnId } from './core/ids.ts';
export type { Log } from './core/log.ts';
export type { FileRef, Message, Person, Quote, ThreadRef, Verdict } from './core/message.ts';
export {
  isFinal,
  type Media,
  type Notice,
  type ReplyDocument,
  type Source,
  type Step,
} from './core/reply.ts';
export type { Move, Outcome } from './core/screen.ts';
export type { Turn } from './core/turn.ts';
export { sourceTitle } from './core/words.ts';
export { BridgeError } from './errors.ts';
export { type Background, createBackground } from './kit/background.ts';
export {
  address,
  atLeast,
  bracketed,
  type Channel,
  type Definition,
  defineChannel,
  type Environment,
  enabledSetting,
  type Fault,
  isLoopback,
  KEY_CHARACTERS,
  PROOF_PATH,
  promptsSetting,
  proofAddress,
  type Shared,
  secretSetting,
  switchSetting,
  type Tree,
  valueAt,
} from './kit/channel.ts';
export type { AdapterHost, ChannelAdapter, HttpHandler } from './kit/host.ts';
export { defined } from './kit/json.ts';
export { withPackages } from './kit/optional-package.ts';
export { createPresses, type Presses } from './kit/presses.ts';
export { question } from './kit/question.ts';
export { isSameSecret } from './kit/same-secret.ts';
export { listen } from './kit/stray.ts';
export { timeLimit } from './kit/time-limit.ts';
export {
  type ActionName,
  isActionName,
  type Press,
  type PressContext,
  type Pressed,
} from './reply/actions/press.ts';
export { openReply, press } from './reply/actions/table.ts';
export { documentWriter } from './reply/document-writer.ts';
export { withEvents } from './reply/events.ts';
