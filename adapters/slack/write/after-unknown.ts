/** What a reply may look like after a call of which nobody knows whether Slack took it. Pure. */

import { withPart } from '../../../src/kit/reply-part.ts';
import { stands } from '../../../src/kit/shown.ts';
import { isFinal } from '../../../src/kit.ts';
import type { Call, Of } from './calls.ts';
import { type SlackScreen, withImage, withStatus } from './screen.ts';

/** Edits of one message in a row whose outcome stays unknown; then the text is posted anew (fault F18). */
const MAX_EDITS = 5;
/** Uploads in a row whose outcome stays unknown; then the image is named instead. */
const MAX_UPLOADS = 2;
/** Checks of an uploaded image, at least 0.4 s apart. */
const MAX_LOOKS = 15;
/** Tries to take the status away whose outcome stayed unknown. */
const MAX_STATUS = 3;

export function afterUnknown(screen: SlackScreen, call: Call): SlackScreen {
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
    case 'look':
      return lookedInVain(screen, call);
    default:
      return screen;
  }
}

/** If Slack never reports the type of an image, the answer names the image instead. */
export function lookedInVain(screen: SlackScreen, { media, file, looks }: Of<'look'>): SlackScreen {
  const next = { state: 'digested', file, looks: looks + 1 } as const;
  return withImage(screen, media.id, next.looks < MAX_LOOKS ? next : { state: 'failed' });
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
export function givenUp(
  screen: SlackScreen,
  { document, index, part }: Pick<Of<'update'>, 'document' | 'index' | 'part'>,
): SlackScreen {
  const isWhole = part.ended && stands(part, document) && part.shown?.length === document.text.length;
  if (isWhole || index < screen.parts.length - 1) return withPart(screen, index, { ...part, left: true });
  const { begin, from } = part;
  return withPart(screen, index, { ...part, left: true, to: from, onward: begin });
}

export const lostStart = (screen: SlackScreen, { begin }: Of<'start'>): SlackScreen => ({
  ...screen,
  lost: { begin, live: true },
});
export const lostPost = (screen: SlackScreen, { begin }: Of<'post'>): SlackScreen => ({
  ...screen,
  lost: { begin, live: false },
});
