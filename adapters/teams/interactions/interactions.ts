/** Handles what people do in Teams besides writing messages: buttons, forms, thumbs and reactions. */

import { z } from 'zod';
import {
  AcceptedPresses,
  isForTurns,
  openCorrection,
  type Plain,
  plain,
  refused,
  storeCorrection,
  text,
  within,
} from '../../../src/kit/ladder.ts';
import { press } from '../../../src/kit.ts';
import type { Invoked, Reacted, TeamsPerson, TeamsPlace } from '../activity.ts';
import { ASK_ABOUT, readConversation } from '../ids.ts';
import { threadOf, toPerson } from '../inbound/intake.ts';
import { sendLater } from '../inbound/posts.ts';
import type { InvokeAnswer } from '../receive/http.ts';
import { readAction, verbOf } from '../render/actions.ts';
import { attached, CARD_TYPE } from '../render/card.ts';
import { CORRECTION_CHARS, correctionForm, STORE, wordingOf } from '../render/correction-form.ts';
import { feedbackForm, noteCard, resultCard } from '../render/forms.ts';
import { askAbout, isAskForm, openAskForm } from './ask-about.ts';
import type { Interaction, InteractionDeps, PressAnswer, StoredPress } from './deps.ts';
import { give, noteIn, verdictIn, verdictOf } from './feedback.ts';
import { type ReplyPress, replyPress } from './press.ts';
import { pressShare } from './share.ts';
import { createNames, createSharedRooms } from './shared-rooms.ts';
import { pressSources } from './sources.ts';
import { words } from './words.ts';

/**
 * Maximum time until a press gets its response, in milliseconds. Work that takes longer continues in the background.
 */
const ANSWER_MS = 1_500;

/** Pauses before further attempts to tell a person that a press had no effect, in milliseconds. */
const LATER_MS = [1_000, 4_000, 15_000, 60_000];

export type Interactions = ReturnType<typeof createInteractions>;

export function createInteractions(given: Omit<InteractionDeps, 'presses' | 'sharedRooms' | 'nameOf'>) {
  const { host, connector, places, background, once, signal } = given;
  const deps: InteractionDeps = {
    ...given,
    sharedRooms: createSharedRooms(host.state, places),
    nameOf: createNames(connector, host.clock, signal),
    presses: new AcceptedPresses<StoredPress>({
      host,
      background,
      once,
      signal,
      acknowledgeMs: ANSWER_MS,
      identify: ({ place: { tenant, conversation }, by, id }) => [
        tenant,
        readConversation(conversation).room,
        by.id,
        id,
      ],
      ownerOf: ({ place: { tenant, conversation }, by }) => ({
        tenant,
        room: readConversation(conversation).room,
        person: by.id,
      }),
      decode: (stored) => storedPress.safeParse(stored).data,
      again: async (stored) => sendTold(interactionOf(stored, deps), await pressIn(stored, deps)),
    }),
  };
  deps.presses.resume();
  return {
    /**
     * Responds within seconds. Resolves with undefined if the invoke (a request that expects a response) is not for the
     * bridge.
     */
    async invoke(invoked: Invoked): Promise<InvokeAnswer | undefined> {
      const interaction = interactionOf(invoked, deps);
      switch (invoked.name) {
        case 'adaptiveCard/action':
        case 'composeExtension/submitAction':
          return pressed(interaction, invoked);
        case 'composeExtension/fetchTask':
          return opensAsk(interaction, invoked);
        case 'message/fetchTask':
        case 'message/submitAction':
          return feedback(interaction, invoked);
        default:
          return undefined;
      }
    },
    /** Records that the person used the bridge in the conversation. */
    noteRoom: (place: TeamsPlace, person: TeamsPerson) =>
      deps.background.run('remembering that a person wrote to the bridge', () =>
        deps.sharedRooms.note(place, person),
      ),
    /** Deletes what is stored about a conversation. */
    left: deps.sharedRooms.left,
    async react(reacted: Reacted): Promise<void> {
      const verdict = verdictOf(reacted);
      const { place, by, id, message } = reacted;
      const interaction: Interaction = { place, by, key: id, message, deps };
      if (verdict !== undefined) deps.background.run('a reaction', () => give(interaction, verdict));
    },
  };
}

function interactionOf({ place, by, id, message }: StoredPress, deps: InteractionDeps): Interaction {
  return { place, by, key: `${by.id}-${id}`, message, deps };
}

/** Handles a press on a card. If a refusal is known only after the response to the press, it is sent as a note. */
async function pressed(interaction: Interaction, invoked: Invoked): Promise<InvokeAnswer> {
  if (invoked.id === '') return answerOf(refused(words.stale));
  const { deps } = interaction;
  const { kind: _kind, name: _name, ...press } = invoked;
  let late = false;
  const work = async () => {
    const result = await pressIn(press, deps);
    if (late) await sendTold(interaction, result);
    return result;
  };
  const answerTo = isAskForm(invoked.value) ? messageDialog : answerOf;
  const read = readAction(plain(plain(invoked.value).action).data);
  const isStored = isAskForm(invoked.value) || (read !== undefined && isForTurns(read.kind));
  const first = await (isStored ? deps.presses.handle(press, work) : soon('a press', deps, work));
  late = first === undefined;
  return answerTo(first ?? { kind: 'done', sentence: words.moment });
}

