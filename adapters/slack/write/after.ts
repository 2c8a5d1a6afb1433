/** What a reply looks like after a call. Pure, and the only place where a rung changes. */

import { hashOf, stands } from '../../../src/kit/shown.ts';
import { isFinal, type Outcome, type OutcomeWhy, type ReplyDocument, type Shown } from '../../../src/kit.ts';
import { beginAt } from '../render/emit.ts';
import { fitsEdit } from '../render/fallback.ts';
import { addition, begun } from './appended.ts';
import type { Call } from './calls.ts';
import { foundIn } from './found.ts';
import { looksOf } from './looks.ts';
import { type SlackPart, type SlackScreen, type Upload, weaker, withPart } from './screen.ts';

type Of<Kind extends Call['kind']> = Extract<Call, { kind: Kind }>;
type Why = Exclude<OutcomeWhy, 'rate' | 'busy'>;

/** Edits of one message in a row whose outcome stays unknown; then the text is posted anew (fault F18). */
const MAX_EDITS = 5;
/** Uploads in a row whose outcome stays unknown; then the image is named instead. */
const MAX_UPLOADS = 2;
/** Tries to take the status away whose outcome stayed unknown. */
const MAX_STATUS = 3;

export function screenAfter(screen: SlackScreen, call: Call, outcome: Outcome, now: number): SlackScreen {
  if (outcome.kind === 'done') return afterDone(screen, call, outcome.id, now);
  if (outcome.kind === 'unknown') return afterUnknown(screen, call);
  if (outcome.why === 'rate' || outcome.why === 'busy') return screen;
  return afterRefusal(screen, call, outcome.why);
}

/** Nothing is shown any more; a session goes on saying that the app works until it is told otherwise. */
function goneFrom({ images, form, status }: SlackScreen): SlackScreen {
  const left = status === 'session' ? { status } : {};
  return { rung: 'once', parts: [], finished: true, gone: true, images, form, failures: 0, ...left };
}

function afterDone(screen: SlackScreen, call: Call, id: string | undefined, now: number): SlackScreen {
  switch (call.kind) {
    case 'start':
      return id === undefined ? lostStart(screen, call) : started(screen, call, id, now);
    case 'post':
      return id === undefined ? lostPost(screen, call) : posted(screen, call, id, now);
    case 'append':
      return appendDone(screen, call);
    case 'stop':
      return stopped(screen, call, true);
    case 'update':
      return updated(screen, call);
    case 'delete':
      return { ...screen, parts: screen.parts.toSpliced(call.index, 1) };
    case 'find':
      return found(screen, call, id, now);
    case 'status':
      return withStatus(screen, call.on ? call.way : undefined);
    case 'upload':
    case 'complete':
      return uploaded(screen, call, id);
  }
}

function shownOf({ version, rewrites }: ReplyDocument, length: number): Shown {
  return { version, rewrites, length };
}

function started(screen: SlackScreen, call: Of<'start'>, id: string, now: number): SlackScreen {
  const { document, begin, to } = call;
  const { emitted } = addition(document, begun(document, begin), to);
  const part: SlackPart = {
    id,
    from: begin.at,
    begin,
    live: true,
    openedAt: now,
    sure: true,
    form: 'rich',
    emitted,
    shown: shownOf(document, emitted.state.at),
    hash: hashOf(document.text.slice(begin.at, emitted.state.at)),
    looks: '',
    failures: 0,
  };
  return { ...screen, rung: 'native', parts: [...screen.parts, part] };
}

function appendDone(screen: SlackScreen, { document, index, part, to }: Of<'append'>): SlackScreen {
  if (part.emitted === undefined) return screen;
  const { emitted } = addition(document, part.emitted, to);
  const hash = hashOf(document.text.slice(part.from, emitted.state.at));
  return withPart(screen, index, { ...part, emitted, hash, shown: shownOf(document, emitted.state.at) });
}

/** The message ends where its text ends: the rest begins the next one. */
function sealed(part: SlackPart, document: ReplyDocument, to: number): SlackPart {
  const state = part.emitted?.state ?? { at: to, fresh: true };
  return { ...part, to, onward: beginAt(document.text, { ...state, at: to }) };
}

/** A message that is no stream any more. */
function ended({ emitted: _, ...part }: SlackPart): SlackPart {
  return { ...part, live: false };
}

