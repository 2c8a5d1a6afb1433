/**
 * Asks an agent about a message, from the menu of the message (Microsoft's pages on action commands of message
 * extensions). Only the person sees the answer, so the command also works in conversations without the app.
 */

import { shortened } from '../../../src/kit/emission.ts';
import { defined, type Plain, plain, plains, text } from '../../../src/kit/json.ts';
import { answered, type Quote } from '../../../src/kit.ts';
import { actId, readConversation } from '../ids.ts';
import { threadOf, toPerson } from '../inbound/intake.ts';
import { isPrivate } from '../private.ts';
import { quotesOf, readWhole } from '../receive/content.ts';
import { senderOf } from '../receive/quotes.ts';
import { askForm, QUESTION_INPUT, readAskForm } from '../render/ask-form.ts';
import type { Interaction, Told } from './deps.ts';
import { aloneThread } from './press.ts';
import { words } from './words.ts';

/** Time for which the bridge stores the message while the form is open, in milliseconds. */
const FORM_MS = 30 * 60_000;
/** Maximum UTF-16 units of the message that the agent receives. */
const QUOTE_CHARS = 4_000;

/** Room and person are separate words in the key, because the deletion of their data searches for these words. */
const keyOf = ({ place, by }: Interaction, form: string): string =>
  `about ${place.tenant} ${readConversation(place.conversation).room} ${by.id} ${form}`;

/** Returns the form; a sentence if the message contains no text. The message is stored until the form is sent. */
export async function openAskForm(interaction: Interaction, value: unknown): Promise<Plain | string> {
  const { host } = interaction.deps;
  const about = quoteOf(plain(plain(value).messagePayload));
  if (about === undefined) return words.nothingToAsk;
  await host.secrets.set(keyOf(interaction, interaction.key), about, FORM_MS);
  return askForm(host.agents(), about, interaction.key);
}

/** Returns the message as one quote, with the words of the quotes and cards in it (Microsoft Graph, "chatMessage"). */
function quoteOf({ body, from, attachments }: Plain): Quote | undefined {
  const author = senderOf(from);
  const quotes = quotesOf(author, readWhole(text(plain(body).content) ?? '', plains(attachments)));
  const said = quotes.map((quote) =>
    quote.author === author ? quote.text : `${quote.author}: ${quote.text}`,
  );
  return said.length === 0 ? undefined : { author, text: shortened(said.join('\n\n'), QUOTE_CHARS) };
}

/** Asks the question of the form. Safe to call again, because the bridge asks for each form once. */
export async function askAbout(interaction: Interaction, value: unknown): Promise<Told> {
  const { deps, place, by, key } = interaction;
  const { host, config } = deps;
  const { form, question, agent } = readAskForm(plain(plain(value).data), host.agents());
  const stored = plain(await host.secrets.get(keyOf(interaction, form)));
  const [author, said] = [text(stored.author), text(stored.text)];
  // A sentence of the kind `idle` is never posted, because others in the conversation would see it.
  if (author === undefined || said === undefined) return { kind: 'idle', sentence: words.formTooOld };
  const thread = await aloneThread(interaction, threadOf(place));
  if (thread === undefined) return { kind: 'idle', sentence: words.notInstalled(config.name) };
  const message = {
    ...{ id: actId(thread.room, 'about', key), thread, sender: toPerson(by, config.tenant), text: question },
    ...defined({ agent }),
    ...{ quoted: [{ author, text: said }], files: [], sentAt: host.clock.now(), revision: 0 },
  };
  const kept = await host.intake({ kind: 'ask', origin: { kind: 'act', key }, message });
  return answered(kept, isPrivate(thread) ? words.askingAlone : words.askingMine);
}

/** True if the invoke's value is a form of `openAskForm`. */
export const isAskForm = (value: unknown): boolean =>
  text(plain(plain(value).data)[QUESTION_INPUT]) !== undefined;
