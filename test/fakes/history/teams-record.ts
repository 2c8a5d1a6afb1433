/** Records a run through Teams. */

import type { CallRecord, Conversation, FakeTeams, Message } from '../teams/index.ts';
import { textOfCard } from '../teams/visible/text.ts';
import { type Inbound, knownOf, messageKey } from './acceptance.ts';
import {
  type Called,
  type History,
  type Place,
  type Question,
  type Seen,
  type Shown,
  STOPPED_STREAM,
  type Version,
  wordsOf,
} from './kept.ts';
import { lookOf } from './look.ts';
import { sayingsIn } from './saying.ts';
import { actsIn, inboundOf } from './teams-inbound.ts';
import { WAITS } from './waiting-note.ts';

type Plain = Readonly<Record<string, unknown>>;

export function teamsRecord(teams: FakeTeams): Seen {
  const conversations = [...teams.world.tenants.values()].flatMap((tenant) => [
    ...tenant.conversations.values(),
  ]);
  const messages = conversations.flatMap((conversation) =>
    conversation.messages.map((message) => ({ message, place: placeOf(conversation, message) })),
  );
  const ours = messages.filter(
    ({ message }) => message.person === undefined && message.onlyFor === undefined,
  );
  const inbound = inboundOf(teams);
  const marks = marksOf(ours);
  return {
    questions: messages.flatMap(({ message, place }) => questionIn(message, place, inbound)),
    shown: ours.map((each, at) => shownIn(each, { mark: marks[at], card: cardUnder(ours, at) })),
    calls: teams.log.calls.map((call) => calledIn(call, conversations)),
    // Empty, because chats in Teams have no status. Notes about waiting and open streams are recorded as messages.
    thinking: [],
    closed: closedIn(teams, conversations),
    violations: teams.log.violations.map((each) => JSON.stringify(each)),
    acts: actsIn(teams),
  };
}

const placeOf = ({ tenant, id, kind }: Conversation, { root }: Pick<Message, 'root'>): Place => ({
  team: tenant,
  channel: id,
  thread: kind === 'channel' ? root : id,
});

function questionIn(message: Message, place: Place, inbound: Inbound): readonly Question[] {
  if (message.person === undefined) return [];
  const said = [...message.history.map(({ shown }) => shown.text), message.shown.text];
  const sayings = said.flatMap((text) => sayingsIn(text).at(-1) ?? []);
  if (sayings.length === 0) return [];
  const { id: ts, deletedAt, postedAt: sentAt } = message;
  const key = messageKey(place.team, place.channel, ts);
  const known = {
    ...knownOf(
      inbound,
      key,
      sayings.map(({ id }) => id),
    ),
    ...(deletedAt !== undefined && { deletedAt }),
  };
  return [{ ...place, ts, sayings, waits: false, sentAt, ...known }];
}

interface Placed {
  readonly message: Message;
  readonly place: Place;
}

/** Returns the mark of each message: its turn, and its part in the order of the posts. */
function marksOf(all: readonly Placed[]): readonly Shown['mark'][] {
  const parts = new Map<string, number>();
  return all.map((each) => {
    const turn = turnOf(each);
    if (turn === undefined) return undefined;
    const part = parts.get(turn) ?? 0;
    parts.set(turn, part + 1);
    return { turn, part };
  });
}

/**
 * Returns the turn that the message's buttons name. For a stream without buttons, returns a name that contains the
 * message's room and id, because streams of different rooms may begin in the same millisecond.
 */
function turnOf({ message, place }: Placed): string | undefined {
  const { shown, stream, id } = message;
  if (isWaitingNote(message)) return undefined;
  const turn = dataIn(shown.attachments).find((data) => typeof data.turn === 'string')?.turn;
  if (typeof turn === 'string') return turn;
  return stream === undefined ? undefined : `the stream ${place.channel} ${id}`;
}

/** Returns the card below a text. In Teams, the card is a separate message. */
function cardUnder(all: readonly Placed[], at: number): Message | undefined {
  const own = all[at];
  const { team, channel, thread } = own?.place ?? {};
  // The list groups messages by conversation, but not by thread.
  for (const next of all.slice(at + 1, at + 1 + NEXT_MESSAGES)) {
    if (next.place.team !== team || next.place.channel !== channel) return undefined;
    if (next.place.thread !== thread || next.message.deletedAt !== undefined) continue;
    if (isWaitingNote(next.message)) continue;
    return next.message.shown.text === '' ? next.message : undefined;
  }
  return undefined;
}

/** Maximum number of deleted messages and messages of other threads between a text and its card. */
const NEXT_MESSAGES = 100;

interface Around {
  readonly mark: Shown['mark'];
  readonly card: Message | undefined;
}

