/** What a reply looks like after a call. Pure, and the only place where a rung changes. */

import { withPart } from '../../../src/kit/reply-part.ts';
import type { Outcome, OutcomeWhy } from '../../../src/kit.ts';
import { fitsEdit } from '../render/fallback.ts';
import { weakerForm } from '../render/form.ts';
import { afterDone, ended, stopped } from './after-done.ts';
import { afterUnknown, givenUp } from './after-unknown.ts';
import type { Call, Of } from './calls.ts';
import { readyImages, type SlackPart, type SlackScreen, withImage, withStatus } from './screen.ts';

export function screenAfter(screen: SlackScreen, call: Call, outcome: Outcome, now: number): SlackScreen {
  if (outcome.kind === 'done') return afterDone(screen, call, outcome.id, now);
  if (outcome.kind === 'unknown') return afterUnknown(screen, call);
  if (outcome.why === 'rate' || outcome.why === 'busy') return screen;
  return afterRefusal(screen, call, outcome.why);
}

/** Stops of one stream that Slack may refuse (msg_too_long) before it counts as one that cannot be stopped. */
const MAX_STOPS = 2;

type Why = Exclude<OutcomeWhy, 'rate' | 'busy'>;

function afterRefusal(screen: SlackScreen, call: Call, why: Why): SlackScreen {
  switch (call.kind) {
    case 'status':
      return statusRefused(screen, call);
    case 'upload':
    case 'complete':
    case 'look':
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
      return { ...screen, form: weakerForm(call.form, call.document, readyImages(call.images)) };
    case 'append':
      return why === 'not-live'
        ? { ...withPart(screen, call.index, ended(call.part)), rung: 'edits' }
        : withPart(screen, call.index, { ...call.part, sure: false });
    case 'stop':
      return why === 'not-live' ? stopped(screen, call, false) : stopRefused(screen, call);
    case 'update':
      return updateRefused(screen, call, why);
  }
}

/**
 * Next, the stream is stopped without content, and an edit shows the text in a simpler form. If Slack refuses that stop
 * as well, the text is edited without stopping the stream.
 */
function stopRefused(screen: SlackScreen, { document, index, part, why, images }: Of<'stop'>): SlackScreen {
  const form = why === 'end' ? weakerForm(part.form, document, readyImages(images)) : part.form;
  const failures = part.failures + 1;
  const simpler: SlackPart = { ...part, sure: false, form, failures };
  if (failures < MAX_STOPS) return withPart(screen, index, simpler);
  return { ...withPart(screen, index, { ...ended(simpler), failures: 0, stuck: true }), rung: 'edits' };
}

function updateRefused(
  screen: SlackScreen,
  { document, index, part, to, images }: Of<'update'>,
  why: 'not-live' | 'invalid',
): SlackScreen {
  if (why === 'not-live' && part.stuck) return givenUp(screen, { document, index, part });
  // An edit is refused where a stream is still open: it is ended first.
  if (why === 'not-live') return withPart(screen, index, { ...part, live: true, sure: false });
  const form = weakerForm(part.form, document, readyImages(images));
  // The last message can be made shorter, with the rest in the next one.
  const isLast = index === screen.parts.length - 1;
  const fits = form !== 'plain' || isLast || fitsEdit(document.text.slice(part.from, to));
  if (part.form !== 'plain' && fits) return withPart(screen, index, { ...part, form, sure: false });
  // A post takes more plain text than an edit.
  return givenUp({ ...screen, form: 'plain' }, { document, index, part });
}

/** Nothing is shown any more; a session goes on saying that the app works until it is told otherwise. */
function goneFrom({ images, form, status }: SlackScreen): SlackScreen {
  const left = status === 'session' ? { status } : {};
  return { rung: 'once', parts: [], finished: true, gone: true, images, form, failures: 0, ...left };
}
