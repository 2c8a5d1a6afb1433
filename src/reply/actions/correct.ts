/** Corrects an answer: fills the form, and stores the wording that the person confirmed. */

import type { AdapterHost } from '../../core/channel/host.ts';
import type { Person, ThreadRef } from '../../core/message.ts';
import { isFinal, marksOf, type ReplyDocument } from '../../core/reply.ts';
import { BridgeError } from '../../errors.ts';
import {
  type Press,
  type PressContext,
  type Pressed,
  type Refused,
  refused,
  type SeenReply,
} from './press.ts';
import { openReply, pressResult } from './table.ts';
import { words } from './words.ts';

type HostCorrections = AdapterHost<unknown, unknown>['corrections'];

/** A question and its answer. */
export interface Wording {
  readonly question: string;
  readonly answer: string;
}

/** Maximum UTF-16 units of each text in a channel's form. */
export type WordingLimits = Readonly<Record<keyof Wording, number>>;

/** A reply with the properties that a correction needs. */
export type CorrectableReply = SeenReply & Pick<ReplyDocument, 'text' | 'sources' | 'question'>;

/** The content of a channel's form for a correction. */
export interface CorrectionForm extends Wording {
  readonly kind: 'form';
  /**
   * Sentences above the fields: where the pair is stored, under which account, and which text is too long to be edited
   * here.
   */
  readonly told: readonly string[];
}

/**
 * True if *Correct* is shown under the answer: the answer has ended, and the rules allow somebody in this place to
 * correct it.
 */
export function offersCorrection(
  document: ReplyDocument,
  thread: ThreadRef,
  corrections: Pick<HostCorrections, 'offered'>,
): boolean {
  const { agent, text } = document;
  return agent !== undefined && text !== '' && isFinal(document) && corrections.offered({ thread, agent });
}

/** Returns the content of the form, or the reason why the person cannot correct this reply. */
export async function openCorrection(
  press: Press,
  context: PressContext<CorrectableReply>,
  limits: WordingLimits,
): Promise<CorrectionForm | Refused> {
  const found = await findTarget(press, context);
  if (found.kind === 'refused') return found;
  const { reply, target } = found;
  const { question = '' } = reply;
  const answer = withoutMarks(reply);
  const tooLong = (what: keyof Wording, text: string) =>
    text.length > limits[what] ? [words.tooLongToEdit(what, text.length, limits[what])] : [];
  return {
    kind: 'form',
    question: question.length > limits.question ? '' : question,
    answer: answer.length > limits.answer ? '' : answer,
    told: [
      words.storedIn(target.workspace, target.account),
      words.useOfPairs,
      ...tooLong('question', question),
      ...tooLong('answer', answer),
    ],
  };
}

/** Stores the confirmed wording. Never rejects: if storing fails, resolves with a refusal that states the reason. */
export function storeCorrection(
  press: Press,
  context: PressContext<CorrectableReply>,
  wording: Wording,
): Promise<Pressed> {
  const work = async (): Promise<Pressed> => {
    const found = await findTarget(press, context);
    if (found.kind === 'refused') return found;
    const { by, reply, target } = found;
    const { agent } = reply;
    const [question, answer] = [wording.question.trim(), wording.answer.trim()];
    if (question === '' || answer === '') return refused(words.wordingMissing);
    if (agent === undefined) return refused(words.notCorrectable);
    const correction = { thread: press.thread, turn: press.turn, agent, by, question, answer };
    const outcome = await context.host.corrections.store(correction, target);
    if (outcome === 'stored') return { kind: 'done', sentence: words.corrected(target.workspace) };
    if (outcome === 'unconfirmed') return refused(words.correctionUnconfirmed(target.workspace));
    return {
      kind: 'idle',
      sentence: outcome === 'known' ? words.correctedBefore(target.workspace) : words.correctionRunning,
    };
  };
  return pressResult(() => work().catch(refusedByPlatform), { host: context.host, done: '' });
}

interface Found {
  readonly kind: 'found';
  readonly by: Person;
  readonly reply: CorrectableReply;
  readonly target: Target;
}

type Target = NonNullable<Awaited<ReturnType<HostCorrections['target']>>>;

async function findTarget(press: Press, context: PressContext<CorrectableReply>): Promise<Found | Refused> {
  const opened = await openReply(press, context);
  if (opened.kind === 'refused') return opened;
  const { by, reply } = opened;
  const { agent, text } = reply;
  if (agent === undefined || text.trim() === '') return refused(words.notCorrectable);
  try {
    const corrected = { thread: press.thread, turn: press.turn, agent };
    const target = await context.host.corrections.target(corrected, by);
    return target === undefined ? refused(words.noWorkspace(agent)) : { kind: 'found', by, reply, target };
  } catch (thrown) {
    if (thrown instanceof BridgeError && thrown.code === 'access-denied') return refused(thrown.tellUser);
    throw thrown;
  }
}

/**
 * Returns a sentence with the reason why the platform refused the pair. The sentence of the error itself speaks of a
 * question, so it is not used.
 */
function refusedByPlatform(thrown: unknown): Pressed {
  if (thrown instanceof BridgeError && thrown.code.startsWith('platform-'))
    return refused(words.correctionRefused(thrown.said));
  throw thrown;
}

/** Returns the answer without the numbers of its sources, which mean nothing outside this answer. */
function withoutMarks({ text, sources }: CorrectableReply): string {
  const marks = new Set(sources.flatMap(marksOf));
  return text.replace(/[ \t]?\[(\d{1,4})\](?!\()/g, (found, digits: string) =>
    marks.has(Number(digits)) ? '' : found,
  );
}
