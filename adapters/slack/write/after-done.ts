/** What a reply looks like after a call that Slack took. Pure. */

import { shownOf, withPart } from '../../../src/kit/reply-part.ts';
import { hashOf } from '../../../src/kit/shown.ts';
import { isFinal, type ReplyDocument } from '../../../src/kit.ts';
import { beginAt } from '../render/emit.ts';
import { adornments } from './adornments.ts';
import { lookedInVain, lostPost, lostStart } from './after-unknown.ts';
import { addition, begun } from './appended.ts';
import type { Call, Of } from './calls.ts';
import { foundIn } from './find.ts';
import { type SlackPart, type SlackScreen, withImage, withStatus } from './screen.ts';

export function afterDone(screen: SlackScreen, call: Call, id: string | undefined, now: number): SlackScreen {
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
    case 'look':
      return id === undefined
        ? lookedInVain(screen, call)
        : withImage(screen, call.media.id, { state: 'ready', file: id });
  }
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
export function ended({ emitted: _, ...part }: SlackPart): SlackPart {
  return { ...part, live: false };
}

/** @param whole whether what closes it was taken, too */
export function stopped(screen: SlackScreen, call: Of<'stop'>, whole: boolean): SlackScreen {
  const { document, index, part: before, why, to, images, activates } = call;
  const { status: _, ...quiet } = screen;
  const calm = whole && activates && screen.status === 'session' ? quiet : screen;
  if (why === 'repair' || before.form !== 'rich' || before.emitted === undefined) {
    return { ...withPart(calm, index, { ...ended(before), sure: false }), rung: 'edits' };
  }
  // If Slack refused the stop, it did not show the text sent with it either.
  const emitted = whole ? addition(document, before.emitted, to).emitted : before.emitted;
  const { at, fence } = emitted.state;
  const part: SlackPart = { ...before, emitted, hash: hashOf(document.text.slice(before.from, at)) };
  const shown = shownOf(document, at);
  if (why === 'rotate') {
    const closed = ended(sealed(part, document, at));
    return withPart(calm, index, { ...closed, sure: whole || fence === undefined, shown });
  }
  const done: SlackPart = { ...ended(part), sure: whole, shown, ...(whole && { ended: true }) };
  // A stream's text cannot change: its source marks keep their numbers, and its reference links their brackets.
  const looks = adornments({ ...document, sources: [], text: '' }, part, images);
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
    looks: adornments(document, edges, images),
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

function uploaded(screen: SlackScreen, call: Of<'upload' | 'complete'>, id: string | undefined): SlackScreen {
  if (call.kind === 'complete')
    return withImage(screen, call.media.id, { state: 'digested', file: call.file, looks: 0 });
  return withImage(
    screen,
    call.media.id,
    id === undefined ? { state: 'failed' } : { state: 'sent', file: id },
  );
}
