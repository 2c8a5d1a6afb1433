/** Describes, in plain words, what the bridge did for a reply. Pure. */

import type {
  CoreEvent,
  Interruption,
  Origin,
  OutcomeWhy,
  Remark,
  Terminal,
  TroubleStep,
} from '../../../../src/kit/ladder.ts';
import type { moveLimits } from '../../limits.ts';
import type { ReceiptView } from '../../wire.ts';
import { lengthOf } from './time.ts';

type Entry = ReceiptView['entries'][number];
type Detail = Entry['detail'];

export type ReceiptRow = ReturnType<typeof rowOf>;

/** Returns a row for each event. Equal calls in sequence share a row, which has the time of the first call. */
export function receiptRows(entries: readonly Entry[]): readonly ReceiptRow[] {
  const runs: { readonly first: Entry; count: number }[] = [];
  for (const entry of entries) {
    const last = runs.at(-1);
    if (last && isSameCall(last.first, entry)) last.count += 1;
    else runs.push({ first: entry, count: 1 });
  }
  return runs.map(({ first, count }) => rowOf(first, count));
}

const isSameCall = (one: Entry, { name, detail }: Entry): boolean =>
  name === 'move' && one.name === name && JSON.stringify(one.detail) === JSON.stringify(detail);

function rowOf({ at, name, detail }: Entry, count: number) {
  if (name === 'move') return { at, sentence: callSentence(detail, count), details: [] };
  const words = sentences[name];
  if (words !== undefined)
    return { at, sentence: words(detail), details: name === 'trouble' ? causeOf(detail) : [] };
  /** The cause of a failure; for an event without a sentence, its names and values. */
  const details = Object.entries(detail).map(([key, value]) => [wordsOf(key), String(value)] as const);
  return { at, sentence: wordsOf(name), details };
}

