/**
 * Asks an agent about a message, from the menu of the message (Microsoft's pages on action commands of message
 * extensions). Only the person sees the answer, so the command also works in conversations without the app.
 */

import { type Plain, plain, plains, shortened, text } from '../../../src/kit/ladder.ts';
import type { Quote } from '../../../src/kit.ts';
import { readConversation } from '../ids.ts';
import { threadOf, toPerson } from '../inbound/intake.ts';
import { quotesOf, readWhole } from '../receive/content.ts';
import { senderOf } from '../receive/quotes.ts';
import { askForm, FORM, QUESTION_CHARS, QUESTION_INPUT } from '../render/ask-form.ts';
import { AGENT_INPUT } from '../render/buttons.ts';
import type { Interaction, PressAnswer } from './deps.ts';
import { askAlone } from './press.ts';
import { words } from './words.ts';

/** Time for which the bridge stores the message while the form is open, in milliseconds. */
const FORM_MS = 30 * 60_000;
/** Maximum UTF-16 units of the message that the agent receives. */
const QUOTE_CHARS = 4_000;

const keyOf = ({ place, by }: Interaction, form: string): string =>
  `about ${place.tenant} ${readConversation(place.conversation).room} ${by.id} ${form}`;

/** Returns the form; a sentence if the message contains no text. The message is stored until the form is sent. */
export async function openAskForm(interaction: Interaction, value: unknown): Promise<Plain | string> {
  const { host } = interaction.deps;
  const { body, from, attachments } = plain(plain(value).messagePayload);
  const author = senderOf(from);
  const texts = quotesOf(author, readWhole(text(plain(body).content) ?? '', plains(attachments))).map(
    (quote) => (quote.author === author ? quote.text : `${quote.author}: ${quote.text}`),
  );
  if (texts.length === 0) return words.nothingToAsk;
  const about: Quote = { author, text: shortened(texts.join('\n\n'), QUOTE_CHARS) };
  const { place, by, key } = interaction;
  const owner = { tenant: place.tenant, room: readConversation(place.conversation).room, person: by.id };
  await host.secrets.set(keyOf(interaction, key), about, FORM_MS, owner);
  return askForm(host.agents(), about, interaction.key);
}

/** Asks the question of the form. Safe to call again, because the bridge asks for each form once. */
export async function askAbout(interaction: Interaction, value: unknown): Promise<PressAnswer> {
  const { deps, place, by } = interaction;
  const { data } = plain(value);
  const { [FORM]: form, [QUESTION_INPUT]: question, [AGENT_INPUT]: chosen } = plain(data);
  // The key of the form, because Teams may send one form under several ids, for example after two presses.
  const key = text(form) ?? '';
  const stored = plain(await deps.host.secrets.get(keyOf(interaction, key)));
  const [author, said] = [text(stored.author), text(stored.text)];
  // A sentence of the kind `idle` is never posted, because others in the conversation would see it.
  if (author === undefined || said === undefined) return { kind: 'idle', sentence: words.formTooOld };
  const asking = await askAlone({ ...interaction, key }, threadOf(place), 'about', {
    origin: { kind: 'act', key },
    by: toPerson(by, deps.config.tenant),
    // A forged form may contain a longer question than the form allows.
    text: (text(question) ?? '').slice(0, QUESTION_CHARS).toWellFormed(),
    agent: deps.host.agents().find(({ name }) => name === chosen)?.name,
    quoted: [{ author, text: said }],
  });
  return asking.thread === undefined ? { kind: 'idle', sentence: asking.sentence } : asking;
}

/** True if the invoke's value is a form of `openAskForm`. */
export const isAskForm = (value: unknown): boolean =>
  text(plain(plain(value).data)[QUESTION_INPUT]) !== undefined;
