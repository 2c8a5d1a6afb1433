/**
 * Decodes the bodies of Slack's Events API into typed events. Returns undefined for events that the bridge does not
 * handle.
 */

import {
  count,
  isPlain,
  list,
  type Plain,
  plain,
  plains,
  text,
  texts,
  words,
} from '../../../src/kit/ladder.ts';
import { defined } from '../../../src/kit.ts';
import type { InView, SlackEvent, SlackFile, SlackMessage, ThreadPlace } from './events.ts';

/** Subtypes of messages that a person or an app wrote. Messages with any other subtype are Slack's own notices. */
const SAID = new Set(['file_share', 'thread_broadcast', 'me_message', 'bot_message']);

/**
 * Authors of Slack's own notices: Slack itself and Slackbot. Their messages are no questions, also in direct messages.
 */
const SYSTEM = new Set(['USLACK', 'USLACKBOT']);

/**
 * Returns the typed event; undefined if the bridge does not handle it.
 * @param value the property `event` of an event callback
 */
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
    case 'agent_session_stopped': {
      const place = placeOf(value);
      const streams = words(value.streaming_message_ts);
      return place && { kind: 'stopped', ...place, streams, ...defined({ at: text(value.event_ts) }) };
    }
    case 'agent_session_title_changed': {
      const place = placeOf(value);
      return place && { kind: 'titled', ...place };
    }
    case 'channel_id_changed': {
      const { old_channel_id: from, new_channel_id: to, event_ts: at } = value;
      const move = texts({ from, to, at });
      return move && { kind: 'room-moved', ...move };
    }
    case 'team_access_granted':
      return { kind: 'access-granted', teams: words(value.team_ids) };
    case 'team_access_revoked':
      return { kind: 'access-revoked', teams: words(value.team_ids) };
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
  if (message === undefined || isSystem(event)) return undefined;
  return {
    kind: 'said',
    message: event.type === 'app_mention' ? { ...message, mentionsApp: true } : message,
  };
}

function isSystem({ user, username, bot_profile }: Plain): boolean {
  const profile = plain(bot_profile);
  return (
    [user, profile.user_id].some((id) => SYSTEM.has(String(id))) ||
    [username, profile.name].includes('slackbot')
  );
}

/** Decodes a changed message. */
function edited(event: Plain): SlackEvent | undefined {
  const message = decodeMessage(plain(event.message), event);
  const previous = plain(event.previous_message);
  // An earlier message without a text is incomplete (seen in NousResearch/hermes-agent#73450).
  const before = typeof previous.text === 'string' ? decodeMessage(previous, event) : undefined;
  if (message === undefined) return undefined;
  const { conversation, ts, threadTs, subtype } = message;
  // If a deleted message has replies, Slack keeps it as a tombstone.
  if (subtype === 'tombstone') return { kind: 'deleted', conversation, ts, ...defined({ threadTs }) };
  if (isSystem(plain(event.message)) || (subtype !== undefined && !SAID.has(subtype))) return undefined;
  return isEdit(message, before, text(event.event_ts)) ? { kind: 'edited', message, before } : undefined;
}

/** Maximum time between an edit and its event, in seconds, if the event lacks the message before the edit. */
const EDIT_S = 60;

/**
 * True if the event reports an edit. Slack also reports a change when it adds a link preview or a thread gets a reply;
 * only an edit changes the time stamp of the edit.
 */
function isEdit({ edited: now }: SlackMessage, before: SlackMessage | undefined, at = now): boolean {
  if (now === undefined || before !== undefined) return now !== before?.edited;
  return Number(at) - Number(now) < EDIT_S;
}

function deleted(event: Plain): SlackEvent | undefined {
  const found = texts({ conversation: event.channel, ts: event.deleted_ts });
  const threadTs = text(plain(event.previous_message).thread_ts);
  return found && { kind: 'deleted', ...found, ...defined({ threadTs }) };
}

function homeOpened(event: Plain): SlackEvent | undefined {
  const found = texts({ user: event.user, conversation: event.channel });
  return found && { kind: 'home-opened', ...found, tab: text(event.tab) ?? 'home' };
}

/** Decodes an event that only apps from before Slack's agent view receive. This app's manifest does not request it. */
function assistantOpened({ channel_id: conversation, thread_ts: threadTs }: Plain): SlackEvent | undefined {
  const place = texts({ conversation, threadTs });
  return place && { kind: 'assistant-opened', ...place };
}

const placeOf = ({ user, channel, thread_ts: threadTs }: Plain): ThreadPlace | undefined =>
  texts({ user, conversation: channel, threadTs });

/**
 * Returns the message; undefined if a required property is missing.
 * @param around the object that contains the message; it names the conversation if the message does not
 */
