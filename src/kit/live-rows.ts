/** Rows of a live check that every chat with rooms, streams, edits and buttons shares. */

import type { Intake } from '../core/channel/events.ts';
import type { LiveAct, LiveCall } from './live.ts';
import { actsOf, type LiveChat, type LiveRow, type LiveRows, type LiveStep } from './live-acts.ts';
import { measuringActs, ratesAct } from './live-limits.ts';

type IntakeOf<Kind> = Extract<Intake, { readonly kind: Kind }>;
export type LiveAsk = IntakeOf<'ask'>;

/** Returns a step that ends with an event of this kind. */
export const eventStep = <Kind extends Intake['kind']>(
  instruction: string,
  kind: Kind,
  fits?: (event: IntakeOf<Kind>) => boolean,
): LiveStep => ({ instruction, wait: (stage) => stage.event(kind, fits) });

/** Returns a step that ends with a question. */
export const questionStep = (instruction: string, fits?: (event: LiveAsk) => boolean): LiveStep =>
  eventStep(instruction, 'ask', fits);

/** Returns a step that ends with a call of the adapter. */
export const callStep = (
  instruction: string,
  method: string,
  fits?: (call: LiveCall) => boolean,
): LiveStep => ({
  instruction,
  wait: (stage) => stage.call(method, fits),
});

/** Returns a step that ends with a question of this origin, because the person presses a button. */
const pressStep = (instruction: string, kind: LiveAsk['origin']['kind']): LiveStep =>
  questionStep(instruction, ({ origin }) => origin.kind === kind);

/** Words for the place of a button under the newest answer to a question of the check. */
export const NEWEST = 'under the newest answer in the channel (open its thread)';
/** Last word of each slow answer of the scripted agent; a stopped answer does not contain it. */
export const LAST_WORD = 'finished';
/** Number of words in the long answer of the scripted agent. */
export const LONG_WORDS = 4_000;
/** Returns a word of the long answer by its index: w0000, w0001, …. A lost or repeated part of the answer thus shows. */
export const numbered = (index: number): string => `w${String(index).padStart(4, '0')}`;

/**
 * Returns all acts in order.
 * @param own rows that only this channel has
 * @param more acts of this channel that need the other acts
 * @param calls the calls of the adapter so far
 */
export const liveActs = (
  chat: LiveChat,
  own: LiveRows,
  more: readonly LiveAct[],
  calls: readonly LiveCall[],
): readonly LiveAct[] => [
  ...actsOf(chat, { ...personRows(chat), ...own, ...buttonRows, ...answerRows }),
  ...measuringActs(chat),
  ...more,
  ratesAct(chat, calls),
];

/**
 * Rows in which a person writes. Later rows need the messages of earlier ones. The row `growth` has no person, but stands
 * here, before rows with many edits, so that rate limits do not slow its answer.
 */
const personRows = ({ known, words: { app, direct, followUp, withFile, stop } }: LiveChat): LiveRows => ({
  mention: {
    proves: 'A mention in a channel is answered once, in its thread',
    steps: [questionStep(`In a channel that has the app, write: @${app} hello`, isIn('room'))],
    adds: 1,
    shows: ['hello'],
  },
  'follow-up': {
    proves: 'A reply in the thread keeps the conversation',
    needs: ['mention'],
    steps: [questionStep(followUp, ({ message }) => message.thread.key === known.room?.key)],
    shows: ['1 earlier question'],
  },
  'second-person': {
    proves: 'A second person can ask in the same thread',
    needs: ['mention'],
    steps: [
      questionStep(
        `Let another person write in the thread of your first message: @${app} hello from me`,
        ({ message }) => message.sender.id !== known.person?.id,
      ),
    ],
  },
  edit: {
    proves: 'An edited question is asked again in the same answer',
    needs: ['follow-up'],
    steps: [eventStep('Edit your message "and again" to: something else', 'edit')],
    adds: 0,
    shows: ['something else'],
  },
  delete: {
    proves: 'The answer to a deleted question is removed',
    needs: ['edit'],
    steps: [eventStep('Delete your message "something else"', 'delete')],
    adds: -1,
  },
  growth: {
    proves: 'An answer in a channel grows by edits that are accepted',
    asks: 'count',
    shows: [LAST_WORD],
    grows: 'edit',
  },
  direct: {
    proves: 'A direct message is answered without a mention, in a native stream',
    steps: [questionStep(`In ${direct}, write: count`, isIn('direct'))],
    shows: [LAST_WORD],
    grows: 'stream',
  },
  'stop-stream': {
    proves: "The chat's own Stop ends a stream and the question to the agent",
    needs: ['direct'],
    steps: [
      questionStep(`In ${direct}, write: forever`, isIn('direct')),
      eventStep(`While the answer grows, press ${stop}`, 'stop'),
    ],
    ...stoppedAnswer,
  },
  'image-in': withAttachment(withFile, 'a picture (PNG or JPEG)', '1 images'),
  'file-in': withAttachment(withFile, 'a text file (.txt)', '1 files'),
});

