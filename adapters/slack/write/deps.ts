/**
 * Shared by the calls of a reply: dependencies, the mark on messages of the app, and the translation of Slack's
 * responses.
 */

import {
  isLeft,
  offersCorrection,
  type Plain,
  REFUSED,
  type Streaming,
  text,
} from '../../../src/kit/ladder.ts';
import { type AdapterHost, defined, type Outcome, type ReplyDocument, type Turn } from '../../../src/kit.ts';
import type { Answer, Sender } from '../api/sender.ts';
import type { Workspaces } from '../api/workspace.ts';
import type { SlackConfig } from '../config.ts';
import { tsOf } from '../ids.ts';
import type { PrivatePlaces } from '../private-places.ts';
import type { Reading } from '../render/reading.ts';
import type { RenderContext } from '../render/render-context.ts';
import { readyImages, type SlackScreen } from './screen.ts';

export interface WriterDeps {
  readonly sender: Sender;
  /** Sender for calls that are no moves; each call takes a permit. */
  readonly permitted: Sender;
  readonly workspaces: Workspaces;
  readonly host: Pick<AdapterHost, 'agents' | 'openMedia' | 'otherRights' | 'corrections' | 'sourceLink'>;
  readonly places: Pick<PrivatePlaces, 'find'>;
  /** Base address of Slack's methods. */
  readonly apiUrl: string;
  /** True if every answer ends with the line "AI-generated. Please check it." */
  readonly footer: boolean;
  readonly streamsIn: SlackConfig['streaming'];
  /** Records which workspaces support streams. */
  readonly streaming: Streaming;
  /** Called when a person has ended a reply's stream with Slack's own Stop. */
  stopped?(turn: Turn): void;
  /** Called with Slack's error code when nothing can be shown where the question was asked. */
  closed?(turn: Turn, error: string): void;
}

export interface Performing {
  readonly turn: Turn;
  readonly deps: WriterDeps;
  /** Parse result of the message's last edit. */
  readonly reading: Reading;
  readonly signal: AbortSignal;
  readonly run: Run;
}

/** Posts and starts of streams in a row whose outcome is unknown because of Slack's own fault. */
export interface Run {
  failures: number;
  error: string;
}

/** Outcome of an edit whose message accepts no edits. The ladder then posts the answer again, in its present form. */
export const FIXED: Outcome = { kind: 'refused', why: 'not-live' };

/** Translates Slack's response into an outcome. */
export function outcomeOf(answer: Answer): Outcome {
  if (answer.kind === 'unknown') return { kind: 'unknown' };
  if (answer.kind === 'done') return { kind: 'done', ...defined({ id: text(answer.body.ts) }) };
  const { why, retryAfterMs } = answer;
  switch (why) {
    case 'rate':
      return { kind: 'refused', why, ...defined({ retryAfterMs }) };
    case 'live':
      return { kind: 'refused', why: 'not-live', detail: REFUSED.stillLive };
    case 'not-live':
      return { kind: 'refused', why, detail: REFUSED.over };
    case 'fixed':
      return FIXED;
    case 'unsupported':
    case 'invalid':
      return { kind: 'refused', why: 'invalid' };
    default:
      return { kind: 'refused', why: 'gone' };
  }
}

/** Translates the response to a call that shows no text, such as an upload. Its refusal never ends a reply. */
export function outcomeBeside(answer: Answer): Outcome {
  const outcome = outcomeOf(answer);
  return outcome.kind === 'refused' && outcome.why === 'gone' ? { ...outcome, why: 'invalid' } : outcome;
}

/** Returns the key under which the refusal of a stream in one room is remembered. */
export const streamPlace = (tenant: string, room: string): string => `${tenant} ${room}`;

/** Keeps Slack from fetching the addresses in an answer to preview them. */
export const UNFURLED = { unfurl_links: false, unfurl_media: false };

/** Metadata type that marks a message as part of a reply, for look-ups. */
export const MARK = 'parley_reply';

export function mark(turn: Turn, index: number): Plain {
  return { event_type: MARK, event_payload: { turn: turn.id, reply: replyOf(turn), part: index } };
}

/** Returns the id that all turns of a reply share: those of an edited question, of Retry and of Regenerate. */
export const replyOf = ({ id, reply = id }: Turn): string => reply;

/** Returns the time stamp of the question's message; undefined if the question is not a Slack message. */
export function askedAt({ message }: Turn): string | undefined {
  const ts = tsOf(message.id);
  return /^\d+\.\d+$/.test(ts) ? ts : undefined;
}

export function renderContextOf(
  document: ReplyDocument,
  { message }: Turn,
  { host, footer }: WriterDeps,
  { images, parts }: Pick<SlackScreen, 'images' | 'parts'>,
): RenderContext {
  const { thread } = message;
  const { room, key, kind } = thread;
  return {
    reply: { question: message.id, room, key, kind },
    images: readyImages(images),
    footer,
    agents: host.agents(),
    isPrivate: false,
    offersAsSelf: host.otherRights(thread, document),
    offersCorrection: offersCorrection(document, thread, host.corrections),
    linkOf: (source, turn) => host.sourceLink(source, { turn, thread }),
    isAfresh: parts.some(isLeft),
    named: false,
    showsTasks: false,
  };
}
