/** Handles a press on a reply's button: checks where the person pressed, and asks the question. */

import {
  answered,
  type IntakeResult,
  type KeptReply,
  type LinkOf,
  type PressContext,
  type Pressed,
  type PressQuestion,
  type ReplyRef,
  refused,
  text,
} from '../../../src/kit/ladder.ts';
import { defined, type Press, type Quote, type ReplyDocument, type ThreadRef } from '../../../src/kit.ts';
import { readWithRetries } from '../api/retries.ts';
import { actId, CHANNEL, readConversation } from '../ids.ts';
import { toPerson } from '../inbound/intake.ts';
import { copilotKey, isFor, isPrivate, privateThread } from '../private.ts';
import type { ReadAction } from '../render/actions.ts';
import { AGENT_INPUT } from '../render/buttons.ts';
import type { RenderContext } from '../render/render-context.ts';
import { renderContextWithImages } from '../write/render-context.ts';
import type { Interaction, PressAnswer } from './deps.ts';
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
  const { turn, question, room, key: inRoom, kind } = read.reply;
  const thread = { channel: CHANNEL, tenant: place.tenant, room, key: inRoom, kind };
  const press = {
    action: read.kind,
    turn,
    thread,
    detail: detailOf(read),
    key,
    ...(note !== undefined && { note }),
  };
  return {
    ...interaction,
    read,
    press,
    context: {
      channel: 'Teams',
      host,
      isHere: isAtReply(interaction, read.reply),
      person: () => personOf(interaction),
      reply: () => host.reply(turn, thread),
      /**
       * The question is posted above its answer. If its text is empty, repeats the question that the reply answered; the
       * bridge keeps that question for a day.
       */
      ask(form) {
        if (form.kind === 'mine') return askAlone(interaction, thread, form.kind, form);
        const id = form.kind === 'again' ? question : actId(room, form.kind, key);
        return askIn(interaction, thread, id, form);
      },
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
  const person = toPerson(by, config.tenant);
  const found = await people.find(place, person, signal);
  // If the event of the press says that the person is external or a guest, the event takes precedence over the look-up.
  return { ...found, ...(person.standing !== 'member' && { standing: person.standing }) };
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
  const agent = defined({ agent: document.agent });
  const turn = { message: { id: read.reply.question, thread: press.thread, ...agent } };
  return renderContextWithImages(document, {
    deps: deps.renderInputs,
    images: new Map(),
    signal: deps.signal,
    turn,
  });
}

type Question = Omit<PressQuestion, 'kind'> & { readonly quoted?: readonly Quote[] };

function askIn(
  { deps: { host } }: Interaction,
  thread: ThreadRef,
  id: string,
  { origin, by, text, agent, quoted = [] }: Question,
): Promise<IntakeResult> {
  const base = { id, thread, sender: by, text, quoted, files: [], ...defined({ agent }) };
  const message = { ...base, sentAt: host.clock.now(), revision: 0 };
  return host.intake({ kind: 'ask', origin, message });
}

/**
 * Asks a question whose answer only the person sees: with targeted messages, in a conversation that the app is in, and
 * otherwise in the person's chat with the app. Refuses if the person has not added the app.
 */
export async function askAlone(
  interaction: Interaction,
  thread: ThreadRef,
  kind: 'mine' | 'about',
  question: Question,
): Promise<Pressed & Pick<PressAnswer, 'thread'>> {
  const { deps, by, key } = interaction;
  const { tenant, room } = thread;
  const isTargeted =
    deps.config.targeted && thread.kind !== 'direct' && (await deps.places.room(tenant, room));
  const alone = isTargeted
    ? privateThread(thread, by.id, key)
    : await personalChatOf(interaction, by.account ?? by.id);
  if (alone === undefined) return refused(words.notInstalled(deps.config.name));
  const result = await askIn(interaction, alone, actId(alone.room, kind, key), question);
  return { ...answered(result, isTargeted ? words.askingAlone : words.askingMine), thread: alone };
}

/** Returns the person's one-to-one chat with the app; undefined if the person has not added the app. */
async function personalChatOf({ place, deps }: Interaction, id: string): Promise<ThreadRef | undefined> {
  const { connector, places, host, signal } = deps;
  const { serviceUrl, bot, tenant } = place;
  const opened = await readWithRetries(() => connector.openChat(place, id, signal), host.clock, signal);
  if (opened.kind !== 'got') return undefined;
  const room = opened.value;
  await places.remember({ tenant, conversation: room, kind: 'direct', serviceUrl, bot });
  return { channel: CHANNEL, tenant, room, key: room, kind: 'direct' };
}
