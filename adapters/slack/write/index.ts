/**
 * Writes one reply into Slack: privately, or into its thread with the ladder. Tells the ladder what a thread can show,
 * how much fits into a message, and what to store.
 */

import {
  type Begin,
  changedMarks,
  createLadder,
  hasWords,
  type LadderView,
  type OpeningWay,
  type StreamSurface,
  type Surface,
  type TellingWriter,
} from '../../../src/kit/ladder.ts';
import { isFinal, type Turn } from '../../../src/kit.ts';
import { isPrivate } from '../private-places.ts';
import { definitionsOf } from '../render/body.ts';
import { slackMarkdown } from '../render/emit.ts';
import { fitsEdit } from '../render/fallback.ts';
import { type Form, weakerForm } from '../render/form.ts';
import { createReading } from '../render/reading.ts';
import { addition, begun, newTasks } from './appended.ts';
import { streamPlace, type WriterDeps } from './deps.ts';
import { Extent, readable } from './extent.ts';
import { perform } from './perform.ts';
import { createPrivateWriter } from './private.ts';
import {
  type Call,
  type OfText,
  readyImages,
  type SideCall,
  type SlackLive,
  type SlackPart,
  type SlackScreen,
  type TextCall,
  textFamilies,
} from './screen.ts';
import { activates, afterSideCall, mayHaveSession, nextUpload, ownCalls, withStatus } from './side-calls.ts';

type View = LadderView<SlackScreen>;
type Opening = Pick<SlackPart, 'begin' | 'form' | 'live' | 'emitted' | 'shown'>;

const BLANK: SlackScreen = {
  rung: 'once',
  parts: [],
  finished: false,
  form: 'rich',
  images: {},
  failures: 0,
};

/**
 * Time after which a stream is replaced by a new one, in milliseconds. Slack ends a stream after about five minutes.
 */
const STREAM_MS = 230_000;

export type { WriterDeps } from './deps.ts';

export function createWriter(turn: Turn, deps: WriterDeps): TellingWriter {
  return isPrivate(turn.message.thread)
    ? createPrivateWriter(turn, deps)
    : createLadder(turn, threadSurface(turn, deps));
}

function threadSurface(turn: Turn, deps: WriterDeps): Surface {
  const extent = new Extent();
  const streams = mayStream(turn.message, deps);
  const performing = { turn, deps, reading: createReading(), run: { failures: 0, error: '' } };
  return {
    ends: { 'chat.postMessage': 1 },
    families: textFamilies,
    needs: {
      stream: { 'chat.postMessage': 0, 'chat.stopStream': 1, 'chat.update': 1 },
      edits: { 'chat.postMessage': 0, 'chat.update': 1 },
      once: { 'chat.postMessage': 1 },
    },
    emitter: slackMarkdown,
    stream: streamSurface(extent),
    // A look-up finds a message by its mark. A stream gets its mark only when it is stopped. To find an open stream, the
    // look-up takes the newest of the app's messages that are later than the question, have no mark and are unknown to
    // the bridge.
    search: { misses: 1, failures: Number.POSITIVE_INFINITY, always: true },
    // A new post accepts more plain text than an edit.
    anew: 'plain',
    deletesHalves: true,
    blank: () => BLANK,
    // An earlier process may have set a status without storing that.
    resumed: (screen) => ({ ...screen, status: screen.status ?? 'assumed' }),
    ways: (view: View, begin) => ways(view, begin, streams),
    cut({ document }, message: Opening) {
      if (!message.live) return extent.cutFor(message.form, document, message)?.to;
      const stream = message.emitted ?? begun(document, message.begin);
      const taskBytes = stream.taskBytes + newTasks(document, stream).taskBytes;
      return extent.streamCut(document, message, taskBytes)?.to;
    },
    editableKey,
    simpler,
    first: (what, { screen, document }: View) => (what === 'end' ? nextUpload(screen, document) : undefined),
    ownCalls,
    afterOwn: (screen: SlackScreen, call: SideCall, outcome) => afterSideCall(screen, call, outcome),
    alsoDone: (screen: SlackScreen, call: TextCall) =>
      call.kind === 'stop' && activates(call) && mayHaveSession(screen)
        ? withStatus(screen, undefined)
        : screen,
    // The screen keeps a status that the app may still have to clear. Until the app clears the status of the thread's
    // agent session, Slack shows the app as busy.
    afterGone: (screen: SlackScreen) => ({
      ...BLANK,
      finished: true,
      gone: true,
      images: screen.images,
      form: screen.form,
      ...(screen.status !== undefined && mayHaveSession(screen) && { status: screen.status }),
    }),
    perform: (call: Call, signal) => perform(call, { ...performing, signal }),
  };
}