const stoppedAnswer: Pick<LiveRow, 'ends' | 'never'> = { ends: 'stopped', never: new RegExp(LAST_WORD) };

/** Returns a test for questions in a place of this kind. */
export const isIn =
  (kind: LiveAsk['message']['thread']['kind']) =>
  ({ message: { thread } }: LiveAsk): boolean =>
    thread.kind === kind;

/** @param expected words of the scripted agent's answer about the file */
const withAttachment = (where: string, what: string, expected: string): LiveRow => ({
  proves: `With a question, ${what} reaches the agent`,
  cure: 'Choose the file on your computer. If your organization forbids files in the chat, type s to skip this act.',
  steps: [questionStep(`${where} with ${what} attached`)],
  shows: [expected],
});

/** Rows with the buttons under an answer. */
const buttonRows: LiveRows = {
  'stop-button': {
    proves: 'The button Stop ends an answer in a channel',
    asks: 'forever',
    steps: [eventStep(`Press Stop ${NEWEST}`, 'stop')],
    ...stoppedAnswer,
  },
  retry: {
    proves: 'Retry replaces an answer that failed',
    asks: 'fail',
    steps: [pressStep(`Press Retry ${NEWEST}`, 'retry')],
  },
  regenerate: {
    proves: 'Regenerate adds a version to an answer',
    asks: 'hello',
    steps: [pressStep(`Press Regenerate ${NEWEST}`, 'regenerate')],
    versions: 2,
  },
  suggestion: {
    proves: 'A suggested question is asked and answered',
    asks: 'more',
    steps: [pressStep(`Press the button "hello from a button" ${NEWEST}`, 'act')],
  },
};

/** Rows with answers that the check itself asks for. */
const answerRows: LiveRows = {
  table: { proves: 'A table arrives with all its cells', shows: ['Oak', '12', 'Elm', '8', 'Two rooms.'] },
  code: {
    proves: 'Code arrives as code',
    shows: ['const seats: number = 12;', /```|rich_text_preformatted/, 'Done.'],
  },
  picture: {
    proves: 'A picture is sent and shown',
    shows: ['Here is a picture.', /"type":"image"|"mimetype":"image\/png"/i],
  },
  attachment: { proves: 'A file is a named link', shows: ['handbook.pdf', 'example.com'] },
  documents: { proves: 'Sources are listed under the answer', shows: ['Handbook', 'Guide'] },
  steps: { proves: 'The answer follows the steps of an agent', shows: ['Two steps led here.'] },
  marks: {
    proves: 'Words of an agent call nobody: a mention that an agent writes stays text',
    shows: ['Nobody is called'],
    never: /<!here>|<at>|"type":"(?:broadcast|mention)"/,
  },
  letters: { proves: 'Letters of all scripts arrive unchanged', shows: ['Zürich, 東京, Ωmega'] },
  long: {
    proves: 'A long answer continues in further messages, complete and in order',
    fits: (messages) => messages.length > 1 && isComplete(messages),
  },
};

/** True if the messages contain each word once and in order. The text and the rest of a message repeat each other. */
function isComplete(messages: readonly string[]): boolean {
  const all = messages.flatMap((content) => [...new Set(content.match(/w\d{4}/g))]);
  return all.length === LONG_WORDS && all.every((word, at) => word === numbered(at));
}
