/** Puts a turn's progress on disk before it is shown, so that whoever takes the turn over can go on from there. */

import type { ReplyDocument } from './reply.ts';
import type { Screen } from './screen.ts';
import type { Checkpoint, Claim, Inbox } from './stores.ts';

export interface Recorder {
  /** Resolves once it is on disk; at once when nothing is new. Calls `lost` when the turn is no longer ours. */
  record(checkpoint: Checkpoint): Promise<void>;
  /** The document's text and the screen's shape, as far as they are not recorded yet. */
  recordShown(document: ReplyDocument, screen: Screen): Promise<void>;
  /** The whole text and that nothing follows it. */
  recordEnding(document: ReplyDocument): Promise<void>;
}

export function createRecorder(claim: Claim, inbox: Pick<Inbox, 'checkpoint'>, lost: () => void): Recorder {
  let text = claim.text;
  let shape = claim.turn.screen === undefined ? '' : shapeOf(claim.turn.screen);

  const record = async (checkpoint: Checkpoint): Promise<void> => {
    if ((await inbox.checkpoint(claim, checkpoint)) === 'lost') lost();
  };

  /** The unrecorded end of the text, which counts as recorded from now on. */
  const takeText = (whole: string): Pick<Checkpoint, 'text'> => {
    const at = commonLength(text, whole);
    if (at === text.length && at === whole.length) return {};
    text = whole;
    return { text: { at, text: whole.slice(at) } };
  };
  const takeScreen = (screen: Screen): Pick<Checkpoint, 'screen'> => {
    if (shape === shapeOf(screen)) return {};
    shape = shapeOf(screen);
    return { screen };
  };

  return {
    record,
    async recordShown(document, screen) {
      const fresh = { ...takeText(document.text), ...takeScreen(screen) };
      if (Object.keys(fresh).length > 0) await record(fresh);
    },
    recordEnding: (document) => record({ phase: 'ending', ...takeText(document.text) }),
  };
}

/** Which messages the screen consists of: all that a takeover cannot find out by itself. */
function shapeOf(screen: Screen): string {
  return `${screen.rung} ${screen.parts.map(({ id, from, to }) => `${id}:${from}-${to ?? ''}`).join(' ')}`;
}

function commonLength(before: string, after: string): number {
  if (after.startsWith(before)) return before.length;
  const limit = Math.min(before.length, after.length);
  let length = 0;
  while (length < limit && before.charCodeAt(length) === after.charCodeAt(length)) length += 1;
  return length;
}