/** Returns the cause of a failure, for the operator. Older events have the cause in `what`. */
function causeOf({ what, cause = troubles[String(what)] ? undefined : what, code }: Detail) {
  return Object.entries({ cause, error: code }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
}

const sentences: Readonly<Record<string, (detail: Detail) => string>> = {
  kept: ({ origin, ahead }) => {
    const pressed = origins[String(origin)];
    const behind = Number(ahead ?? 0) > 0 ? `, behind ${counted(ahead, 'other')}` : '';
    return `${pressed === undefined ? 'The' : `${pressed}: the`} question was saved${behind}`;
  },
  waits: () => 'A waiting notice was shown',
  claimed: ({ attempt, waitedMs }) => {
    if (Number(attempt) > 1) return `The bridge started the question again (attempt ${attempt})`;
    const waited = Number(waitedMs ?? 0);
    return `The bridge started the question${waited < SOON_MS ? '' : `, after ${lengthOf(waited)}`}`;
  },
  routed: ({ agent, account, asker }) => {
    const own = asker === true ? 'the platform account of the person who asks' : 'its own account';
    return `The agent ${agent} answers with ${account === undefined ? own : `the platform account ${account}`}`;
  },
  images: ({ count }) =>
    `${capital(counted(count, 'image'))} ${count === 1 ? 'was' : 'were'} sent to the agent`,
  asking: ({ session }) =>
    `The agent was asked in ${session === true ? 'the conversation of this thread' : 'a new conversation'}`,
  session: ({ session }) => `Conversation on the platform: ${session}`,
  answering: () => 'The first words arrived',
  remark: ({ remark }) => remarks[String(remark)] ?? 'The agent added a note to the answer',
  ending: ({ chars }) => `The whole answer arrived: ${counted(chars, 'character')}`,
  sources: ({ count }) =>
    count === 0
      ? 'No sources were found'
      : `${capital(counted(count, 'source'))} ${count === 1 ? 'was' : 'were'} found`,
  interrupted: ({ why }) => interruptions[String(why)] ?? 'The answer was interrupted',
  trouble: ({ what }) => troubles[String(what)] ?? 'Something went wrong',
  document: ({ known, state }) =>
    `A document ${known === true ? 'was already in the knowledge workspace' : 'was uploaded'}, and ${documents[String(state)] ?? 'its state is unknown'}`,
  feedback: ({ verdict }) =>
    verdict === 'none' ? 'A rating was removed' : `The answer was rated ${verdict === 'up' ? 'good' : 'bad'}`,
  released: () => 'The question continues when the bridge starts again',
  postponed: () => 'The agent platform was down, so the question is asked later',
  settled: ({ state, ms }) => {
    const question = state === 'superseded' ? 'original question' : 'question';
    return `${ends[String(state)] ?? 'Ended'}, ${lengthOf(Number(ms ?? 0))} after the ${question}`;
  },
} satisfies Record<Exclude<CoreEvent['name'], 'move'>, (detail: Detail) => string>;

/** The timeline leaves out waits below this, in milliseconds, because people do not notice them. */
const SOON_MS = 100;

const origins: Readonly<Record<string, string>> = {
  retry: 'Retry was pressed',
  regenerate: 'Regenerate was pressed',
  act: 'A button was pressed',
  show: 'Another version was requested',
  withdraw: 'The question was deleted',
} satisfies Record<Exclude<Origin['kind'], 'message'>, string>;

const interruptions: Readonly<Record<string, string>> = {
  stop: 'Stop was pressed',
  superseded: 'The question was edited',
  withdrawn: 'The question was deleted',
  deadline: 'The answer took too long',
  release: 'The bridge was asked to stop',
  lost: 'Another process took over',
  postponed: 'The agent platform is down',
  expired: 'The agent platform was down for too long',
  'locked-out': 'The platform account was disabled, or belongs to the person no longer',
  'signed-out': 'The sign-in for the platform account has expired',
  'not-accepted': 'The identity provider no longer accepts the person',
  gone: 'The reply was deleted',
} satisfies Record<Interruption['kind'], string>;

const remarks: Readonly<Record<string, string>> = {
  'context-lost': 'The agent lost the earlier conversation',
  'answer-cut': 'The answer was too long to show in full and was cut off',
  'end-unmarked': 'The platform did not mark the end of the answer',
  'data-left-out': 'The agent wrote a picture or file into its text as data, which was left out',
} satisfies Record<Remark, string>;

const troubles: Readonly<Record<string, string>> = {
  agent: 'The agent of this thread could not be stored',
  checkpoint: 'The text so far could not be saved',
  session: 'The conversation could not be saved',
  sources: 'The sources could not be looked up',
  shelf: 'The answer could not be saved, so its buttons may not work',
  undo: 'The upload could not be recorded, so `undo` cannot remove it',
  document: 'A document could not be sent to the agent',
  notice: 'The waiting notice could not be shown',
  prepare: 'What the question needs could not be read at once',
  repair: 'The repair of an unfinished reply could not be scheduled',
  thread: 'The answer could not be recorded in the thread, so the next question may need a mention',
} satisfies Record<TroubleStep, string>;

const documents: Readonly<Record<string, string>> = {
  ready: 'can be found',
  indexing: 'is still being indexed',
  failed: 'could not be indexed',
};

const ends: Readonly<Record<string, string>> = {
  answered: 'Answered',
  partial: 'Interrupted',
  failed: 'Failed',
  stopped: 'Stopped',
  withdrawn: 'Withdrawn',
  expired: 'Expired',
  superseded: 'Replaced by the edited question',
} satisfies Record<Terminal, string>;

/**
 * For each call, the rest of two sentences: "The reply …" if the call succeeded, and "The reply could not …" if it
 * failed.
 */
const calls: Readonly<Record<string, readonly [did: string, couldNot: string]>> = {
  post: ['appeared', 'be shown'],
  change: ['changed', 'be changed'],
  edit: ['was completed', 'be completed'],
  remove: ['was removed', 'be removed'],
} satisfies Record<'change' | keyof typeof moveLimits, readonly [string, string]>;

const refusals: Readonly<Record<string, string>> = {
  rate: 'there were too many calls',
  gone: 'it no longer exists',
  'not-live': 'it had ended already',
  busy: 'the console was busy',
  invalid: 'its form was not accepted',
} satisfies Record<OutcomeWhy, string>;

function callSentence({ family, essential, outcome, why }: Detail, count: number): string {
  const call = calls[family === 'edit' && essential !== true ? 'change' : String(family)];
  if (call === undefined) return 'The channel was called';
  const [did, couldNot] = call;
  const times = count > 1 ? `, in ${count} steps` : '';
  if (outcome === 'done') return `The reply ${did}${times}`;
  if (outcome === 'unknown') return `It is unknown whether the reply ${did}${times}`;
  return `The reply could not ${couldNot}${times}: ${refusals[String(why)] ?? 'the call was refused'}`;
}

const counted = (count: Detail[string] | undefined, noun: string): string =>
  count === 1 ? `one ${noun}` : `${count} ${noun}s`;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Converts a name such as "first-text", "firstText" or "first.text" to "first text". */
function wordsOf(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[-_.]+/g, ' ')
    .toLowerCase();
}
