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
  let recorded = { text: claim.text, version: 0, rewrites: 0 };
  let shape = claim.turn.screen === undefined ? '' : shapeOf(claim.turn.screen);

  const record = async (checkpoint: Checkpoint): Promise<void> => {
    if ((await inbox.checkpoint(claim, checkpoint)) === 'lost') lost();
  };

  /** The unrecorded end of the text, which counts as recorded from now on; nothing for an outdated document. */
  const takeText = ({ text, version, rewrites }: ReplyDocument): Pick<Checkpoint, 'text'> => {
    if (version < recorded.version) return {};
    const grew = rewrites === recorded.rewrites && text.length >= recorded.text.length;
    const at = grew ? recorded.text.length : commonLength(recorded.text, text);
    const isNew = at < recorded.text.length || at < text.length;
    recorded = { text, version, rewrites };
    return isNew ? { text: { at, text: text.slice(at) } } : {};
  };
  const takeScreen = (screen: Screen): Pick<Checkpoint, 'screen'> => {
    if (shape === shapeOf(screen)) return {};
    shape = shapeOf(screen);
    return { screen };
  };

  return {
    record,
    async recordShown(document, screen) {
      const fresh = { ...takeText(document), ...takeScreen(screen) };
      if (Object.keys(fresh).length > 0) await record(fresh);
    },
    recordEnding: (document) => record({ phase: 'ending', ...takeText(document) }),
  };
}

/** Which messages the screen consists of: all that a takeover cannot find out by itself. */
function shapeOf(screen: Screen): string {
  return `${screen.rung} ${screen.parts.map(({ id, from, to }) => `${id}:${from}-${to ?? ''}`).join(' ')}`;
}

function commonLength(before: string, after: string): number {
  const limit = Math.min(before.length, after.length);
  let length = 0;
  while (length < limit && before.charCodeAt(length) === after.charCodeAt(length)) length += 1;
  return length;
}
