/** Feedback on an answer: the thumbs buttons, the form that they open, and reactions. */

import { isPlain, type Plain, plain, readJson, text, type Verdict } from '../../../src/kit/ladder.ts';
import { press } from '../../../src/kit.ts';
import type { Reacted } from '../activity.ts';
import { feedbackNote, NOTE_CHARS } from '../render/forms.ts';
import type { Interaction } from './deps.ts';
import { replyPress } from './press.ts';
import { words } from './words.ts';

/** Value of `actionName` for feedback. */
const FEEDBACK = 'feedback';

/**
 * Returns the verdict of a press on a thumbs button. The verdict is in the value itself (Microsoft's page on feedback
 * buttons) or in the value's `data` (types of microsoft/teams.ts). Returns undefined for another button, or if both
 * places contain verdicts that differ.
 */
export function verdictIn(value: unknown): 'up' | 'down' | undefined {
  const { reaction } = actionIn(value);
  return reaction === 'like' ? 'up' : reaction === 'dislike' ? 'down' : undefined;
}

function actionIn(value: unknown): Plain {
  const shapes = [plain(value), plain(plain(value).data)].filter(
    ({ actionName }) => actionName !== undefined,
  );
  const isFeedback = shapes.length > 0 && shapes.every(({ actionName }) => actionName === FEEDBACK);
  const [found, other = found] = shapes.map(({ actionValue }) => plain(actionValue));
  return isFeedback && found !== undefined && found.reaction === other?.reaction ? found : {};
}

/**
 * Returns the note in a completed form. Teams sends inputs as a JSON string; Teams' own feedback form has one field
 * (page on feedback buttons).
 */
export function noteIn(value: unknown, verdict: 'up' | 'down'): string {
  const { feedback } = actionIn(value);
  const inputs = isPlain(feedback) ? feedback : (readJson(text(feedback) ?? '') ?? {});
  const own = text(inputs.feedbackText);
  return own === undefined ? feedbackNote(verdict, inputs) : own.trim().slice(0, NOTE_CHARS);
}

/** Records a verdict. Returns why it was refused; undefined if it was recorded. */
export async function give(
  interaction: Interaction,
  verdict: Verdict,
  note = '',
): Promise<string | undefined> {
  const { deps, place, message } = interaction;
  const known = await deps.replies.find(place, message);
  if (known === undefined) return words.stale;
  const read = { kind: 'feedback', reply: known.reply, detail: verdict, inputs: {} } as const;
  const given = replyPress(interaction, read, note);
  const { kind, sentence } = await press(given.press, given.context);
  return kind === 'done' ? undefined : sentence;
}

/** Reactions that count as feedback, each with its verdict; other reactions are ignored. */
const verdicts: ReadonlyMap<string, Verdict> = new Map([
  ['like', 'up'],
  ['heart', 'up'],
  ['dislike', 'down'],
  ['sad', 'down'],
  ['angry', 'down'],
]);

/**
 * Returns the verdict of an added reaction. If none with a verdict was added, returns `none` if one was removed, and
 * undefined otherwise.
 */
export function verdictOf({ added, removed }: Pick<Reacted, 'added' | 'removed'>): Verdict | undefined {
  const put = added.flatMap((each) => verdicts.get(each) ?? []);
  if (put[0] !== undefined) return put[0];
  return removed.some((each) => verdicts.has(each)) ? 'none' : undefined;
}
