/**
 * Decodes activities, which are Teams' events. Returns undefined for an activity that is unknown or does not concern
 * the bridge.
 */

import { type Plain, plain, plains, text, words } from '../../../src/kit/ladder.ts';
import { defined } from '../../../src/kit.ts';
import type { Invoked, Mention, TeamsEvent, TeamsMessage, TeamsPerson, TeamsPlace } from '../activity.ts';
import { conversationId, readConversation } from '../ids.ts';
import { headlineOf, readContent } from './content.ts';

export function decodeActivity(activity: Plain): TeamsEvent | undefined {
  const place = placeOf(activity);
  if (place === undefined) return undefined;
  switch (activity.type) {
    case 'message':
      return said(activity, place);
    case 'messageUpdate':
      return rewritten(activity, place);
    case 'messageDelete': {
      const id = text(activity.id);
      return id === undefined
        ? undefined
        : { kind: 'deleted', place, id, by: personOf(activity.from), targeted: isTargeted(activity) };
    }
    case 'messageReaction':
      return reacted(activity, place);
    case 'installationUpdate':
      return installed(activity, place);
    case 'conversationUpdate':
      return membersChanged(activity, place);
    case 'invoke':
      return invoked(activity, place);
    default:
      return undefined;
  }
}

const KINDS: ReadonlyMap<unknown, TeamsPlace['kind']> = new Map([
  ['personal', 'direct'],
  ['groupChat', 'group'],
  ['channel', 'room'],
]);

function placeOf(activity: Plain): TeamsPlace | undefined {
  const conversation = plain(activity.conversation);
  const { channelData } = activity;
  const id = text(conversation.id);
  const serviceUrl = text(activity.serviceUrl);
  const bot = text(plain(activity.recipient).id);
  const tenant = tenantOf(activity);
  if (id === undefined || serviceUrl === undefined || bot === undefined || tenant === undefined)
    return undefined;
  const ofTeam = plain(plain(channelData).team);
  const team = text(ofTeam.id);
  return {
    tenant,
    serviceUrl,
    bot,
    conversation: conversationId(readConversation(id)),
    kind: kindOf(conversation, team),
    ...defined({ team, name: text(ofTeam.name) ?? text(conversation.name) }),
    // Such a chat may be described as a group chat (seen in microsoft/teams.py pull request 180).
    ...(plain(channelData).productContext === COPILOT && { copilot: true as const }),
  };
}

const COPILOT = 'COPILOT';

/**
 * Returns the kind of conversation. Some events about a team do not name the kind; it then follows from other fields of
 * the event.
 */
function kindOf({ conversationType, isGroup }: Plain, team: string | undefined): TeamsPlace['kind'] {
  const kind = KINDS.get(conversationType);
  if (kind !== undefined) return kind;
  if (team !== undefined) return 'room';
  return isGroup === true ? 'group' : 'direct';
}

/** Returns the id of the conversation's directory; undefined if the activity names two different ones. */
export function tenantOf({ conversation, channelData }: Plain): string | undefined {
  const named = [text(plain(conversation).tenantId), text(plain(plain(channelData).tenant).id)];
  const [tenant, ...others] = new Set(named.flatMap((each) => each?.toLowerCase() ?? []));
  return others.length === 0 ? tenant : undefined;
}

function personOf(from: unknown): TeamsPerson {
  const account = plain(from);
  const own = text(account.id) ?? '';
  const tenant = text(account.tenantId)?.toLowerCase();
  const inDirectory = text(account.aadObjectId);
  return {
    id: inDirectory ?? own,
    ...(inDirectory !== undefined && own !== '' && { account: own }),
    name: text(account.name) ?? own,
    // Ids of people begin with `29:`, ids of bots with `28:`.
    isBot: account.role === 'bot' || own.startsWith('28:'),
    ...defined({ tenant }),
  };
}

function said(activity: Plain, place: TeamsPlace): TeamsEvent | undefined {
  const message = messageOf(activity, place);
  return message && { kind: 'said', message: { ...message, sentAt: writtenAt(message) } };
}

/** Maximum difference between a message's id and its time stamp, in milliseconds, for the id to count as a time. */
const ID_IS_TIME_MS = 1_000;

/**
 * Returns when the message was written, in milliseconds since the epoch. Returns the id if that is a time, because no
 * two messages have the same id; otherwise the time stamp.
 */
function writtenAt({ id, sentAt }: TeamsMessage): number {
  return Math.abs(Number(id) - sentAt) < ID_IS_TIME_MS ? Number(id) : sentAt;
}

/**
 * Returns an edit. Returns undefined when the author undoes a deletion, which Teams reports as an update too. Events
 * may arrive in the wrong order, so a deleted message counts as deleted until its author edits it.
 */
