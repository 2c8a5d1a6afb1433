/** The public interface for channel adapters. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ChannelAdapter as Adapter } from './core/channel/adapter.ts';
import type { Handler, AdapterHost as Host } from './core/channel/host.ts';

export type AdapterHost = Host<IncomingMessage, ServerResponse>;
/** The parts of the host that presses, forms and commands need. */
export type InteractionHost = Pick<
  AdapterHost,
  | 'intake'
  | 'agents'
  | 'refusal'
  | 'pressRefusal'
  | 'noteAct'
  | 'corrections'
  | 'reply'
  | 'sourceLink'
  | 'state'
  | 'secrets'
  | 'clock'
  | 'log'
>;
export type ChannelAdapter = Adapter<IncomingMessage, ServerResponse>;
export type HttpHandler = Handler<IncomingMessage, ServerResponse>;

export type { MentionRule } from './core/agents/access.ts';
export type { Exchange, Finding, OpenedMedia, Remark } from './core/agents/agent.ts';
export { boundedHistory } from './core/agents/history.ts';
export { imageTypeOf } from './core/agents/image.ts';
export type { Abilities, IdentityProof, Lookup, ReplyWriter, SignIn } from './core/channel/adapter.ts';
export type { Intake, IntakeResult } from './core/channel/events.ts';
export type { AgentCard, KeptReply, SideCall, SidePermit } from './core/channel/host.ts';
export type { CallWindow, FamilyLimit, SharedWindows } from './core/channel/limits.ts';
export { type Clock, orAborted, within } from './core/clock.ts';
export { commandList } from './core/commands/reading.ts';
export { type AgentName, agentName, type LaneKey, laneKey, type TurnId, turnId } from './core/ids.ts';
export { canonicalLanguage, languages } from './core/languages.ts';
export type { Log } from './core/log.ts';
export {
  type FileRef,
  foldedEmail,
  type Message,
  type Origin,
  type Person,
  type Quote,
  type ThreadRef,
  type Verdict,
} from './core/message.ts';
export {
  type Editions,
  type Fragment,
  isFinal,
  type Media,
  type MediaRef,
  marksOf,
  type Notice,
  type ReplyDocument,
  type ReplyState,
  type Source,
  type Step,
} from './core/reply.ts';
export type { Move, Outcome, OutcomeWhy, Part, Screen, Shown } from './core/screen.ts';
export type {
  CodeAnswer,
  LinkPages,
  LinkProofs,
  ProofAttempt,
  ProvenPerson,
} from './core/stores/account-links.ts';
export type { Act } from './core/stores/audit.ts';
export {
  createEngagement,
  type Engagement,
  type Overheard,
  questionsIn,
  type Replayed,
} from './core/stores/engagement.ts';
export type { ForgetTarget, Removed } from './core/stores/forgetting.ts';
export { type Keyed, type KeyValues, type Owner, ownerIn } from './core/stores/keyed.ts';
export type { Interruption, Phase, Terminal, Turn } from './core/turn.ts';
export type { CoreEvent, TroubleStep } from './core/turn-events.ts';
export { sourceTitle } from './core/words.ts';
export { BridgeError, type ErrorCode, PRESS_RETRY } from './errors.ts';
export { type Background, createBackground } from './kit/background.ts';
export { createKeptList, type KeptList } from './kit/kept-list.ts';
export { createOnce, type Once } from './kit/once.ts';
export { BODY_BYTES, createBodyReader, type Read } from './kit/receiving.ts';
export {
  type CorrectableReply,
  type CorrectionForm,
  offersCorrection,
  openCorrection,
  storeCorrection,
  type Wording,
  type WordingLimits,
} from './reply/actions/correct.ts';
export {
  type ActionName,
  type Asked,
  isActionName,
  type Press,
  type PressContext,
  type Pressed,
  type Refused,
  refused,
  type SeenReply,
} from './reply/actions/press.ts';
export {
  actions,
  answered,
  isForTurns,
  noteShare,
  openReply,
  personOf,
  press,
  taken,
} from './reply/actions/table.ts';
export { words as actionWords } from './reply/actions/words.ts';
export { type DocumentEdit, documentWriter } from './reply/document-writer.ts';
export { type ReplyEvents, type TellingWriter, withEvents } from './reply/events.ts';
export { type Cut, Extent, hasWords, isBlank } from './reply/ladder/extent.ts';
export { createLadder } from './reply/ladder/ladder.ts';
export { isLater, lostNow } from './reply/ladder/lost.ts';
export { hashOf, isLeft, isUnsaid, onwardAt } from './reply/ladder/part.ts';
export {
  type Call as LadderCall,
  type Emitted,
  type LadderPart,
  type LadderScreen,
  type LivePart,
  type Lost,
  type Of as CallOf,
  type OpeningWay,
  type OwnCall,
  REFUSED,
  type Result as LadderResult,
  type StreamSurface,
  type Surface,
  type View as LadderView,
} from './reply/ladder/surface.ts';
export type { Alignment, Block, Cell, Inline, ListItem, PlacedBlock, Span } from './reply/markdown/blocks.ts';
export { GrowingMarkdown } from './reply/markdown/growing.ts';
export { imageWords, plainInline, showsAddress } from './reply/markdown/inline.ts';
export { labelMisleads, type SafeDestination, safeDestination } from './reply/markdown/links.ts';
export { mend } from './reply/markdown/mend.ts';
export { parse } from './reply/markdown/parse.ts';
export { passageBlocks, passageText } from './reply/markdown/passage.ts';
export { plain, plainBlocks, withAddresses } from './reply/markdown/plain.ts';
export { type Definitions, definitionsIn, inlined } from './reply/markdown/references.ts';
export { marksIn, type NumberedSource, numberSources, renumbered } from './reply/markdown/sources.ts';
