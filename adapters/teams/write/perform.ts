/** Makes one call of a reply and returns its outcome. */

import { isLater, text } from '../../../src/kit/ladder.ts';
import type { Outcome } from '../../../src/kit.ts';
import type { ReplyPlace } from '../activity.ts';
import type { Sent } from '../api/connector.ts';
import { STREAM_GAP_MS, STREAM_LIFE_MS } from '../limits.ts';
import { isCopilot } from '../private.ts';
import { contentKindOf, contentOf } from './content.ts';
import { type Performing, streamKey, streamPlace } from './deps.ts';
import { findReply } from './find.ts';
import { MAX_FAILURES, MESSAGE, outcomeOf, sideOutcome, textOutcome } from './outcomes.ts';
import type { Call, Of } from './screen.ts';

export async function perform(call: Call, at: Performing): Promise<Outcome> {
  const { deps, turn, run } = at;
  const place = run.place ?? (await deps.places.find(turn.message.thread).catch(() => 'unknown' as const));
  at.signal.throwIfAborted();
  if (place === 'unknown') return outcomeOf({ kind: 'unsent', reason: 'no-place' }, deps.random);
  if (place === undefined) return { kind: 'refused', why: 'gone' };
  run.place = place;
  if (isCopilot(turn.message.thread) && changesMessage(call))
    return UNCHANGEABLE[call.kind === 'card' ? 'card' : 'text'];
  if (call.kind === 'find') return findReply(call, place, at);
  const sent = await make(call, place, at);
  const isSide =
    call.kind === 'alive' || call.kind === 'typing' || call.kind === 'card' || call.kind === 'uncard';
  const outcome = isSide ? sideOutcome(call, sent, at) : textOutcome(call, sent, at);
  if (!isSide) await note(call, sent, outcome, at);
  const id = call.kind === 'delete' ? call.part.id : call.kind === 'uncard' ? call.id : undefined;
  const stays = call.kind === 'delete' && call.part.stopped !== undefined;
  if (id !== undefined && !stays) await deleteLater(id, outcome, at);
  return outcome;
}

/** True for a call that changes or deletes an earlier message. */
const changesMessage = (call: Call): boolean =>
  call.kind === 'update' ||
  call.kind === 'delete' ||
  call.kind === 'uncard' ||
  (call.kind === 'card' && call.id !== undefined);

/**
 * Outcomes of such calls in Microsoft 365 Copilot, where "messages are immutable" (its "Known issues"): a text goes into
 * a new message if it is incomplete, and a card stays as it is.
 */
const UNCHANGEABLE = {
  text: { kind: 'refused', why: 'not-live' },
  card: { kind: 'refused', why: 'gone', detail: MESSAGE },
} as const;

type Made = Exclude<Call, { kind: 'find' }>;

async function make(call: Made, place: ReplyPlace, at: Performing): Promise<Sent> {
  const { connector } = at.deps;
  const { signal } = at;
  if (call.kind === 'delete') return connector.delete({ ...place, id: call.part.id }, signal);
  if (call.kind === 'uncard') return connector.delete({ ...place, id: call.id }, signal);
  const content = await contentOf(call, at);
  const activity = { ...content, ...envelope(place) };
  const id = call.kind === 'update' ? call.part.id : call.kind === 'card' ? call.id : undefined;
  if (id !== undefined) return connector.update({ ...place, id }, activity, signal);
  const send = () => connector.send(place, { ...activity, ...addressee(place, at) }, signal);
  const isStream = call.kind === 'start' || call.kind === 'append';
  const sent = await (isStream || call.kind === 'alive' || call.kind === 'stop' ? apart(send, at) : send());
  const written = text(content.text);
  if (written !== undefined && isStream && contentKindOf(call, at) === 'text')
    remember(call, sent, written, at);
  if (call.kind === 'stop' && sent.kind === 'done')
    at.deps.streamedTexts.delete(streamKey(call.part.id, at.turn));
  return sent;
}