const pressIn = (press: StoredPress, deps: InteractionDeps): Promise<PressAnswer> =>
  pressReply(interactionOf(press, deps), press.value).catch((err: unknown) => {
    deps.host.log.warn({ err }, 'a press could not be handled');
    return refused(words.trouble);
  });

/** Sends a refusal, or the sentence of a card, as a note, because the response to the press has already been sent. */
async function sendTold({ deps, place, by }: Interaction, response: PressAnswer): Promise<void> {
  const { kind, sentence, thread = threadOf(place) } = response;
  if (sentence === undefined || (kind !== 'refused' && kind !== 'card')) return;
  const send = () => deps.sendNote({ thread, sender: toPerson(by, deps.config.tenant) }, sentence);
  // The press was acknowledged, so the person learns only from this note that it had no effect.
  if (!(await send())) await sendLater(send, LATER_MS, deps.host.clock, deps.signal);
}

const filled = z.string().min(1);

const storedPress = z.object({
  place: z.object({
    tenant: filled,
    conversation: filled,
    serviceUrl: filled,
    bot: filled,
    kind: z.enum(['direct', 'group', 'room']),
    team: filled.exactOptional(),
    name: z.string().exactOptional(),
  }),
  by: z.object({
    id: filled,
    name: z.string(),
    isBot: z.boolean(),
    account: filled.exactOptional(),
    tenant: filled.exactOptional(),
  }),
  id: filled,
  value: z.unknown(),
  message: filled.exactOptional(),
});

/** Runs work in the background. Resolves with its result, or with undefined if it fails or takes longer than `ANSWER_MS`. */
function soon<Value>(
  what: string,
  { background, host }: InteractionDeps,
  work: () => Promise<Value>,
): Promise<Value | undefined> {
  return within(background.result(what, work), ANSWER_MS, host.clock);
}

/** Resolves with what to tell the person, once the bridge has accepted or refused the press. */
async function pressReply(interaction: Interaction, value: unknown): Promise<PressAnswer> {
  if (isAskForm(value)) return askAbout(interaction, value);
  const action = plain(plain(value).action);
  const read = readAction(action.data);
  if (read === undefined || text(action.verb) !== verbOf(read.kind)) return refused(words.stale);
  const pressed = replyPress(interaction, read);
  if (read.kind === 'correct') return pressCorrect(pressed);
  if (read.kind === 'sources') return pressSources(pressed);
  if (read.kind === 'share' || read.kind === 'shareSource') return pressShare(pressed);
  return press(pressed.press, pressed.context);
}

/**
 * Corrects an answer. For the person who pressed, a form replaces the answer's card, and then the result replaces the
 * form.
 */
async function pressCorrect({ press, context, read }: ReplyPress): Promise<PressAnswer> {
  const { reply, detail, inputs } = read;
  if (detail !== STORE) {
    const form = await openCorrection(press, context, CORRECTION_CHARS);
    return form.kind === 'refused' ? form : { kind: 'card', card: correctionForm(form, reply) };
  }
  const stored = await storeCorrection(press, context, wordingOf(inputs));
  if (stored.kind === 'refused') return stored;
  const { sentence } = stored;
  return { kind: 'card', card: resultCard(sentence, reply), sentence };
}

const MESSAGE_TYPE = 'application/vnd.microsoft.activity.message';

/**
 * Returns the response to a press (Microsoft's pages on universal actions for Adaptive Cards and on feedback buttons).
 */
const answerOf = (response: PressAnswer): InvokeAnswer =>
  response.kind === 'card' ? action(CARD_TYPE, response.card) : action(MESSAGE_TYPE, response.sentence);

const action = (type: string, value: unknown): InvokeAnswer => ({
  status: 200,
  body: { statusCode: 200, type, value },
});

/** Returns a response that opens a form in a dialog. */
const dialog = (card: Plain, title: string): InvokeAnswer => ({
  status: 200,
  body: { task: { type: 'continue', value: { title, card: attached(card) } } },
});

/** Returns a response that shows a sentence in a dialog. */
const messageDialog = (response: PressAnswer | string): InvokeAnswer => {
  const value = typeof response === 'string' ? response : response.sentence;
  return { status: 200, body: { task: { type: 'message', value } } };
};

async function opensAsk(interaction: Interaction, { value }: Invoked): Promise<InvokeAnswer | undefined> {
  if (plain(value).commandId !== ASK_ABOUT) return undefined;
  const form = await soon('a form', interaction.deps, () => openAskForm(interaction, value));
  return typeof form === 'object' ? dialog(form, words.askTitle) : messageDialog(form ?? words.trouble);
}

/** Response to feedback. It has no body, because Teams would show a body as an error. */
const NOTED: InvokeAnswer = { status: 200 };

async function feedback(
  interaction: Interaction,
  { name, value }: Invoked,
): Promise<InvokeAnswer | undefined> {
  const verdict = verdictIn(value);
  if (verdict === undefined) return undefined;
  if (name === 'message/submitAction') {
    await soon('feedback', interaction.deps, () => give(interaction, verdict, noteIn(value, verdict)));
    return NOTED;
  }
  // The verdict counts even if the form is never sent.
  const refusal = await soon('feedback', interaction.deps, () => give(interaction, verdict));
  const form = refusal === undefined ? feedbackForm(verdict) : noteCard(refusal);
  return dialog(form, words.feedbackTitle);
}
