/**
 * The platform's prompt about personal data (platform contract CHL-13). The platform sends it as an ordinary answer, so
 * it is recognized by its words. Its two choices are offered as suggestions, which every channel can show and send
 * back.
 */

import { BridgeError } from '../../errors.ts';
import type { Exchange } from '../agents/agent.ts';
import type { Quote } from '../message.ts';
import { change, type ReplyDocument } from '../reply.ts';
import { words } from '../words.ts';
import type { Choice, TurnContext } from './turn-context.ts';

/** A clock time, with milliseconds or without. */
const TIME = String.raw`\d\d?[.:]\d\d(?:[.:]\d\d(?:\.\d{3})?)?(?!\.?\d)`;
/** Dates such as 2026-11-22 and 22.11.2026, with the time before or after the date if there is one. */
const DATE = String.raw`(?<![\d.])(?:${TIME},? )?(?<!\d)(?:\d{4}-\d\d-\d\d|[0-3]?\d\.[01]?\d\.\d{4})(?!\d)(?:[T, ]{1,2}${TIME})?`;
const EMAIL = String.raw`(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}`;
const PHONE = String.raw`(?<!\d)\+?\d[\d\s().-]{6,40}\d`;
/**
 * Matches personal data. Dates are matched first, as `date`, so that their digits never count as a phone number.
 * Repetitions are bounded and matches start at the beginning of a word or number, so the search takes linear time.
 */
const DATE_OR_PERSONAL = new RegExp(`(?<date>${DATE})|${EMAIL}|${PHONE}`, 'gu');
const PROMPT =
  /personal (data|information|details)|sensitive (data|information)|privacy|personenbezogen|donn[ée]+es personnelles|datos personales|个人(数据|信息|隐私)|個人(情報|資料|データ)|敏感信息|隐私|隱私/iu;
/** Maximum length of a prompt, in UTF-16 units. A longer text is an ordinary answer that mentions personal data. */
const PROMPT_CHARS = 800;

/**
 * True if the answer is the platform's prompt about personal data. The platform does not mark this prompt, so it is
 * recognized: the answer asks for consent, and the question contains personal data. Answers with sources, media or
 * suggestions are never prompts, even if they mention privacy.
 */
export function isPersonalDataPrompt(question: string, answer: Answer): boolean {
  const { text, sources, media, suggestions } = answer;
  const isBare = sources.length + media.length + suggestions.length === 0;
  return (
    isBare && text.length <= PROMPT_CHARS && PROMPT.test(text) && withoutPersonalData(question) !== question
  );
}

type Answer = Pick<ReplyDocument, 'text' | 'sources' | 'media' | 'suggestions'>;

export function withoutPersonalData(text: string): string {
  return text.replace(DATE_OR_PERSONAL, (_found, date?: string) => date ?? words.personalData.removed);
}

const masked = (quote: Quote): Quote => ({ ...quote, text: withoutPersonalData(quote.text) });

export function withoutPersonalDataIn(history: readonly Exchange[]): readonly Exchange[] {
  return history.map((one) => ({ ...one, question: withoutPersonalData(one.question) }));
}

/** Offers both choices as suggestions. They replace none, because the platform's prompt has no suggestions. */
export function offerChoices(document: ReplyDocument): ReplyDocument {
  const { send, without } = words.personalData;
  return change(document, { suggestions: [send, without] });
}

/**
 * Removes the two choices from the suggestions. Called if the answer has sources, because it is then a real answer and
 * no prompt.
 */
export function withoutChoices(suggestions: readonly string[]): readonly string[] {
  return suggestions.filter((each) => choiceOf(each) === undefined);
}

export function choiceOf(text: string): Choice | undefined {
  const reply = text.trim().toLowerCase();
  if (reply === words.personalData.send.toLowerCase()) return 'send';
  return reply === words.personalData.without.toLowerCase() ? 'without' : undefined;
}

/**
 * Handles the message with which a person replies to the platform's prompt about personal data. Replaces the message
 * with the question to which the thread's last prompt belongs, with or without its personal data, as the person chose.
 * Returns the context unchanged for any other message. Only the person who asked the question may reply to the prompt.
 * @throws BridgeError `personal-data-gone` if that question has expired, which happens after 24 hours
 */
export async function withPromptedQuestion(context: TurnContext): Promise<TurnContext> {
  const { turn } = context.claim;
  const { message } = turn;
  const choice = choiceOf(message.text);
  if (choice === undefined || message.files.some(({ earlier }) => earlier !== true)) return context;
  const prompted = await context.deps.memory.lastPrompt(message.thread, message.sender.id);
  const stored = prompted && (await context.deps.finishedReplies.find(prompted));
  if (stored === undefined || stored.question.sender.id !== message.sender.id) {
    throw new BridgeError(
      'personal-data-gone',
      'The question that the personal-data prompt was about is no longer kept.',
    );
  }
  const { question, document } = stored;
  const original = {
    ...message,
    text: choice === 'send' ? question.text : withoutPersonalData(question.text),
    quoted: choice === 'send' ? question.quoted : question.quoted.map(masked),
    files: question.files,
    ...(question.omitted && {
      omitted: choice === 'send' ? question.omitted : question.omitted.map(withoutPersonalData),
    }),
    ...(document.agent !== undefined && { agent: document.agent }),
  };
  return { ...context, claim: { ...context.claim, turn: { ...turn, message: original } }, choice };
}
