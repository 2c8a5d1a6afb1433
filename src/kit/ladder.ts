/**
 * The second part of the published interface, `parley/kit/ladder`, for channels with streams, cards or other unusual
 * messages: the reply ladder and the surfaces it needs, Markdown trees and their writers, received requests, and lists
 * that outlive the process.
 */

export type { MentionRule } from '../core/agents/access.ts';
export type { Exchange, Remark } from '../core/agents/agent.ts';
export { boundedHistory } from '../core/agents/history.ts';
export { imageTypeOf } from '../core/agents/image.ts';
export type { Abilities, IdentityProof, Lookup, SignIn } from '../core/channel/adapter.ts';
export type { IntakeResult } from '../core/channel/events.ts';
export type { AgentCard, KeptReply, SidePermit } from '../core/channel/host.ts';
export type { FamilyLimit, SharedWindows } from '../core/channel/limits.ts';
export { orAborted, within } from '../core/clock.ts';
export { commandList } from '../core/commands/reading.ts';
export { type AgentName, agentName, laneKey, type TurnId } from '../core/ids.ts';
export { canonicalLanguage, languages } from '../core/languages.ts';
export { foldedEmail, type Origin, type Verdict } from '../core/message.ts';
export { hides, isVisible, skeleton, visibleName } from '../core/names.ts';
export { type Fragment, type Media, marksOf, type Notice, type Step } from '../core/reply.ts';
export type { OutcomeWhy, Screen, ShownText } from '../core/screen.ts';
export type { CodeAnswer, LinkPages, LinkProofs } from '../core/stores/account-links.ts';
export {
  createEngagement,
  type Engagement,
  type Overheard,
  questionsIn,
  type Replayed,
} from '../core/stores/engagement.ts';
export type { ForgetTarget, Removed } from '../core/stores/forgetting.ts';
export { type Keyed, type KeyValues, type Owner, ownerIn } from '../core/stores/keyed.ts';
export type {
  CallBudget,
  LinkedPerson,
  OpenTurns,
  Operations,
  PageEnd,
  RatingLine,
  TurnCount,
  TurnCounted,
  TurnFilter,
  TurnLine,
  WaitReason,
} from '../core/stores/operations.ts';
export type {
  ChannelMove,
  MovedTable,
  SharedDatabase,
  StoreName,
} from '../core/stores/shared-database.ts';
export type { StoreStatus, WorkspaceStatus } from '../core/stores/status.ts';
export type { Interruption, Terminal } from '../core/turn.ts';
export type { CoreEvent, TroubleStep } from '../core/turn-events.ts';
export { type ErrorCode, PRESS_RETRY } from '../errors.ts';
export { outgoingAgent, webSocketAgent } from '../outgoing.ts';
export {
  type CorrectableReply,
  type CorrectionForm,
  offersCorrection,
  openCorrection,
  storeCorrection,
  type Wording,
} from '../reply/actions/correct.ts';
export {
  type PressContext,
  type Pressed,
  type PressQuestion,
  type Refused,
  refused,
  type SeenReply,
} from '../reply/actions/press.ts';
export { answered, isForTurns, noteShare, personOf, pressResult } from '../reply/actions/table.ts';
export { words as actionWords } from '../reply/actions/words.ts';
export type { DocumentEdit } from '../reply/document-writer.ts';
export type { ReplyEvents, TellingWriter } from '../reply/events.ts';
export { type Cut, Extent, hasWords } from '../reply/ladder/extent.ts';
export { createLadder } from '../reply/ladder/ladder.ts';
export { isLater, lostNow } from '../reply/ladder/lost.ts';
export { hashOf, isLeft, isUnsaid, onwardAt } from '../reply/ladder/part.ts';
export {
  type Call as LadderCall,
  type Emitted,
  type LadderPart,
  type LadderScreen,
  type LivePart,
  type Of as CallOf,
  type OpeningWay,
  REFUSED,
  type Result as LadderResult,
  type StreamSurface,
  type Surface,
  type View as LadderView,
} from '../reply/ladder/surface.ts';
export type { Block, Cell, Inline, ListItem, PlacedBlock } from '../reply/markdown/blocks.ts';
export { GrowingMarkdown } from '../reply/markdown/growing.ts';
export { imageWords, plainInline, showsAddress } from '../reply/markdown/inline.ts';
export { labelMisleads, type SafeDestination, safeDestination } from '../reply/markdown/links.ts';
export { mend } from '../reply/markdown/mend.ts';
export { parse } from '../reply/markdown/parse.ts';
export { passageBlocks, passageText } from '../reply/markdown/passage.ts';
export { plain as plainText, plainBlocks, withAddresses } from '../reply/markdown/plain.ts';
export { type Definitions, definitionsIn, inlined } from '../reply/markdown/references.ts';
export { marksIn, type NumberedSource, numberSources, renumbered } from '../reply/markdown/sources.ts';
export { checkForDamage, OPENING_WAIT_MS, openingFault, storeUnavailable } from '../sqlite.ts';
export { AcceptedPresses } from './accepted-presses.ts';
export { createAttempts, type EndAttempt } from './attempts.ts';
export { type Background, createBackground } from './background.ts';
export { type Cache, createCache, share } from './cache.ts';
export { cappedFetch, MAX_ANSWER_BYTES } from './capped-fetch.ts';
export {
  type Fault,
  type Manifest,
  PROOF_PATH,
  type Secret,
  secretFileSetting,
  type Tree,
  type Variable,
} from './channel.ts';
export { clientOf, withoutPorts } from './client-address.ts';
export { checkClock } from './clock-check.ts';
export { csvLine } from './csv.ts';
export * from './emission.ts';
export { fragmentLink } from './fragment-link.ts';
export type { HttpHandler, InteractionHost } from './host.ts';
export { decodeEntities, isEncoded } from './html-entities.ts';
export { type Attributes, htmlToMarkdown, quotedLines, Reading, type Render } from './html-markdown.ts';
export { count, isPlain, list, type Plain, plain, plains, readJson, text, texts, words } from './json.ts';
export { createLifecycle } from './lifecycle.ts';
export {
  createCallRecord,
  type LiveAct,
  type LiveCall,
  type LiveChannel,
  LiveFault,
  type LiveStage,
} from './live.ts';
export type {
  LiveAttempt,
  LiveChat,
  LivePost,
  LiveRow,
  LiveRows,
  LiveStep,
  LiveStream,
} from './live-acts.ts';
export { streamAct, toolAct } from './live-limits.ts';
export {
  callStep,
  eventStep,
  isIn,
  LAST_WORD,
  type LiveAsk,
  liveActs,
  NEWEST,
  questionStep,
} from './live-rows.ts';
export { cleaned, finished, isBlankText, longestRun } from './markdown-parts.ts';
export type { ReplyImage } from './message-extras.ts';
export { readAgent } from './named-agent.ts';
export type { Once } from './once.ts';
export { createKeptList } from './outbox.ts';
export { withoutMentions } from './own-mention.ts';
export { inPages } from './pages.ts';
export { completeSender, createPersonLookup, type Ids, PEOPLE } from './person-lookup.ts';
export { pressOf, pressWordIn } from './presses.ts';
export {
  type Answer,
  inTime,
  json,
  OK,
  REPEAT,
  receiver,
  UNPROVEN,
  unread,
} from './receiving.ts';
export type { RefusedQuestion } from './refusals.ts';
export { lastNotice, noticeSign } from './reply-lines.ts';
export { questionInRoom, type ReplyRef, wholeQuestion } from './reply-ref.ts';
export { containsWords, saysTheSame, wordsIn } from './same-words.ts';
export { createSeldom, createSome } from './seldom.ts';
export { createShares } from './shares.ts';
export { changedMarks, type LinkOf, numbersOf, renumberedWords, scoreOf, sourcesOf } from './sources.ts';
export { createStoringAgain, type StoringAgain, type StoringDeps } from './storing-again.ts';
export { createStreaming, type Streaming } from './streaming.ts';
export { ask, COMMAND_CHARS, offer, onceFor, openTalk, type Talk } from './talk.ts';
export type { Asking, ShowReply, TerminalChannel } from './terminal.ts';
export { timeLimit } from './time-limit.ts';
export { visibleWords } from './visible-words.ts';
export {
  createWaitingSigns,
  type LateRemoval,
  type PostResult,
  type RemovalResult,
  type SignDeps,
  type WaitingSign,
  type WaitingSigns,
} from './waiting-sign.ts';
export { looksLikePage } from './web-page.ts';
export {
  answerWords,
  awaitsPerson,
  badReasons,
  countsAlready,
  promptWords,
  reference,
  stepSigns,
  textsBeforeAnswer,
  waitingWords,
} from './words.ts';