/** Returns the text of a message, or the words of a note about a waiting question, which is a card alone. */
function textOf({ text, attachments }: Message['shown']): string {
  const said = text === '' ? textOfCard(attachments.map(({ content }) => content)) : text;
  return WAITS.test(said) ? said : text;
}

const isWaitingNote = ({ shown }: Message): boolean => WAITS.test(textOf(shown));

function shownIn({ message, place }: Placed, { mark, card }: Around): Shown {
  const { shown, stream, deletedAt, id, postedAt, history } = message;
  const { answer, notices } = withoutNotices(textOf(shown));
  const words = wordsOf(answer);
  const pressed = isWaitingNote(message) ? [] : dataIn([shown.attachments, card?.shown.attachments]);
  // The app cannot add text to a stream that a person stopped.
  const stopped = stream?.state === 'stopped_by_user' ? [STOPPED_STREAM] : [];
  return {
    ...place,
    ts: id,
    ...(mark !== undefined && { mark }),
    names: [...new Set(pressed.flatMap(({ question }) => idIn(question)))],
    words,
    beside: JSON.stringify([shown.attachments, shown.suggested, notices, stopped]),
    // A stream without text ended for nobody but the person who stopped it, so the answer may go on in another message.
    isNotice: notices.length > 0 || (stopped.length > 0 && words !== ''),
    look: lookOf(seenOf(shown)),
    live: stream?.state === 'live',
    postedAt,
    ...(deletedAt !== undefined && { deletedAt }),
    versions: history.map(({ at, shown: before }): Version => {
      const told = withoutNotices(before.text);
      const look = lookOf(seenOf(before));
      return { until: at, words: wordsOf(told.answer), notice: told.notices.length > 0, look };
    }),
  };
}

const seenOf = ({ text, attachments, suggested }: Message['shown']) => [text, attachments, suggested];

/** Returns the ids of questions in a button's data, which contains them with or without their room. */
const idIn = (question: unknown): readonly string[] =>
  typeof question === 'string' ? question.slice(question.lastIndexOf('/') + 1).split(' ') : [];

/** Reads the notices of a message without a card from its last paragraphs. */
function withoutNotices(text: string): { answer: string; notices: readonly string[] } {
  const paragraphs = text.split('\n\n');
  const first = paragraphs.findIndex((each) => NOTICE.test(each));
  if (first < 0) return { answer: text, notices: [] };
  const notices = paragraphs.slice(first).map((each) => each.replaceAll(/\\([()])/g, '$1'));
  return { answer: paragraphs.slice(0, first).join('\n\n'), notices };
}

const NOTICE = /^⚠ |^Teams did not confirm my first message|\(Reference [0-9a-f]{8}\\?\)$|^Stopped/;

/** Returns the data of a card's buttons. */
function dataIn(value: unknown): readonly Plain[] {
  if (Array.isArray(value)) return value.flatMap(dataIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => (name === 'data' ? [each as Plain] : dataIn(each)));
}

function calledIn(call: CallRecord, conversations: readonly Conversation[]): Called {
  const { at, tenant: team = '', conversation: channel = '', doneAt = Number.POSITIVE_INFINITY } = call;
  const ts = call.activityId ?? '';
  const there = conversations.find((each) => each.tenant === team && each.id === channel);
  const message = there?.messages.find(({ id }) => id === ts);
  const root = message?.root ?? call.root ?? '';
  const thread = there === undefined ? root : placeOf(there, { root }).thread;
  const method = call.method === 'stream' && isStart(call) ? 'stream.start' : call.method;
  return {
    at,
    doneAt,
    method,
    team,
    channel,
    thread,
    ts,
    ...answered(call),
    ...(call.fault !== undefined && { fault: call.fault }),
    said: JSON.stringify(call.asked),
  };
}

const isStart = ({ asked }: CallRecord): boolean => /"streamSequence":1\b/.test(JSON.stringify(asked));

/** Counts a call as done if it took effect, even without a response. */
function answered({ answer, doneAt }: CallRecord): Pick<Called, 'ok' | 'error'> {
  const { code } = (answer?.error ?? {}) as { readonly code?: string };
  return { ok: doneAt !== undefined && code === undefined, error: code ?? '' };
}

function closedIn({ world }: FakeTeams, conversations: readonly Conversation[]): History['closed'] {
  return conversations
    .filter(({ tenant: id, installed, blocked, team }) => {
      const tenant = world.tenants.get(id);
      const there = team === undefined ? installed : tenant?.teams.get(team)?.installed === true;
      return tenant?.enabled !== true || blocked || !there;
    })
    .map(({ tenant: team, id: channel }) => ({ team, channel }));
}