/** Makes a call of a stream at least `STREAM_GAP_MS` after the call before it in the same chat. */
async function apart(send: () => Promise<Sent>, { deps, turn, signal }: Performing): Promise<Sent> {
  const { host, streamCalls } = deps;
  const chat = streamPlace(turn.message.thread);
  const rest = (streamCalls.get(chat) ?? 0) + STREAM_GAP_MS - host.clock.now();
  if (rest > 0) await host.clock.wait(Math.min(rest, STREAM_GAP_MS), signal);
  return send().finally(() => streamCalls.set(chat, host.clock.now()));
}

/** Records the text that the stream may show now. The call that ends the stream must begin with this text. */
function remember(call: Of<'start' | 'append'>, sent: Sent, written: string, at: Performing): void {
  const id = call.kind === 'append' ? call.part.id : sent.kind === 'done' ? sent.id : undefined;
  const mayShow = sent.kind === 'done' || sent.kind === 'unknown';
  if (id !== undefined && mayShow) at.deps.streamedTexts.set(streamKey(id, at.turn), written);
}

/**
 * Returns the JSON properties with an activity's sender and conversation (Bot Connector reference, "Activity object").
 */
const envelope = ({ bot, conversation, tenant, kind }: ReplyPlace): object => ({
  channelId: 'msteams',
  from: { id: bot },
  // The type is included because all of Microsoft's examples of streaming include it, and its Agents Playground refuses
  // a stream without it.
  conversation: { id: conversation, tenantId: tenant, conversationType: TYPES[kind] },
});

const TYPES: Readonly<Record<ReplyPlace['kind'], string>> = {
  direct: 'personal',
  group: 'groupChat',
  room: 'channel',
};

/**
 * Returns the JSON property with the recipient of a targeted message. Edits must not contain this property (Microsoft's
 * page on targeted messages).
 */
function addressee({ targeted }: ReplyPlace, { turn }: Performing): object {
  const { thread, sender } = turn.message;
  return targeted === true || thread.kind === 'direct'
    ? { recipient: { id: sender.account ?? sender.id } }
    : {};
}

/**
 * If Teams refuses to delete a message, deletes it later. Teams refuses this while the message's stream is open, and the
 * bridge cannot end the stream if the process that knew its text has ended. A message whose stream a person stopped stays
 * as it is.
 */
async function deleteLater(
  id: string,
  outcome: Outcome,
  { deps, turn: { id: turn, message } }: Performing,
): Promise<void> {
  const { tenant, room, kind } = message.thread;
  // Only one-to-one chats have streams.
  if (kind !== 'direct' || outcome.kind !== 'refused' || outcome.why === 'gone' || isLater(outcome)) return;
  await deps
    .removeLater({ tenant, room, id, turn }, STREAM_LIFE_MS)
    .catch((err: unknown) =>
      deps.host.log.warn({ err, turn }, 'the text of an open stream may stay visible'),
    );
}

/**
 * Reacts to refusals: the person stopped the stream, the conversation accepts no streams or no messages, or the answer
 * is given up.
 */
async function note(
  call: Made,
  sent: Sent,
  outcome: Outcome,
  { deps, turn, run }: Performing,
): Promise<void> {
  if (sent.kind !== 'refused' || outcome.kind !== 'refused') return;
  const { status, code, meaning } = sent;
  const { tenant, room } = turn.message.thread;
  const facts = { turn: turn.id, tenant, room, status, code };
  if (meaning === 'stopped') deps.stopped(turn);
  if (meaning === 'streamless' && call.kind === 'start')
    deps.streaming.lacks(streamPlace(turn.message.thread));
  if (run.failures === MAX_FAILURES && isLater(outcome)) {
    deps.host.log.warn(facts, 'Teams refuses the answer, so the person is told later');
    deps.unshown(turn);
  }
  if (outcome.why !== 'gone' || outcome.detail === MESSAGE) return;
  deps.host.log.warn(facts, 'Teams accepts no answers in this conversation any more');
  // Ignore a failure to delete the address: the next call is refused too, and the deletion is then tried again.
  if (run.place !== undefined) await deps.places.close(run.place).catch(() => undefined);
}
