import { createLatest, type Latest } from '../pacing/latest.ts';
import type { ReplyDocument } from '../reply.ts';
import type { Screen } from '../screen.ts';

/** Tells when the screen has caught up with the document. */

export function createCaughtUp(current: Pick<Latest<ReplyDocument>, 'get'>) {
  const latest = createLatest<{ document: ReplyDocument; isVisible: boolean } | undefined>(undefined);
  return {
    /** Must be called when the screen shows all that the document needs at present. */
    idle: (document: ReplyDocument, { parts }: Screen) =>
      latest.set({ document, isVisible: parts.length > 0 }),
    /** Must be called when the reply can no longer be written. */
    close: latest.close,
    /**
     * Resolves once the screen shows all that the current document needs: with true if the screen has a message, with
     * false if the document needs no message yet, and with undefined if the reply can no longer be written.
     */
    async upToDate(signal: AbortSignal) {
      while (!latest.closed && latest.get()?.document !== current.get())
        await latest.change(latest.get(), signal);
      return latest.closed ? undefined : latest.get()?.isVisible;
    },
  };
}
