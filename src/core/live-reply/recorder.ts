/** Puts a turn's progress on disk before it is shown, so that whoever takes the turn over can go on from there. */

import { asBridgeError, type BridgeError } from '../../errors.ts';
import type { ReplyDocument } from '../reply.ts';
import type { Screen } from '../screen.ts';
import type { Checkpoint, Claim, Inbox } from '../stores/inbox.ts';

/**
 * A store that fails in the middle of an answer does not end the answer (fault F29): what could not be recorded goes
 * with the next record.
 */
export interface Recorder {
  /** Resolves once it is on disk, or told as failed. */
  record(checkpoint: Checkpoint): Promise<void>;
  /** The document's text and the screen's shape, as far as they are not recorded yet. */
  recordShown(document: ReplyDocument, screen: Screen): Promise<void>;
  /** The whole text and that nothing follows it. */
  recordEnding(document: ReplyDocument): Promise<void>;
}

export interface RecorderDeps {
  readonly claim: Claim;
  readonly inbox: Pick<Inbox, 'checkpoint'>;
  /** The turn is no longer ours. */
  lost(): void;
  failed(error: BridgeError): void;
}

export function createRecorder({ claim, inbox, lost, failed }: RecorderDeps): Recorder {
  let recorded = { text: claim.text, version: 0, rewrites: 0 };
  let shape = claim.turn.screen && shapeOf(claim.turn.screen);

  /** Members whose latest write failed. Excludes the text, which is read again from the latest document. */
  let unsaved: Checkpoint = {};
  let unsavedFrom = Number.POSITIVE_INFINITY;
  /** The latest write of each member. Writes overlap, so an older one may fail after a newer one succeeded. */
  const newest = new Map<string, Checkpoint>();

  /** The newest record on its way: what it carries is not on disk before it has ended. */
  let latest = Promise.resolve();

  const record = (fresh: Checkpoint): Promise<void> => {
    latest = write(fresh);
    return latest;
  };
  const write = async (fresh: Checkpoint): Promise<void> => {
    const checkpoint = { ...unsaved, ...fresh };
    unsaved = {};
    for (const member of Object.keys(checkpoint)) newest.set(member, checkpoint);
    try {
      if ((await inbox.checkpoint(claim, checkpoint)) === 'lost') lost();
    } catch (thrown) {
      const { text, ...facts } = checkpoint;
      const lacking = Object.entries(facts).filter(([member]) => newest.get(member) === checkpoint);
      unsaved = { ...unsaved, ...Object.fromEntries(lacking) };
      if (text !== undefined) unsavedFrom = Math.min(unsavedFrom, text.at);
      failed(asBridgeError(thrown));
    }
  };

  /** The unrecorded end of the text, which counts as recorded from now on; nothing for an outdated document. */
  const takeText = ({ text, version, rewrites }: ReplyDocument): Pick<Checkpoint, 'text'> => {
    if (version < recorded.version) return {};
    // Unless it was rewritten, it only grew: then there is no need to compare it.
    const same = rewrites === recorded.rewrites ? recorded.text.length : commonLength(recorded.text, text);
    const at = Math.min(unsavedFrom, same);
    const isNew = at === unsavedFrom || at < recorded.text.length || at < text.length;
    unsavedFrom = Number.POSITIVE_INFINITY;
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
      const fresh = { ...unsaved, ...takeText(document), ...takeScreen(screen) };
      await (Object.keys(fresh).length > 0 ? record(fresh) : latest);
    },
    recordEnding: (document) => record({ phase: 'ending', ...takeText(document) }),
  };
}

/** Summarizes the screen's messages and open streams, which a takeover cannot find out otherwise. */
function shapeOf({ rung, parts, beside }: Screen): string {
  return JSON.stringify([rung, beside, parts.map(({ id, from, to, live }) => [id, from, to, live])]);
}

/** Beyond the end of a text its code is NaN, which equals no other. */
function commonLength(before: string, after: string): number {
  let length = 0;
  while (before.charCodeAt(length) === after.charCodeAt(length)) length += 1;
  return length;
}
