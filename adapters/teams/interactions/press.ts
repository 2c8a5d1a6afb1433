/** Handles a press on a reply's button: checks where the person pressed, and asks the question. */

import { text } from '../../../src/kit/json.ts';
import type { ReplyRef } from '../../../src/kit/reply-ref.ts';
import type { LinkOf } from '../../../src/kit/sources.ts';
import {
  type Asked,
  answered,
  type IntakeResult,
  type KeptReply,
  type Message,
  type Press,
  type PressContext,
  type Pressed,
  type ReplyDocument,
  refused,
  type ThreadRef,
} from '../../../src/kit.ts';
import { readWithRetries } from '../api/retries.ts';
import { actId, CHANNEL, readConversation } from '../ids.ts';
import { toPerson } from '../inbound/intake.ts';
import { copilotKey, isFor, isPrivate, privateThread } from '../private.ts';
import type { ReadAction } from '../render/actions.ts';
import { AGENT_INPUT } from '../render/buttons.ts';
import type { RenderContext } from '../render/render-context.ts';
import { renderContextWithImages } from '../write/render-context.ts';
import type { Interaction } from './deps.ts';
import { words } from './words.ts';

/** A press on a reply's button, with the person and conversation it came from. */
export interface ReplyPress extends Interaction {
  readonly read: ReadAction;
  readonly press: Press;
  readonly context: PressContext<KeptReply>;
}

export function replyPress(interaction: Interaction, read: ReadAction, note?: string): ReplyPress {
  const { place, key, deps } = interaction;
  const { host } = deps;
  const { turn, room, key: inRoom, kind } = read.reply;
  const thread = { channel: CHANNEL, tenant: place.tenant, room, key: inRoom, kind };
  const press = {
    ...{ action: read.kind, turn, thread, detail: detailOf(read), key },
    ...(note !== undefined && { note }),
  };
  return {
    ...{ ...interaction, read, press },
    context: {
      ...{ channel: 'Teams', host, isHere: isAtReply(interaction, read.reply) },
      person: () => personOf(interaction),
      reply: () => host.reply(turn, thread),
      ask: (asked) => ask(interaction, read.reply, thread, asked),
    },
  };
}

/**
 * Returns the detail of a press: the agent chosen in the card's input if the kind is `agent`, otherwise the button's
 * own detail.
 */
const detailOf = ({ kind, detail, inputs }: ReadAction): string =>
  kind === 'agent' ? (text(inputs[AGENT_INPUT]) ?? '') : detail;

/** Looks up the person in Teams. A result from the last hour is reused. */
async function personOf({ by, place, deps: { config, people, signal } }: Interaction) {
  const told = toPerson(by, config.tenant);
  const found = await people.find(place, told, signal);
  // If the event of the press says that the person is external or a guest, the event takes precedence over the look-up.
  return { ...found, ...(told.standing !== 'member' && { standing: told.standing }) };
}

/**
 * True if the press came from the conversation that shows the reply and, if the answer is private, from its asker. The
 * data of a press can be forged (attack S16: a press that names another room; S17: a press on another person's private
 * answer).
 */
function isAtReply({ place, by }: Interaction, reply: ReplyRef): boolean {
  const { room, root } = readConversation(place.conversation);
  if (reply.room !== room || !isFor(by.id, reply)) return false;
  if (isPrivate(reply)) return reply.kind === 'direct';
  if (reply.kind !== place.kind) return false;
  return reply.kind === 'room'
    ? root === undefined || reply.key === root
    : [room, copilotKey(room)].includes(reply.key);
}

/** Returns a function that makes the link of each source of the reply. */
export function linksOf({ deps, press: { thread } }: ReplyPress): LinkOf {
  return (source, turn) => deps.host.sourceLink(source, { turn, thread });
}

/** Returns the context for rendering the reply's messages, including images. */
export function renderContextOfReply(pressed: ReplyPress, document: ReplyDocument): Promise<RenderContext> {
  const { deps, read, press } = pressed;
  const turn = { message: { id: read.reply.question, thread: press.thread } };
  return renderContextWithImages(document, {
    deps: deps.renderInputs,
    images: new Map(),
    signal: deps.signal,
    turn,
  });
}

/**
 * Asks a question, which is posted above its answer. If `text` is empty, repeats the question that the reply answered;
 * the bridge keeps that question for a day.
 */
async function ask(
  interaction: Interaction,
  reply: ReplyRef,
  thread: ThreadRef,
  { kind, origin, by, text, agent }: Asked,
): Promise<IntakeResult | Pressed> {
  const { deps, key } = interaction;
  const intake = (message: Message) => deps.host.intake({ kind: 'ask', origin, message });
  const messageIn = (at: ThreadRef): Message => ({
    ...{ id: kind === 'again' ? reply.question : actId(at.room, kind, key), thread: at, sender: by, text },
    ...(agent !== undefined && { agent }),
    ...{ quoted: [], files: [], sentAt: deps.host.clock.now(), revision: 0 },
  });
  if (kind === 'mine') {
    const alone = await aloneThread(interaction, thread);
    if (alone === undefined) return refused(words.notInstalled(deps.config.name));
    return answered(await intake(messageIn(alone)), isPrivate(alone) ? words.askingAlone : words.askingMine);
  }
  return intake(messageIn(thread));
}

/**
 * Returns a thread that only the person sees: with targeted messages, in a conversation that the app is in, and otherwise
 * the person's chat with the app. Returns undefined if the person has not added the app.
 */
export async function aloneThread(
  interaction: Interaction,
  thread: ThreadRef,
): Promise<ThreadRef | undefined> {
  const { deps, by, key } = interaction;
  const { tenant, room, kind } = thread;
  const targets = deps.config.targeted && kind !== 'direct' && (await deps.places.room(tenant, room));
  return targets
    ? privateThread({ thread, person: by.id, act: key })
    : personalChatOf(interaction, by.account ?? by.id);
}

/** Returns the person's one-to-one chat with the app; undefined if the person has not added the app. */
async function personalChatOf({ place, deps }: Interaction, id: string): Promise<ThreadRef | undefined> {
  const { connector, places, host, signal } = deps;
  const { serviceUrl, bot, tenant } = place;
  const opened = await readWithRetries(
    async () => {
      const sent = await connector.openChat(place, id, signal);
      return sent.kind === 'done' ? { kind: 'got', value: sent.id } : sent;
    },
    { clock: host.clock, signal },
  );
  if (opened.kind !== 'got' || opened.value === undefined) return undefined;
  const room = opened.value;
  await places.remember({ tenant, conversation: room, kind: 'direct', serviceUrl, bot });
  return { channel: CHANNEL, tenant, room, key: room, kind: 'direct' };
}
