/** Describes the bridge's events for a reply in plain words. Pure. */

import type { ReceiptView } from '../../wire.ts';
import { lengthOf } from './time.ts';

type Entry = ReceiptView['entries'][number];
type Detail = Entry['detail'];

export interface ReceiptRow {
  readonly at: number;
  readonly says: string;
  /** Of an event that there are no words for. */
  readonly details: readonly (readonly [string, string])[];
}

/** Calls of one kind that follow each other are one row, at the time of the first. */
export function receiptRows(entries: readonly Entry[]): readonly ReceiptRow[] {
  const rows: ReceiptRow[] = [];
  let run: readonly Entry[] = [];
  const endRun = () => {
    const [first] = run;
    if (first !== undefined)
      rows.push({ at: first.at, says: callsSaid(first.detail, run.length), details: [] });
    run = [];
  };
  for (const entry of entries) {
    if (run[0] !== undefined && !isSameCall(run[0], entry)) endRun();
    if (entry.name === 'move') run = [...run, entry];
    else rows.push(rowOf(entry));
  }
  endRun();
  return rows;
}

const isSameCall = (one: Entry, other: Entry): boolean =>
  other.name === 'move' && JSON.stringify(one.detail) === JSON.stringify(other.detail);

function rowOf({ at, name, detail }: Entry): ReceiptRow {
  const words = sentences[name];
  if (words !== undefined) return { at, says: words(detail), details: [] };
  const details = Object.entries(detail).map(([key, value]) => [wordsOf(key), String(value)] as const);
  return { at, says: wordsOf(name), details };
}

const sentences: Readonly<Record<string, (detail: Detail) => string>> = {
  kept: ({ origin, ahead }) => {
    const pressed = origins[String(origin)];
    const behind = Number(ahead ?? 0) > 0 ? `, behind ${counted(ahead, 'other')}` : '';
    return pressed === undefined
      ? `The question was kept on disk${behind}`
      : `${pressed}: the question was kept on disk${behind}`;
  },
  waits: () => 'People were told that it waits',
  claimed: ({ attempt, waitedMs }) => {
    if (Number(attempt) > 1) return `The bridge took the question up again (attempt ${attempt})`;
    const waited = Number(waitedMs ?? 0);
    return `The bridge took the question up${waited < SOON_MS ? '' : `, after ${lengthOf(waited)}`}`;
  },
  routed: ({ agent, account }) =>
    `The agent ${agent} answers, with ${account === undefined ? 'its own account' : `the platform account ${account}`}`,
  images: ({ count }) => `${capital(counted(count, 'image'))} ${count === 1 ? 'was' : 'were'} passed on`,
  asking: ({ session }) =>
    `The agent was asked, in ${session === true ? 'the conversation of this thread' : 'a new conversation'}`,
  session: ({ session }) => `The platform named the conversation ${session}`,
  answering: () => 'The first words came',
  remark: ({ remark }) => remarks[String(remark)] ?? `The answer has a remark: ${remark}`,
  ending: ({ chars }) => `The whole answer had come: ${counted(chars, 'character')}`,
  sources: ({ count }) =>
    count === 0
      ? 'No sources were found'
      : `${capital(counted(count, 'source'))} ${count === 1 ? 'was' : 'were'} found`,
  interrupted: ({ why }) => interruptions[String(why)] ?? `It was interrupted (${why})`,
  trouble: ({ what, code }) =>
    `${troubles[String(what)] ?? `Something went wrong: ${what}`}${code === undefined ? '' : ` (${code})`}`,
  document: ({ known, state }) =>
    `A document ${known === true ? 'was there already' : 'was uploaded'}, and ${documents[String(state)] ?? state}`,
  feedback: ({ verdict }) => `Somebody found the answer ${verdict === 'up' ? 'good' : 'not good'}`,
  released: () => 'The question was left to the next start of the bridge',
  settled: ({ state, ms }) => {
    const after = `${lengthOf(Number(ms ?? 0))} after`;
    const end = ends[String(state)] ?? `Ended (${state})`;
    return state === 'superseded' ? `${end}, ${after} it came` : `${end}, ${after} the question`;
  },
};

/** Shorter times are not noticed as a wait, in milliseconds. */
const SOON_MS = 100;

const origins: Readonly<Record<string, string>> = {
  retry: 'Retry was pressed',
  regenerate: 'Regenerate was pressed',
  act: 'A button was pressed',
  show: 'Another version was asked for',
  withdraw: 'The question was deleted',
};

const interruptions: Readonly<Record<string, string>> = {
  stop: 'Somebody pressed Stop',
  superseded: 'The question was edited',
  withdrawn: 'The question was deleted',
  deadline: 'It took too long',
  release: 'The bridge was asked to stop',
  lost: 'Another process took it over',
  gone: 'The reply was deleted',
};

const remarks: Readonly<Record<string, string>> = {
  'context-lost': 'The agent no longer knew the earlier conversation',
  'answer-cut': 'The answer was longer than can be shown, and was cut',
  'end-unmarked': 'The platform did not mark the end of the answer',
};

const troubles: Readonly<Record<string, string>> = {
  checkpoint: 'What had come could not be kept on disk',
  session: 'The conversation could not be remembered',
  sources: 'The sources could not be looked up',
  shelf: 'The answer could not be kept for its buttons',
  undo: 'The upload cannot be taken back',
  document: 'A document could not be passed on',
};

const documents: Readonly<Record<string, string>> = {
  ready: 'can be found',
  indexing: 'is still being read',
  failed: 'could not be read',
};

const ends: Readonly<Record<string, string>> = {
  answered: 'Answered',
  partial: 'Broken off',
  failed: 'Failed',
  stopped: 'Stopped',
  withdrawn: 'Taken back',
  expired: 'Expired',
  superseded: 'Given up for the edited question',
};

/** Words for a call that was made, and for one that failed. */
const calls: Readonly<Record<string, readonly [did: string, should: string]>> = {
  post: ['appeared', 'appeared'],
  change: ['changed', 'changed'],
  edit: ['got its last form', 'got its last form'],
  remove: ['was taken away', 'been taken away'],
};

const refusals: Readonly<Record<string, string>> = {
  rate: 'there were too many calls',
  gone: 'it is gone',
};

function callsSaid({ family, essential, outcome, why }: Detail, count: number): string {
  const call = calls[family === 'edit' && essential !== true ? 'change' : String(family)];
  if (call === undefined) return `The channel was called (${family})`;
  const [did, should] = call;
  const times = count > 1 ? `, in ${count} steps` : '';
  if (outcome === 'done') return `The reply ${did}${times}`;
  const reason =
    outcome === 'unknown' ? 'whether it did was not known' : (refusals[String(why)] ?? 'it was refused');
  return `The reply should have ${should}${times}; ${reason}`;
}

const counted = (count: Detail[string] | undefined, noun: string): string =>
  count === 1 ? `one ${noun}` : `${count} ${noun}s`;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** "first-text", "firstText" and "first.text" read "first text". */
function wordsOf(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[-_.]+/g, ' ')
    .toLowerCase();
}
