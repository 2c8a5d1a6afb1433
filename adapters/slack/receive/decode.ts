/** Bodies of the Events API become typed events. What is not for us becomes nothing. */

import { isPlain, list, type Plain, plain, plains, text, words } from '../../../src/kit/json.ts';
import type { SlackEvent, SlackFile, SlackMessage, SlackMetadata } from './events.ts';

/** Subtypes of messages written by a person or an app. All others are notices by Slack about the conversation. */
const SAID = new Set(['file_share', 'thread_broadcast', 'me_message', 'bot_message']);

/** @param value the member `event` of an event callback */
export function decodeEvent(value: unknown): SlackEvent | undefined {
  if (!isPlain(value)) return undefined;
  switch (value.type) {
    case 'app_mention':
    case 'message':
      return decodeMessageEvent(value);
    case 'app_home_opened':
      return homeOpened(value);
    case 'assistant_thread_started':
      return assistantOpened(plain(value.assistant_thread));
    case 'agent_session_stopped':
      return inThread(value, (place) => ({
        kind: 'stopped',
        ...place,
        streams: words(value.streaming_message_ts),
      }));
    case 'agent_session_title_changed':
      return inThread(value, (place) => ({ kind: 'titled', ...place, title: text(value.title) ?? '' }));
    case 'app_uninstalled':
      return { kind: 'uninstalled' };
    case 'tokens_revoked':
      return list(plain(value.tokens).bot).length > 0 ? { kind: 'revoked' } : undefined;
    default:
      return undefined;
  }
}

function decodeMessageEvent(event: Plain): SlackEvent | undefined {
  if (event.subtype === 'message_changed') return edited(event);
  if (event.subtype === 'message_deleted') return deleted(event);
  if (typeof event.subtype === 'string' && !SAID.has(event.subtype)) return undefined;
  const message = decodeMessage(event, event);
  return message && { kind: 'said', message };
}

/** Slack sends this also when it adds a preview of a link: only a person's edit changes the time of the edit. */
function edited(event: Plain): SlackEvent | undefined {
  const message = decodeMessage(plain(event.message), event);
  const before = decodeMessage(plain(event.previous_message), event);
  if (message === undefined || (message.subtype !== undefined && !SAID.has(message.subtype))) {
    // A deleted question that has answers stays as a tombstone.
    return message?.subtype === 'tombstone' ? gone(message) : undefined;
  }
  if (message.edited === undefined || message.edited === before?.edited) return undefined;
  return { kind: 'edited', message, before };
}

function deleted(event: Plain): SlackEvent | undefined {
  const conversation = text(event.channel);
  const ts = text(event.deleted_ts);
  if (conversation === undefined || ts === undefined) return undefined;
  const threadTs = text(plain(event.previous_message).thread_ts);
  return { kind: 'deleted', conversation, ts, ...(threadTs !== undefined && { threadTs }) };
}

function gone({ conversation, ts, threadTs }: SlackMessage): SlackEvent {
  return { kind: 'deleted', conversation, ts, ...(threadTs !== undefined && { threadTs }) };
}

function homeOpened(event: Plain): SlackEvent | undefined {
  const user = text(event.user);
  const conversation = text(event.channel);
  if (user === undefined || conversation === undefined) return undefined;
  return { kind: 'home-opened', user, conversation, tab: text(event.tab) ?? 'home' };
}

/** Apps that were made before the agent view; the manifest of this one asks for no such event. */
function assistantOpened({ channel_id: channel, thread_ts: thread }: Plain): SlackEvent | undefined {
  const [conversation, threadTs] = [text(channel), text(thread)];
  if (conversation === undefined || threadTs === undefined) return undefined;
  return { kind: 'assistant-opened', conversation, threadTs };
}

interface ThreadPlace {
  readonly user: string;
  readonly conversation: string;
  readonly threadTs: string;
}

function inThread(event: Plain, make: (place: ThreadPlace) => SlackEvent): SlackEvent | undefined {
  const user = text(event.user);
  const conversation = text(event.channel);
  const threadTs = text(event.thread_ts);
  if (user === undefined || conversation === undefined || threadTs === undefined) return undefined;
  return make({ user, conversation, threadTs });
}

/** @param around what holds the conversation, where the message does not */
export function decodeMessage(value: Plain, around: Plain): SlackMessage | undefined {
  const conversation = text(value.channel) ?? text(around.channel);
  const ts = text(value.ts);
  if (conversation === undefined || ts === undefined) return undefined;
  return {
    conversation,
    ts,
    text: text(value.text) ?? '',
    blocks: list(value.blocks),
    attachments: list(value.attachments),
    files: plains(value.files).flatMap((file) => decodeFile(file) ?? []),
    ...given('conversationType', text(value.channel_type) ?? text(around.channel_type)),
    ...given('threadTs', text(value.thread_ts)),
    ...given('user', text(value.user)),
    ...given('bot', text(value.bot_id)),
    ...given('name', text(value.username)),
    ...given('app', text(value.app_id)),
    ...given('team', text(value.user_team) ?? text(value.team)),
    ...given('subtype', text(value.subtype)),
    ...given('edited', text(plain(value.edited).ts)),
    ...given('metadata', decodeMetadata(value.metadata)),
  };
}

/** A member of its name, or none. */
function given<Name extends string, Value>(name: Name, value: Value | undefined): { [K in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [K in Name]?: Value };
}

function decodeMetadata(value: unknown): SlackMetadata | undefined {
  const { event_type: type, event_payload: payload } = plain(value);
  return typeof type === 'string' ? { type, payload: plain(payload) } : undefined;
}

/** Files that Slack no longer shows, or that live elsewhere, have nothing to open. */
const CLOSED = new Set(['tombstone', 'hidden_by_limit', 'external']);

export function decodeFile(file: Plain): SlackFile | undefined {
  const id = text(file.id);
  if (id === undefined || CLOSED.has(String(file.mode))) return undefined;
  const url = text(file.url_private_download) ?? text(file.url_private);
  return {
    id,
    name: text(file.name) ?? text(file.title) ?? id,
    type: text(file.mimetype) ?? '',
    bytes: typeof file.size === 'number' && file.size >= 0 ? file.size : 0,
    ...(url !== undefined && { url }),
  };
}