function rewritten(activity: Plain, place: TeamsPlace): TeamsEvent | undefined {
  if (plain(activity.channelData).eventType !== 'editMessage') return undefined;
  const message = messageOf(activity, place);
  return message && { kind: 'edited', message, revision: Math.max(1, message.sentAt) };
}

/** Maximum entities, and maximum attachments, read from one message (attack S22: floods). */
const MAX_PARTS = 50;
/** Maximum UTF-16 units read from a message's text. Both Teams' own limit and the longest question are smaller. */
const MAX_TEXT = 150_000;
/** Maximum UTF-16 units of a name. Microsoft Entra allows 256. */
const MAX_NAME = 256;
function messageOf(activity: Plain, place: TeamsPlace): TeamsMessage | undefined {
  const id = text(activity.id);
  if (id === undefined) return undefined;
  const entities = plains(activity.entities).slice(0, MAX_PARTS);
  const locale = text(activity.locale) ?? entities.map((each) => text(each.locale)).find(Boolean);
  const sentAt = Date.parse(text(activity.timestamp) ?? '');
  const attachments = plains(activity.attachments).slice(0, MAX_PARTS);
  const mentions = entities.flatMap(mentionOf);
  const content = (text(activity.text) ?? '').slice(0, MAX_TEXT);
  return {
    place,
    id,
    sender: personOf(activity.from),
    ...readContent({ said: content, attachments, entities, mentions, bot: place.bot }),
    mentions,
    targeted: isTargeted(activity),
    sentAt: Number.isNaN(sentAt) ? 0 : sentAt,
    headline: headlineOf(activity),
    ...defined({ locale }),
  };
}

/** True if only the bot and the sender see the message (Microsoft's page "Send and receive targeted messages"). */
const isTargeted = ({ recipient }: Plain): boolean => plain(recipient).isTargeted === true;

function mentionOf({ type, mentioned, text: shown }: Plain): readonly Mention[] {
  const { id: given, name } = plain(mentioned);
  const id = text(given);
  if (type !== 'mention' || id === undefined) return [];
  const mark = text(shown)?.slice(0, MAX_NAME);
  return [{ id, name: (text(name) ?? '').slice(0, MAX_NAME).toWellFormed(), ...defined({ text: mark }) }];
}

function reacted(activity: Plain, place: TeamsPlace): TeamsEvent | undefined {
  const message = text(activity.replyToId);
  if (message === undefined) return undefined;
  const names = (value: unknown) => words(plains(value).map(({ type }) => type));
  return {
    kind: 'reacted',
    place,
    id: text(activity.id) ?? '',
    by: personOf(activity.from),
    message,
    added: names(activity.reactionsAdded),
    removed: names(activity.reactionsRemoved),
  };
}

/** Decodes an installation or a removal of the app. An upgrade does not count as a removal. */
function installed(activity: Plain, place: TeamsPlace): TeamsEvent | undefined {
  const { action } = activity;
  if (action === 'remove') return { kind: 'removed', place, from: extentOf(place) };
  const adds = action === 'add' || action === 'add-upgrade';
  return adds ? { kind: 'installed', place } : undefined;
}

const extentOf = ({ team }: TeamsPlace) => (team === undefined ? 'room' : 'team');

/**
 * Returns the event if the app, its team or its channel was removed, or if the app was added to a channel; undefined if
 * a person was added or removed, or something was renamed. A private or shared channel has the app only if somebody
 * adds it there; its removal there does not concern the team (Microsoft's page on agents in shared and private
 * channels).
 */
function membersChanged(activity: Plain, place: TeamsPlace): TeamsEvent | undefined {
  const { eventType, channel } = plain(activity.channelData);
  const inChannel = { ...place, conversation: text(plain(channel).id) ?? place.conversation };
  const isOwn = ({ id }: Plain) => id === place.bot;
  if (eventType === 'channelMemberAdded' && plains(activity.membersAdded).some(isOwn))
    return { kind: 'installed', place: inChannel };
  const own = plains(activity.membersRemoved).some(isOwn);
  if (eventType === 'channelDeleted' || (own && eventType === 'channelMemberRemoved'))
    return { kind: 'removed', place: inChannel, from: 'room' };
  const isTeam = own || eventType === 'teamDeleted' || eventType === 'teamHardDeleted';
  return isTeam ? { kind: 'removed', place, from: extentOf(place) } : undefined;
}

function invoked(activity: Plain, place: TeamsPlace): Invoked | undefined {
  const name = text(activity.name);
  if (name === undefined) return undefined;
  return {
    kind: 'invoked',
    place,
    name,
    value: activity.value,
    id: text(activity.id) ?? '',
    by: personOf(activity.from),
    ...defined({ message: text(activity.replyToId) }),
  };
}