/**
 * Streams are used in direct messages and the agent view by default. In a channel, only the stream's recipient sees the
 * answer grow. Other people see its first words, and at the end the whole answer. Slack accepts no app without a user
 * as the recipient (paradigmxyz/centaur#1601).
 */
function mayStream({ thread, sender }: Turn['message'], { streamsIn, streaming }: WriterDeps): boolean {
  const { kind, tenant, room } = thread;
  if (!/^[UW]/.test(sender.id)) return false;
  const wanted = streamsIn === 'always' || (streamsIn === 'auto' && kind === 'direct');
  return wanted && streaming.has(tenant) && streaming.has(streamPlace(tenant, room));
}

const streamSurface = (extent: Extent): StreamSurface => ({
  maxMs: STREAM_MS,
  afterwards: 'rotate',
  appendsMeanwhile: true,
  start: (document, begin, to) => addition(document, begun(document, begin), to).emitted,
  hasNews(document, { emitted }: SlackLive, to) {
    if (newTasks(document, emitted).chunks.length > 0) return true;
    const text = document.text.slice(0, to);
    const ended = isFinal(document) || to !== undefined;
    return emitted.state.at < text.length && extent.text.hasMore(text, emitted.state, ended);
  },
  advance: (document, { emitted }: SlackLive, to) => addition(document, emitted, to).emitted,
});

function ways({ screen, document }: View, begin: Begin, streams: boolean): readonly OpeningWay[] {
  const more = hasWords(slackMarkdown, document.text, begin);
  const thinks = screen.parts.length === 0 && document.steps.length > 0;
  const mayStream = streams && !screen.streamless && screen.form === 'rich' && (more || thinks);
  const to = more ? readable(document.text, begin) : undefined;
  if (document.postponed) return screen.parts.length === 0 ? [{ kind: 'edits' }] : [];
  return [
    ...(mayStream ? [{ kind: 'stream' } as const] : []),
    ...(more ? [{ kind: 'edits' } as const] : []),
    ...(to === undefined ? [] : [{ kind: 'once', to } as const]),
  ];
}

/**
 * Returns a key for what an edit would still change: the numbers of source references, reference links and, on the last
 * message, images. While the reply runs, the key stays the same, because these changes are made only after the reply
 * has ended.
 */
function editableKey({ screen, document }: View, part: SlackPart): string {
  if (!isFinal(document)) return part.looks;
  const marks = changedMarks(document, part);
  const ready = readyImages(screen.images);
  const media = part.to === undefined ? document.media.flatMap(({ id }) => ready[id] ?? []) : [];
  const linked = definitionsOf(document).size > 0 ? ['links'] : [];
  return marks.length + media.length + linked.length === 0 ? '' : JSON.stringify([marks, media, ...linked]);
}

function simpler(form: Form, call: OfText<'stop' | 'post' | 'update'>): Form | undefined {
  const { document, screen } = call;
  const next = weakerForm(form, document, readyImages(screen.images));
  if (form === 'plain') return undefined;
  if (next !== 'plain' || call.kind !== 'update') return next;
  const { part, index, to } = call;
  // All text that people see must fit into an edit. From an earlier message, no text can move to the next message.
  const length = part.shown?.rewrites === document.rewrites ? part.shown.length : part.from;
  const end = index === screen.parts.length - 1 ? length : to;
  return fitsEdit(document.text.slice(part.from, end)) ? next : undefined;
}
