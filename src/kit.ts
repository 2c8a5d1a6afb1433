/** The published interface for channels, `parley/kit`: what every channel needs. */

export { z } from 'zod';
export type { Finding } from './core/agents/agent.ts';
export type { ReplyWriter } from './core/channel/adapter.ts';
export type { Intake } from './core/channel/events.ts';
export type { Clock } from './core/clock.ts';
export { turnId } from './core/ids.ts';
export type { Log } from './core/log.ts';
export type { FileRef, Message, Person, Quote, ThreadRef } from './core/message.ts';
export { isFinal, type ReplyDocument, type Source } from './core/reply.ts';
export type { Move, Outcome } from './core/screen.ts';
export type { Turn } from './core/turn.ts';
export { sourceTitle } from './core/words.ts';
export { BridgeError } from './errors.ts';
export {
  address,
  atLeast,
  type Channel,
  defineChannel,
  type Environment,
  enabledSetting,
  isLoopback,
  promptsSetting,
  proofAddress,
  type Shared,
  secretSetting,
  switchSetting,
  valueAt,
} from './kit/channel.ts';
export type { AdapterHost, ChannelAdapter } from './kit/host.ts';
export { defined } from './kit/json.ts';
export { withPackages } from './kit/optional-package.ts';
export { createPresses, type Presses } from './kit/presses.ts';
export { question } from './kit/question.ts';
export { createBodyReader } from './kit/receiving.ts';
export { isSameSecret } from './kit/same-secret.ts';
export { listen } from './kit/stray.ts';
export { type ActionName, isActionName, type Press } from './reply/actions/press.ts';
export { actions, openReply, press } from './reply/actions/table.ts';
export { documentWriter } from './reply/document-writer.ts';
export { withEvents } from './reply/events.ts';
