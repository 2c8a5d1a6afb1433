/**
 * A reply that only the asker sees. The bridge can neither edit, look up nor delete a message of such a reply in Slack,
 * so it sends the reply only when the reply is complete: to the response URL of the press or command, else as an
 * ephemeral message in the thread, else as a direct message.
 */

import type { Plain, Range, Screen } from '../../../src/kit/ladder.ts';
import {
  isFinal,
  type Move,
  type Outcome,
  type ReplyDocument,
  type ReplyWriter,
  type Turn,
} from '../../../src/kit.ts';
import { respond } from '../api/post.ts';
import { slackMarkdown } from '../render/emit.ts';
import { type Form, weakerForm } from '../render/form.ts';
import { messageOf } from '../render/message.ts';
import { contextOf } from '../render/steps.ts';
import { words } from '../render/words.ts';
import { outcomeOf, type Performing, renderContextOf, UNFURLED, type WriterDeps } from './deps.ts';
import { PART_CHARS } from './extent.ts';

type Way = 'response_url' | 'chat.postEphemeral' | 'chat.postMessage';

interface PrivateScreen extends Screen {
  readonly way: Way;
  readonly form: Form;
  /** Number of posts sent to the response URL so far. */
  readonly uses: number;
  /** Number of consecutive posts whose outcome is unknown. */
  readonly failures: number;
}

interface Call {
  readonly document: ReplyDocument;
  readonly range: Range;
  readonly index: number;
  readonly count: number;
  readonly way: Way;
  readonly form: Form;
  /** True if the message says that the answer continues in a direct message. */
  readonly leads: boolean;
}

/** Slack accepts five posts to a response URL. */
const MAX_USES = 5;
const MAX_FAILURES = 2;
const BLANK: PrivateScreen = {
  rung: 'once',
  parts: [],
  finished: false,
  way: 'response_url',
  form: 'rich',
  uses: 0,
  failures: 0,
};

export function createPrivateWriter(turn: Turn, deps: WriterDeps): ReplyWriter {
  return {
    blank: () => BLANK,
    next: (screen, document) => nextMoves(own(screen), document),
    after: (screen, { call }, outcome, now) => after(own(screen), call as Call, outcome, now),
    perform: ({ call }, signal) => perform(call as Call, { turn, deps, signal }),
    resume: (screen) => screen,
  };
}

const own = (screen: Screen): PrivateScreen => ({ ...BLANK, ...screen });

function nextMoves(screen: PrivateScreen, document: ReplyDocument): readonly Move[] {
  if (screen.finished || !isFinal(document) || document.state === 'withdrawn') return [];
  const { way, form, uses } = screen;
  const all = slackMarkdown.ranges(document.text, PART_CHARS);
  const index = screen.parts.length;
  const range = all[index];
  if (range === undefined) return [];
  const leads = way === 'response_url' && uses === MAX_USES - 1 && index < all.length - 1;
  const call: Call = { document, range, index, count: all.length, way, form, leads };
  return [{ family: way, essential: true, call }];
}

function after(screen: PrivateScreen, call: Call, outcome: Outcome, now: number): PrivateScreen {
  const uses = screen.uses + (call.way === 'response_url' ? 1 : 0);
  if (outcome.kind === 'done') return sent({ ...screen, uses, failures: 0 }, call, now);
  if (outcome.kind === 'unknown') {
    const failures = screen.failures + 1;
    return failures <= MAX_FAILURES && uses < MAX_USES
      ? { ...screen, uses, failures }
      : otherWay({ ...screen, uses });
  }
  if (outcome.why === 'rate' || outcome.why === 'busy') return screen;
  if (outcome.why === 'gone' || call.form === 'plain') return otherWay(screen);
  return { ...screen, form: weakerForm(call.form, call.document, {}) };
}

function sent(screen: PrivateScreen, { document, range, index, count }: Call, now: number): PrivateScreen {
  const { version, rewrites } = document;
  const extent = { version, rewrites, length: range.to };
  const part = {
    id: `private ${index}`,
    from: range.begin.at,
    to: range.to,
    live: false,
    openedAt: now,
    sure: true,
    shown: extent,
  };
  const parts = [...screen.parts, part];
  const way = screen.way === 'response_url' && screen.uses >= MAX_USES ? 'chat.postMessage' : screen.way;
  return { ...screen, way, parts, finished: parts.length === count };
}

function otherWay(screen: PrivateScreen): PrivateScreen {
  if (screen.way === 'response_url') return { ...screen, way: 'chat.postEphemeral', failures: 0 };
  if (screen.way === 'chat.postEphemeral') return { ...screen, way: 'chat.postMessage', failures: 0 };
  return { ...screen, parts: [], finished: true };
}

async function perform(
  call: Call,
  { turn, deps, signal }: Pick<Performing, 'turn' | 'deps' | 'signal'>,
): Promise<Outcome> {
  const { thread, sender } = turn.message;
  const place = await deps.places.find(thread);
  const content = contentOf(call, turn, deps);
  // Without `thread_ts`, Slack shows a post to a button's response URL in the channel and not in the thread.
  const inThread = { thread_ts: place?.threadTs };
  if (call.way === 'response_url') {
    if (place?.responseUrl === undefined) return { kind: 'refused', why: 'gone' };
    const message = { ...inThread, ...content, ...UNFURLED };
    return outcomeOf(await respond(place.responseUrl, message, deps.apiUrl, signal));
  }
  const user = place?.user ?? sender.id;
  const where =
    call.way === 'chat.postEphemeral' ? { channel: thread.room, user, ...inThread } : { channel: user };
  return outcomeOf(await deps.sender.call(thread.tenant, call.way, { ...where, ...content }, signal));
}

function contentOf(
  { document, range, index, count, form, leads }: Call,
  turn: Turn,
  deps: WriterDeps,
): Plain {
  const context = {
    ...renderContextOf(document, turn, deps, { images: {}, parts: [] }),
    isPrivate: true,
    offersAsSelf: false,
  };
  const extent = index === count - 1 ? { begin: range.begin } : range;
  const { text, blocks } = messageOf(document, extent, context, form);
  const hint = leads ? [contextOf(words.restInDirectMessage)] : [];
  const all = [...blocks, ...hint];
  return { text, ...(all.length > 0 && { blocks: all }) };
}
