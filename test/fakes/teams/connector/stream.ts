/**
 * Native streaming: https://learn.microsoft.com/microsoftteams/platform/bots/streaming-ux, with its rules for
 * `streamSequence`, "The throttling limit is 1 request per second", the stop button and the table of error codes. Three
 * strict checks are not documented: a second stream in a chat gets "Content stream is not allowed", the throttling
 * limit applies to the final message and to the first call of the chat's next stream too, and only a stream's own calls may change its message.
 */

import { checkContent } from '../checks/activity.ts';
import { rootEntity } from '../checks/message-entity.ts';
import { isTooLarge } from '../checks/size.ts';
import { child, type Json, list, text } from '../read.ts';
import { badRequest, Refusal, refuse } from '../refusal.ts';
import { type Conversation, type Message, nothing, type Stream } from '../shapes.ts';
import { expire, newMessage, post } from './activities.ts';
import { tooMany } from './admit.ts';
import { streamInfo } from './asked.ts';
import { type Answer, type Call, conversationOf } from './call.ts';
import { shownOf, thumbsOf } from './shown.ts';
import { splitOf } from './split.ts';

/** Minimum time between two calls of a stream, in milliseconds. */
const PACE = 1_000;
/** Maximum size of an informative line: "1 kb or 1000 characters". */
const INFORMATIVE_BYTES = 1_024;
const INFORMATIVE_CHARACTERS = 1_000;

const notAllowed = (message: string): never => refuse(403, 'ContentStreamNotAllowed', message);

/** Microsoft 365 Copilot streams in its chats too (page "ux-custom-engine-agent" of its documentation). */
const hasStreams = ({ kind, copilot }: Conversation): boolean => kind === 'personal' || copilot === true;

/**
 * Maximum silence in a stream of Copilot, in milliseconds: "A 45-second timeout applies between streaming updates" (page
 * "custom-engine-agent-asynchronous-flow"). The chat then shows an error (microsoft/Agents issue 679).
 */
const COPILOT_SILENCE = 45_000;

function checkSilence({ copilot }: Conversation, live: Stream, { record, server, asked }: Call): void {
  if (copilot !== true || record.at - live.lastAt <= COPILOT_SILENCE) return;
  const messages = [`the stream was silent for ${record.at - live.lastAt} ms`];
  server.log.violations.push({ method: asked.method, messages, asked: asked.body });
}

/** Handles a typing activity with a `streaminfo`, which starts or continues a stream. */
export function stream(call: Call): Answer {
  const conversation = conversationOf(call);
  const info = onlyInfo(call);
  if (text(call.asked.body, 'type') !== 'typing')
    badRequest('Streaming activities must be of type typing or message');
  if (!hasStreams(conversation)) notAllowed('Content stream is not allowed');
  checkType(call, conversation);
  if ((info.streamType ?? 'streaming') !== 'streaming' && info.streamType !== 'informative')
    badRequest('Only start streaming and continue streaming types are allowed as a typing activity');
  checkTextOnly(call, conversation, info);
  return info.streamId === undefined ? start(call, conversation, info) : carryOn(call, conversation, info);
}

/**
 * Requires `conversationType`: Microsoft's examples contain it, and Microsoft's Agents Playground 0.2.28 answers 405
 * without it.
 */
function checkType({ asked }: Call, { kind }: Conversation): void {
  const { conversationType } = child(asked.body, 'conversation') ?? {};
  if (conversationType !== kind)
    refuse(405, 'MethodNotAllowed', `Streaming needs conversation.conversationType ${kind}`);
}

function onlyInfo({ asked }: Call): Json {
  const all = list(asked.body, 'entities').filter(({ type }) => type === 'streaminfo');
  return all.length === 1 ? (streamInfo(asked.body) ?? {}) : badRequest('More than one streaminfo entity');
}

/** Refuses attachments, labels and feedback buttons before the final message. */
function checkTextOnly(call: Call, conversation: Conversation, { streamId, streamType }: Json): void {
  const { body } = call.asked;
  const words = text(body, 'text') ?? '';
  if (words === '')
    badRequest(`${streamId === undefined ? 'Start' : 'Continue'} streaming activities should include text`);
  const root = rootEntity(body);
  const final = root?.additionalType ?? root?.usageInfo ?? body.attachments ?? body.suggestedActions;
  if (final !== undefined || child(body, 'channelData')?.feedbackLoop !== undefined)
    badRequest('Attachments, labels and feedback are allowed in the final message only');
  const long = words.length > INFORMATIVE_CHARACTERS || Buffer.byteLength(words) > INFORMATIVE_BYTES;
  if (streamType === 'informative' && long) badRequest('An informative message is at most 1 KB');
  if (isTooLarge(body)) notAllowed('Message size too large');
  checkContent(call, conversation);
}