export function decodeMessage(value: Plain, around: Plain): SlackMessage | undefined {
  const place = texts({ conversation: text(value.channel) ?? around.channel, ts: value.ts });
  if (place === undefined) return undefined;
  return {
    ...place,
    text: text(value.text) ?? '',
    blocks: list(value.blocks),
    attachments: list(value.attachments),
    files: plains(value.files).flatMap((file) => decodeFile(file) ?? []),
    ...defined({
      conversationType: text(value.channel_type) ?? text(around.channel_type),
      threadTs: text(value.thread_ts),
      user: text(value.user),
      bot: text(value.bot_id),
      name: text(value.username) ?? text(plain(value.bot_profile).name),
      team: text(value.user_team) ?? text(value.team),
      subtype: text(value.subtype),
      edited: text(plain(value.edited).ts),
      mark: text(plain(value.metadata).event_type),
      inView: decodeView(plain(value.app_context)),
      replies: count(value.reply_count),
    }),
  };
}

/** Maximum number of things in view that are named; Slack orders them by relevance. */
const IN_VIEW = 5;

/** https://docs.slack.dev/reference/events/app_context_changed */
function decodeView({ entities }: Plain): readonly InView[] | undefined {
  const found = plains(entities)
    .slice(0, IN_VIEW)
    .flatMap(({ type, value }): InView[] => {
      const kind = (text(type) ?? '').split('/').at(-1) ?? '';
      const { channel_id: conversation, message_ts: ts } = plain(value);
      const message = texts({ conversation, ts });
      if (message !== undefined) return [{ kind: 'message', ...message }];
      const id = text(value) ?? text(conversation) ?? words(Object.values(plain(value)))[0];
      return id === undefined ? [] : [{ kind: 'other', type: kind.replace(/_(?:id|context)$/, ''), id }];
    });
  return found.length === 0 ? undefined : found;
}

export function decodeFile(file: Plain): SlackFile | undefined {
  const id = text(file.id);
  if (id === undefined) return undefined;
  return {
    id,
    name: nameOf(file) ?? id,
    type: text(file.mimetype) ?? '',
    bytes: typeof file.size === 'number' && file.size >= 0 ? file.size : 0,
    ...defined({
      url: text(file.url_private_download) ?? text(file.url_private),
      owner: text(file.user),
      closed: closedAs(file),
      words: wordsOf(file),
    }),
  };
}

/** Returns the title that people see, with the extension of the file's name. */
function nameOf(file: Plain): string | undefined {
  const [name, title] = [text(file.name), text(file.title)];
  if (name === undefined || title === undefined || name.startsWith(title)) return name ?? title;
  const [extension = ''] = /\.\w{1,8}$/.exec(name) ?? [];
  return title.endsWith(extension) ? title : title + extension;
}

const NOUNS: Readonly<Record<string, string>> = {
  canvas: 'canvas',
  email: 'e-mail',
  external: 'file',
  hidden_by_limit: 'file that Slack hides',
  list: 'list',
  quip: 'canvas',
  slack_audio: 'audio clip',
  slack_video: 'video clip',
  tombstone: 'deleted file',
};

/** Returns the description of a file whose content no agent can get; undefined for all other files. */
function closedAs(file: Plain): string | undefined {
  const [, medium] = /^(audio|video)\//.exec(String(file.mimetype)) ?? [];
  const noun = NOUNS[String(file.mode)] ?? NOUNS[String(file.subtype)] ?? (medium && `${medium} file`);
  if (noun === undefined) return undefined;
  const stored =
    file.mode === 'external' ? ` (stored in ${text(file.external_type) ?? 'another service'})` : '';
  return `the ${[noun, text(file.title) ?? text(file.name)].filter(Boolean).join(' ')}${stored}`;
}

/** Returns the text that Slack shows of an e-mail, a recording or a text file. */
function wordsOf(file: Plain): SlackFile['words'] {
  const spoken = plain(plain(file.transcription).preview);
  const transcript = text(spoken.content);
  if (transcript !== undefined)
    return { kind: 'transcript', text: transcript, isCut: spoken.has_more === true };
  if (file.mode === 'email') {
    const people = (role: unknown) =>
      plains(role).map((each) => text(each.original) ?? text(each.name) ?? text(each.address) ?? '');
    const lines = (['from', 'to', 'cc'] as const).map(
      (role) => [role, people(file[role]).join(', ')] as const,
    );
    const head = lines.flatMap(([role, names]) => (names === '' ? [] : [`${role}: ${names}`]));
    const attached = plains(file.attachments).map((each) => text(each.filename));
    const body = text(file.plain_text) ?? text(file.preview_plain_text) ?? text(file.preview) ?? '';
    return {
      kind: 'mail',
      text: [...head, text(file.subject) ?? text(file.title), body, ...attached].filter(Boolean).join('\n'),
      author: people(file.from)[0] ?? 'e-mail',
      isCut: body === '',
    };
  }
  const preview = text(file.preview);
  return preview === undefined
    ? undefined
    : { kind: 'preview', text: preview, isCut: file.preview_is_truncated === true };
}
