/**
 * Converts Teams' events into questions for the bridge. Uses no network, because Teams waits for the acknowledgement.
 */

import {
  agentName,
  ask,
  COMMAND_CHARS,
  type Overheard,
  offer,
  onceFor,
  readAgent,
  type SidePermit,
  type Talk,
} from '../../../src/kit/ladder.ts';
import { type AdapterHost, defined, type Message, type Person, type ThreadRef } from '../../../src/kit.ts';
import type { TeamsEvent, TeamsMessage, TeamsPerson, TeamsPlace } from '../activity.ts';
import type { TeamsConfig } from '../config.ts';
import { CHANNEL, messageId, readConversation } from '../ids.ts';
import { copilotKey, privateThread } from '../private.ts';
import { withHeadline } from '../receive/content.ts';
import { fileRefs } from './files.ts';
import { words } from './words.ts';

/** The settings that decide which messages are questions. */
type Rules = Pick<TeamsConfig, 'tenant' | 'allMessages' | 'targeted'>;

type TeamsMessageEvent = Extract<TeamsEvent, { kind: 'said' | 'edited' | 'deleted' }>;

/** Maximum age of a message, in milliseconds, at which an edit that adds a mention turns it into a question. */
const RECENT_MS = 24 * 60 * 60_000;

export async function takeIn(event: TeamsMessageEvent, talk: Talk, rules: Rules): Promise<void> {
  switch (event.kind) {
    case 'said':
      return said(event.message, talk, rules);
    case 'edited':
      return edited(event, talk, rules);
    case 'deleted': {
      const { place, id, by, targeted } = event;
      const thread = threadFor({ place, sender: by, targeted });
      const message = messageId(thread.room, id);
      await talk.host.intake({ kind: 'delete', thread, message, by: toPerson(by, rules.tenant) });
    }
  }
}

async function said(message: TeamsMessage, talk: Talk, rules: Rules): Promise<void> {
  if (!(await isAsked(message, talk, rules.allMessages))) return;
  const question = toMessage(message, 0, talk, rules.tenant);
  if (message.targeted && !rules.targeted) return talk.refuse(question, words.notPrivately);
  await (question.text.length > COMMAND_CHARS
    ? ask(question, talk)
    : onceFor(question, talk, () => ask(question, talk)));
}

/**
 * Passes an edit on. The bridge uses the edit if the message was a question, or becomes one. Teams does not send the
 * text from before the edit. Therefore `fresh` is true whenever the edit may have added the mention, or may have
 * arrived before the original message.
 */
async function edited(
  { message, revision }: Extract<TeamsEvent, { kind: 'edited' }>,
  talk: Talk,
  rules: Rules,
): Promise<void> {
  if (message.sender.isBot || (message.targeted && !rules.targeted)) return;
  const question = toMessage(message, revision, talk, rules.tenant);
  const isQuestion = message.place.kind === 'direct' || message.targeted || mentionsBridge(message);
  const fresh = isQuestion && isRecent(message, revision);
  await offer({ kind: 'edit', message: question, fresh }, question, talk);
}

/**
 * True if the message was less than a day old when it was edited; its id is the time of writing. The bridge deletes its
 * records of older messages, so it could not tell whether an older message was already a question.
 */
function isRecent({ id }: TeamsMessage, editedAt: number): boolean {
  return editedAt - Number(id) < RECENT_MS;
}

/**
 * True if the message is a question for the bridge: it mentions the bot, it is targeted (Teams shows it to the bot
 * alone), or the rule for messages without a mention says so. Other bots must always mention the bot; otherwise two bots
 * could answer each other forever.
 */
async function isAsked(
  message: TeamsMessage,
  { host, engagement }: Talk,
  allMessages: boolean,
): Promise<boolean> {
  const { place, sender } = message;
  if (sender.id === place.bot) return false;
  if (mentionsBridge(message)) return true;
  if (sender.isBot) return false;
  if (message.targeted || place.copilot) return true;
  if (place.kind !== 'direct' && !allMessages) return false;
  return engagement.isQuestion(overheard(message), host.mentionRule(threadOf(place)));
}