function start(call: Call, conversation: Conversation, info: Json): Answer {
  if (info.streamSequence !== 1) badRequest('Start streaming activities should have stream sequence 1');
  const now = call.record.at;
  for (const { stream: other } of conversation.messages) if (other !== undefined) checkPace(call, other);
  for (const { stream: other } of conversation.messages) if (other !== undefined) expire(other, now);
  if (conversation.messages.some((each) => each.stream?.state === 'live' && each.deletedAt === undefined))
    notAllowed('Content stream is not allowed');
  const started: Stream = { state: 'live', startedAt: now, lastAt: now, sequence: 1, streamed: '' };
  const message: Message = { ...newMessage(call, conversation, nothing), stream: started };
  conversation.messages.push(message);
  call.record.activityId = message.id;
  show(call, message, started, info);
  return { status: 201, body: { id: message.id } };
}

function carryOn(call: Call, conversation: Conversation, info: Json): Answer {
  const { message, stream: live } = liveOne(call, conversation, info);
  checkSilence(conversation, live, call);
  const sequence = info.streamSequence;
  if (!Number.isInteger(sequence) || Number(sequence) < 1)
    badRequest('Continue streaming activities should have a stream sequence');
  checkPace(call, live);
  if (Number(sequence) <= live.sequence) return outOfOrder(live, call);
  if (info.streamType === 'informative' && live.streamed !== '')
    badRequest('Informative updates come before the response streams');
  if (info.streamType !== 'informative') checkAppended(call, live);
  reportGap(call, live, Number(sequence));
  live.sequence = Number(sequence);
  live.lastAt = call.record.at;
  show(call, message, live, info);
  return { status: 202, body: {} };
}

/** Ignores a call with an old sequence number, but answers with a success status as Teams does. */
function outOfOrder(live: Stream, { record }: Call): Answer {
  live.lastAt = record.at;
  const message = 'PreCondition failed exception when processing streaming activity.';
  return { status: 202, body: { error: { code: 'ContentStreamSequenceOrderPreConditionFailed', message } } };
}

/** Records a violation for each skipped sequence number, unless the log shows that its request was sent and lost. */
function reportGap({ asked, server }: Call, live: Stream, sequence: number): void {
  const { streamId } = streamInfo(asked.body) ?? {};
  for (let missing = live.sequence + 1; missing < sequence; missing += 1) {
    const made = server.log.calls.some(({ asked: other }) => {
      const info = streamInfo(other);
      return info?.streamId === streamId && info?.streamSequence === missing;
    });
    if (!made)
      server.log.violations.push({
        method: asked.method,
        messages: [`stream sequence ${missing} was left out`],
        asked: asked.body,
      });
  }
}

function show({ asked }: Call, message: Message, live: Stream, { streamType }: Json): void {
  const words = text(asked.body, 'text') ?? '';
  if (streamType === 'informative') {
    live.informative = words;
    return;
  }
  live.streamed = words;
  message.shown = { ...shownOf(asked.body), text: words };
}

function liveOne(call: Call, conversation: Conversation, info: Json): { message: Message; stream: Stream } {
  const message = conversation.messages.find(({ id }) => id === info.streamId);
  if (message?.stream === undefined || message.deletedAt !== undefined)
    return refuse(404, 'ActivityNotFoundInConversation', 'The stream was not found in the conversation.');
  call.record.activityId = message.id;
  expire(message.stream, call.record.at);
  const { state } = message.stream;
  if (state === 'stopped_by_user') notAllowed('Content stream was canceled by user.');
  if (state === 'completed')
    notAllowed('Content stream is not allowed on an already completed streamed message');
  if (state === 'expired') notAllowed('Content stream finished due to exceeded streaming time.');
  return { message, stream: message.stream };
}

function checkPace({ record }: Call, { lastAt }: Stream): void {
  if (record.at - lastAt < PACE)
    throw new Refusal(429, 'Throttled', 'API calls quota exceeded', tooMany(1).headers);
}

function checkAppended({ asked }: Call, { streamed }: Stream): void {
  if (!(text(asked.body, 'text') ?? '').startsWith(streamed))
    notAllowed('Request streamed content should contain the previously streamed content');
}

/** Handles the message that ends a stream. */
export function finish(call: Call): Answer {
  const { body } = call.asked;
  const conversation = conversationOf(call);
  const info = onlyInfo(call);
  if (!hasStreams(conversation)) notAllowed('Content stream is not allowed');
  checkType(call, conversation);
  if (info.streamType !== 'final') badRequest('Only end streaming type is allowed as a message activity');
  if (info.streamSequence !== undefined)
    badRequest('End streaming activities should not have a stream sequence');
  if (info.streamId === undefined) badRequest('End streaming activities should have a stream id');
  if ((text(body, 'text') ?? '') === '') badRequest('End streaming activities should include text');
  const { message, stream: live } = liveOne(call, conversation, info);
  checkSilence(conversation, live, call);
  checkPace(call, live);
  if (isTooLarge(body)) notAllowed('Message size too large');
  checkAppended(call, live);
  checkContent(call, conversation);
  live.state = 'completed';
  live.lastAt = call.record.at;
  const [whole, ...cards] = splitOf(call, shownOf(body));
  message.shown = whole ?? shownOf(body);
  message.thumbs = thumbsOf(message.shown);
  for (const shown of cards) post(call, conversation, shown);
  return { status: 202, body: {} };
}
