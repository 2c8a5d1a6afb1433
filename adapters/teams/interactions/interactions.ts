/** Handles what people do in Teams besides writing messages: buttons, forms, thumbs and reactions. */

import { type Plain, plain, text } from '../../../src/kit/json.ts';
import { press, refused, within } from '../../../src/kit.ts';
import type { Invoked } from '../activity.ts';
import type { Interactions } from '../inbound/dispatch.ts';
import { threadOf, toPerson } from '../inbound/intake.ts';
import type { InvokeAnswer } from '../receive/http.ts';
import { readAction, verbOf } from '../render/actions.ts';
import { attached, CARD_TYPE } from '../render/card.ts';
import { feedbackForm } from '../render/forms.ts';
import { pressCorrect } from './correct.ts';
import type { Interaction, InteractionDeps, Told } from './deps.ts';
import { askFeedback, give, takeFeedback, verdictIn, verdictOf } from './feedback.ts';
import { replyPress } from './press.ts';
import { pressShare } from './share.ts';
import { pressSources } from './sources.ts';
import { words } from './words.ts';

/**
 * Maximum time until a press gets its response, in milliseconds. Work that takes longer continues in the background.
 */
const ANSWER_MS = 1_500;

export function createInteractions(deps: InteractionDeps): Interactions {
  return {
    async invoke(invoked) {
      const interaction = interactionOf(invoked, deps);
      switch (invoked.name) {
        case 'adaptiveCard/action':
          return pressed(interaction, invoked);
        case 'message/fetchTask':
          return opened(interaction, invoked);
        case 'message/submitAction':
          return submitted(interaction, invoked);
        default:
          return undefined;
      }
    },
    noteRoom: (place, person) =>
      deps.background.run('remembering that a person wrote to the bridge', () =>
        deps.sharedRooms.note(place, person),
      ),
    left: (tenant, room) => deps.sharedRooms.left(tenant, room),
    async react(reacted) {
      const verdict = verdictOf(reacted);
      const { place, by, id, message } = reacted;
      const interaction: Interaction = { place, by, key: id, message, deps };
      if (verdict !== undefined) deps.background.run('a reaction', () => give(interaction, verdict));
    },
  };
}

function interactionOf({ place, by, id, message }: Invoked, deps: InteractionDeps): Interaction {
  return { place, by, key: `${by.id}-${id}`, message, deps };
}

/** Handles a press on a card. If a refusal is known only after the response to the press, it is sent as a note. */
async function pressed(interaction: Interaction, { value, id }: Invoked): Promise<InvokeAnswer> {
  if (id === '') return answerOf(refused(words.stale));
  const { deps, place, by } = interaction;
  let late = false;
  const first = await soon('a press', deps, async () => {
    const told = await pressReply(interaction, value).catch((err: unknown) => {
      deps.host.log.warn({ err }, 'a press could not be handled');
      return refused(words.trouble);
    });
    const sender = toPerson(by, deps.config.tenant);
    const sentence = told.kind === 'refused' || told.kind === 'card' ? told.sentence : undefined;
    if (late && sentence !== undefined) await deps.sendNote({ thread: threadOf(place), sender }, sentence);
    return told;
  });
  late = first === undefined;
  return answerOf(first ?? { kind: 'done', sentence: words.moment });
}

/** Runs work in the background. Resolves with its result, or with undefined if it fails or takes longer than `ANSWER_MS`. */
function soon<Value>(
  what: string,
  { background, host }: InteractionDeps,
  work: () => Promise<Value>,
): Promise<Value | undefined> {
  const done = Promise.withResolvers<Value | undefined>();
  background.run(what, async () => {
    const running = work();
    done.resolve(running.catch(() => undefined));
    await running;
  });
  return within(done.promise, ANSWER_MS, host.clock);
}

/** Resolves with what to tell the person, once the bridge has accepted or refused the press. */
async function pressReply(interaction: Interaction, value: unknown): Promise<Told> {
  const action = plain(plain(value).action);
  const read = readAction(action.data);
  if (read === undefined || text(action.verb) !== verbOf(read.kind)) return refused(words.stale);
  const pressed = replyPress(interaction, read);
  if (read.kind === 'correct') return pressCorrect(pressed);
  if (read.kind === 'sources') return pressSources(pressed);
  if (read.kind === 'share' || read.kind === 'shareSource') return pressShare(pressed);
  return press(pressed.press, pressed.context);
}

const MESSAGE_TYPE = 'application/vnd.microsoft.activity.message';

/**
 * Returns the response to a press (Microsoft's pages on universal actions for Adaptive Cards and on feedback buttons).
 */
const answerOf = (told: Told): InvokeAnswer =>
  told.kind === 'card' ? action(CARD_TYPE, told.card) : action(MESSAGE_TYPE, told.sentence);

const action = (type: string, value: unknown): InvokeAnswer => ({
  status: 200,
  body: { statusCode: 200, type, value },
});

/** Returns a response that opens a form in a dialog. */
const dialog = (card: Plain): InvokeAnswer => ({
  status: 200,
  body: { task: { type: 'continue', value: { title: words.feedbackTitle, card: attached(card) } } },
});

/** Response to feedback. It has no body, because Teams would show a body as an error. */
const NOTED: InvokeAnswer = { status: 200 };

async function opened(interaction: Interaction, { value }: Invoked): Promise<InvokeAnswer | undefined> {
  const verdict = verdictIn(value);
  if (verdict === undefined) return undefined;
  const form = await soon('feedback', interaction.deps, () => askFeedback(interaction, verdict));
  return dialog(form ?? feedbackForm(verdict));
}

async function submitted(interaction: Interaction, { value }: Invoked): Promise<InvokeAnswer | undefined> {
  const verdict = verdictIn(value);
  if (verdict === undefined) return undefined;
  await soon('feedback', interaction.deps, () => takeFeedback(interaction, verdict, value));
  return NOTED;
}