/** Matches descriptions of animations and stickers, which are no questions without words. */
const ANIMATION = /\.gif$|^(?:a|the) (?:GIF|sticker)\b/i;

/** Returns the facts by which the bridge decides about a message without a mention. */
function overheard(message: TeamsMessage): Overheard {
  const { id, place, sender, text, mentions, files, quoted, omitted, sentAt } = message;
  const isSeen = [...files.map(({ name }) => name), ...omitted].some((each) => !ANIMATION.test(each));
  const thread = threadOf(place);
  const isStart = place.kind === 'room' && thread.key === id;
  const later = mentions.length > 0 ? 'later' : undefined;
  return {
    thread,
    by: sender.id,
    at: sentAt,
    text,
    hasMore: isSeen || quoted.length > 0,
    other: beginsWithOther(message) ? 'first' : later,
    place: place.kind === 'group' ? 'chat' : isStart ? 'start' : 'thread',
  };
}

export function threadOf({ tenant, conversation, kind, copilot }: TeamsPlace): ThreadRef {
  const { room, root } = readConversation(conversation);
  return { channel: CHANNEL, tenant, room, key: copilot ? copilotKey(room) : (root ?? room), kind };
}

/**
 * Part of the key of a private thread. All targeted questions that a person asks in one thread of Teams share this
 * private thread.
 */
const TARGETED = 'targeted';

function threadFor({
  place,
  sender,
  targeted,
}: Pick<TeamsMessage, 'place' | 'sender' | 'targeted'>): ThreadRef {
  const thread = threadOf(place);
  return targeted ? privateThread(thread, sender.id, TARGETED) : thread;
}

/**
 * Returns the person as the event describes them. The person's standing is looked up in Teams later, when the turn
 * runs.
 */
export function toPerson({ id, account, name, isBot, tenant: home }: TeamsPerson, tenant: string): Person {
  const foreign = home !== undefined && home !== tenant;
  const standing = isBot ? 'bot' : foreign ? 'external' : 'member';
  return { id, name, standing, ...defined({ account, home }) };
}

function toMessage(message: TeamsMessage, revision: number, { host }: Talk, tenant: string): Message {
  const names = host.agents().map(({ name }) => name);
  const people = message.mentions.filter(({ id }) => id !== message.place.bot).map(({ name }) => name);
  const { agent, text } = readAgent(message.text, names, people);
  const thread = threadFor(message);
  const { headline, locale, omitted, quoted, sentAt } = message;
  return {
    id: messageId(thread.room, message.id),
    thread,
    sender: { ...toPerson(message.sender, tenant), ...defined({ locale }) },
    text: withHeadline(text, headline),
    ...(agent !== undefined && { agent: agentName(agent) }),
    quoted,
    sentAt,
    revision,
    files: fileRefs(message),
    ...(omitted.length > 0 && { omitted }),
  };
}

/**
 * Maximum wait for a permit, in milliseconds. After that, the call is made without a permit, because a person is
 * waiting; the call still counts towards the rate limit.
 */
const PERMIT_MS = 10_000;

export function permitToAsk(
  host: Pick<AdapterHost, 'permit' | 'permitAtOnce'>,
  tenant: string,
): (signal: AbortSignal, conversation?: string) => Promise<SidePermit> {
  return async (signal, room = '') => {
    const call = { tenant, room, family: room === '' ? 'asking' : 'members', first: true } as const;
    return (await host.permit(call, PERMIT_MS, signal)) ?? host.permitAtOnce(call);
  };
}

/** True if the message mentions the app. Only a mention entity counts, not the app's name in the text. */
export function mentionsBridge({ mentions, place }: Pick<TeamsMessage, 'mentions' | 'place'>): boolean {
  return mentions.some(({ id }) => id === place.bot);
}

/** True if the text begins with a mention of someone else, so it is not for the bridge. */
const beginsWithOther = ({ addressee, place }: TeamsMessage): boolean =>
  addressee !== undefined && addressee !== place.bot;
