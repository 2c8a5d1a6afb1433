/** The limits of a stream, and how a stream ends. */

import { inThread } from '../call.ts';
import { refuse } from '../refusal.ts';
import type { Channel, Message, Stream } from '../shapes.ts';
import type { World } from '../world.ts';

export interface StreamLimits {
  /**
   * Maximum duration of a stream in milliseconds. Not documented; about five minutes by many reports, among
   * them https://github.com/slackapi/python-slack-sdk/issues/1859 and
   * https://github.com/dust-tt/dust/pull/25031
   */
  readonly lifeMs: number;
  /**
   * Maximum milliseconds between appends; undefined: no limit. Off by default, because some reports describe streams
   * that continued after 30 s without an append.
   */
  readonly idleMs: number | undefined;
  /**
   * Maximum bytes of a streamed message (`weightOf`). Slack does not document its limit: 10,571 bytes of UTF-8 were
   * accepted and 10,821 refused. Only a count in bytes of UTF-8 fits all measurements:
   * https://github.com/openclaw/openclaw/pull/143882
   */
  readonly bytes: number;
}

export const documentedStream: StreamLimits = { lifeMs: 300_000, idleMs: undefined, bytes: 10_600 };

const limits = new WeakMap<World, StreamLimits>();

export const setStreamLimits = (world: World, given: Partial<StreamLimits>): unknown =>
  limits.set(world, { ...documentedStream, ...given });

export const streamLimits = (world: World): StreamLimits => limits.get(world) ?? documentedStream;

/** Ends an expired stream. Slack does so by itself; the fake checks at each access. */
export function expireStream(world: World, message: Message): void {
  const { stream } = message;
  if (stream?.state !== 'live') return;
  const { lifeMs, idleMs } = streamLimits(world);
  const now = world.clock.now();
  if (now >= stream.startedAt + lifeMs || (idleMs !== undefined && now >= stream.touchedAt + idleMs))
    stream.state = 'expired';
}

/** Returns the stream of a message if the app may still write to it; refuses otherwise. */
export function liveStream(world: World, message: Message, stopping: boolean): Stream {
  expireStream(world, message);
  const { stream } = message;
  if (!message.app) return refuse('message_not_owned_by_app');
  // `stopped_by_user` is documented for chat.appendStream only, so chat.stopStream gets the general error.
  if (stream?.state === 'stopped_by_user' && !stopping) return refuse('stopped_by_user');
  return stream?.state === 'live' ? stream : refuse('message_not_in_streaming_state');
}

export function liveStreams(world: World, channel: Channel, threadTs: string): readonly Message[] {
  const messages = inThread(channel, threadTs);
  for (const message of messages) expireStream(world, message);
  return messages.filter(({ stream, deletedAt }) => stream?.state === 'live' && deletedAt === undefined);
}