/** @param whole whether what closes it was taken, too */
function stopped(screen: SlackScreen, call: Of<'stop'>, whole: boolean): SlackScreen {
  const { document, index, part, why, images, activates } = call;
  const { status: _, ...quiet } = screen;
  const calm = whole && activates && screen.status === 'session' ? quiet : screen;
  if (why === 'repair' || part.form !== 'rich' || part.emitted === undefined) {
    return { ...withPart(calm, index, { ...ended(part), sure: false }), rung: 'edits' };
  }
  const { at } = part.emitted.state;
  const shown = shownOf(document, at);
  if (why === 'rotate') {
    const closed = ended(sealed(part, document, at));
    return withPart(calm, index, { ...closed, sure: whole || part.emitted.state.fence === undefined, shown });
  }
  const done: SlackPart = { ...ended(part), sure: whole, shown, ...(whole && { ended: true }) };
  // A stream's marks keep the numbers that they were written with.
  const looks = looksOf({ ...document, sources: [] }, part, images);
  const next = withPart(calm, index, { ...done, looks });
  return whole ? next : { ...next, rung: 'edits' };
}

function posted(screen: SlackScreen, call: Of<'post'>, id: string, now: number): SlackScreen {
  const { document, begin, to, form, rung } = call;
  const blank: SlackPart = {
    id,
    from: begin.at,
    begin,
    live: false,
    openedAt: now,
    sure: true,
    form,
    hash: 0,
    looks: '',
    failures: 0,
  };
  const part = written(blank, document, to, call.images);
  return { ...screen, rung: isFinal(document) ? 'edits' : rung, parts: [...screen.parts, part] };
}

/** The message as it is when Slack has taken the document's text up to `to`. */
function written(
  part: SlackPart,
  document: ReplyDocument,
  to: number | undefined,
  images: SlackScreen['images'],
): SlackPart {
  const { to: _to, onward: _onward, ended: _ended, ...open } = part;
  const end = to ?? document.text.length;
  const edges = to === undefined ? open : sealedAt(open, document, to);
  return {
    ...edges,
    sure: true,
    failures: 0,
    ...(isFinal(document) && { ended: true }),
    shown: shownOf(document, end),
    hash: hashOf(document.text.slice(part.from, end)),
    looks: looksOf(document, edges, images),
  };
}

/** The state at the cut is found by emitting the message's text once. */
function sealedAt(part: SlackPart, document: ReplyDocument, to: number): SlackPart {
  const { emitted } = addition(document, begun(document, part.begin), to);
  return { ...part, to, onward: beginAt(document.text, { ...emitted.state, at: to }) };
}

function updated(screen: SlackScreen, call: Of<'update'>): SlackScreen {
  const { document, index, part, to, images } = call;
  return { ...withPart(screen, index, written(part, document, to, images)), rung: 'edits' };
}

function found(
  screen: SlackScreen,
  { document, lost }: Of<'find'>,
  id: string | undefined,
  now: number,
): SlackScreen {
  const { lost: _, ...rest } = screen;
  const hit = id === undefined ? undefined : foundIn(id);
  if (hit === undefined) return rest;
  const part: SlackPart = {
    id: hit.ts,
    from: lost.begin.at,
    begin: lost.begin,
    live: hit.live,
    openedAt: now,
    sure: false,
    form: screen.form,
    shown: { version: -1, rewrites: document.rewrites, length: lost.begin.at },
    hash: hashOf(''),
    looks: '',
    failures: 0,
  };
  return { ...rest, rung: 'edits', parts: [...screen.parts, part] };
}

function withStatus({ status: _, ...screen }: SlackScreen, status: string | undefined): SlackScreen {
  return status === undefined ? screen : { ...screen, status };
}

function uploaded(screen: SlackScreen, call: Of<'upload' | 'complete'>, id: string | undefined): SlackScreen {
  if (call.kind === 'complete') return withImage(screen, call.media.id, { state: 'ready', file: call.file });
  return withImage(
    screen,
    call.media.id,
    id === undefined ? { state: 'failed' } : { state: 'sent', file: id },
  );
}

function withImage(screen: SlackScreen, media: string, upload: Upload): SlackScreen {
  return { ...screen, failures: 0, images: { ...screen.images, [media]: upload } };
}

const lostStart = (screen: SlackScreen, { begin }: Of<'start'>): SlackScreen => ({
  ...screen,
  lost: { begin, live: true },
});
const lostPost = (screen: SlackScreen, { begin }: Of<'post'>): SlackScreen => ({
  ...screen,
  lost: { begin, live: false },
});

function afterUnknown(screen: SlackScreen, call: Call): SlackScreen {
  switch (call.kind) {
    case 'start':
      return lostStart(screen, call);
    case 'post':
      return lostPost(screen, call);
    case 'append':
    case 'stop':
      return withPart(screen, call.index, { ...call.part, sure: false });
    case 'update':
      return editFailed(screen, call);
    case 'status':
      // It may be shown, so it is taken away in the end.
      return call.on ? withStatus(screen, call.way) : statusLeft(screen);
    case 'upload':
    case 'complete': {
      const failures = screen.failures + 1;
      if (failures <= MAX_UPLOADS) return { ...screen, failures };
      return withImage(screen, call.media.id, { state: 'failed' });
    }
    default:
      return screen;
  }
}

/** An answer that is whole does not hold its thread for a status line that Slack ends by itself. */
function statusLeft(screen: SlackScreen): SlackScreen {
  const failures = screen.failures + 1;
  return failures < MAX_STATUS ? { ...screen, failures } : withStatus({ ...screen, failures: 0 }, undefined);
}

function editFailed(screen: SlackScreen, { document, index, part }: Of<'update'>): SlackScreen {
  const failures = part.failures + 1;
  if (failures < MAX_EDITS || !isFinal(document)) {
    return withPart(screen, index, { ...part, sure: false, failures });
  }
  return givenUp(screen, { document, index, part });
}

/** A message that takes no more edits stays as it is; what belongs there is posted anew after it, unless it shows it. */
function givenUp(
  screen: SlackScreen,
  { document, index, part }: Pick<Of<'update'>, 'document' | 'index' | 'part'>,
): SlackScreen {
  const isWhole = part.ended && stands(part, document) && part.shown?.length === document.text.length;
  if (isWhole || index < screen.parts.length - 1) return withPart(screen, index, { ...part, left: true });
  const { begin, from } = part;
  return withPart(screen, index, { ...part, left: true, to: from, onward: begin });
}

function afterRefusal(screen: SlackScreen, call: Call, why: Why): SlackScreen {
  switch (call.kind) {
    case 'status':
      return statusRefused(screen, call);
    case 'upload':
    case 'complete':
      return withImage(screen, call.media.id, { state: 'failed' });
    case 'delete':
      return { ...screen, parts: screen.parts.toSpliced(call.index, 1) };
    case 'find': {
      const { lost: _, ...rest } = screen;
      return why === 'gone' ? goneFrom(screen) : rest;
    }
    default:
      return why === 'gone' ? goneFrom(screen) : messageRefused(screen, call, why);
  }
}

function statusRefused(screen: SlackScreen, { way, on }: Of<'status'>): SlackScreen {
  if (!on) return withStatus(screen, undefined);
  return withStatus(screen, way === 'session' ? 'sessionless' : 'none');
}

function messageRefused(
  screen: SlackScreen,
  call: Of<'start' | 'append' | 'stop' | 'post' | 'update'>,
  why: 'not-live' | 'invalid',
): SlackScreen {
  switch (call.kind) {
    case 'start':
      return { ...screen, streamless: true };
    case 'post':
      return { ...screen, form: weaker[call.form] };
    case 'append':
      return why === 'not-live'
        ? { ...withPart(screen, call.index, ended(call.part)), rung: 'edits' }
        : withPart(screen, call.index, { ...call.part, sure: false, form: 'simple' });
    case 'stop':
      return why === 'not-live'
        ? stopped(screen, call, false)
        : withPart(screen, call.index, { ...call.part, sure: false, form: 'simple' });
    case 'update':
      return updateRefused(screen, call, why);
  }
}

function updateRefused(
  screen: SlackScreen,
  { document, index, part, to }: Of<'update'>,
  why: 'not-live' | 'invalid',
): SlackScreen {
  // An edit is refused where a stream is still open: it is ended first.
  if (why === 'not-live') return withPart(screen, index, { ...part, live: true, sure: false });
  const form = weaker[part.form];
  // The last message can be made shorter, with the rest in the next one.
  const isLast = index === screen.parts.length - 1;
  const fits = form !== 'plain' || isLast || fitsEdit(document.text.slice(part.from, to));
  if (part.form !== 'plain' && fits) return withPart(screen, index, { ...part, form, sure: false });
  // A post takes more plain text than an edit.
  return givenUp({ ...screen, form: 'plain' }, { document, index, part });
}
