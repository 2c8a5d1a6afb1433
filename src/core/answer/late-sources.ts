/** Adds the sources after the answer's text, so that slow sources do not delay the text. */

import { asBridgeError } from '../../errors.ts';
import { finish } from '../live-reply/compose.ts';
import { change, type ReplyDocument, type Source } from '../reply.ts';
import { withoutChoices } from './personal-data.ts';
import type { ResolvedAgent, TurnContext } from './turn-context.ts';

/**
 * Maximum milliseconds that the end of the answer waits for its sources, so that fast sources need no additional call
 * to the channel.
 */
const GRACE_MS = 20;
/** Maximum additional milliseconds for slow sources. The thread's next question waits during this time (fault F38). */
const MAX_WAIT_MS = 5_000;

/**
 * Returns the stored form of a record's id. It includes the name of a platform other than `main`, so that a resumed
 * turn whose agent was moved does not send the id to the wrong platform.
 */
export const storedRecord = (platform: string | undefined, id: string): string =>
  platform === undefined ? id : `${platform}\n${id}`;

/** Returns the id of a stored record; undefined if there is none on this platform. */
export function recordOn(platform: string | undefined, stored = ''): string | undefined {
  const [id, owner] = stored.split('\n').toReversed();
  return owner === platform && id !== '' ? id : undefined;
}

/** Resolves when the document is finished. It contains the sources if they arrived in time. */
export async function addLateSources(
  context: TurnContext,
  resolved: ResolvedAgent,
  chatRecord: string | undefined,
): Promise<void> {
  const { clock } = context.deps;
  const over = new AbortController();
  const sources = fetchSources(context, resolved, chatRecord, over.signal);
  const timeout = (ms: number) => clock.wait(ms, over.signal).catch(() => undefined);

  const early = await Promise.race([sources, timeout(GRACE_MS)]);
  if (early !== undefined) context.liveReply.update((document) => withSources(document, early));
  const storing = early === undefined ? keepAsDone(context) : undefined;
  context.liveReply.update(finish);
  await storing;
  if (early === undefined) {
    const late = await Promise.race([sources, timeout(MAX_WAIT_MS)]);
    if (late !== undefined) context.liveReply.update((document) => withSources(document, late));
  }
  over.abort();
}

/**
 * Returns the document with these sources. Returns the same object if they are unchanged, so that the visible reply
 * needs no further edit.
 */
function withSources(document: ReplyDocument, sources: readonly Source[]): ReplyDocument {
  if (JSON.stringify(sources) === JSON.stringify(document.sources)) return document;
  const { suggestions } = document;
  return change(document, {
    sources,
    suggestions: sources.length > 0 ? withoutChoices(suggestions) : suggestions,
  });
}

/** Resolves to undefined if the sources could not be fetched; only the operator is told, in the log. */
async function fetchSources(
  { liveReply, scope }: TurnContext,
  resolved: ResolvedAgent,
  chatRecord: string | undefined,
  over: AbortSignal,
): Promise<readonly Source[] | undefined> {
  const known = liveReply.document().sources;
  try {
    const sources = await resolved.agent.gateway.sources(
      { known, chatRecord },
      { signal: AbortSignal.any([scope.asking, over]), account: resolved.account },
    );
    liveReply.emit('sources', { count: sources.length });
    return sources;
  } catch (thrown) {
    if (!over.aborted) liveReply.emit('trouble', { code: asBridgeError(thrown).code, what: 'sources' });
    return undefined;
  }
}

/** Stores the answer as done before its sources arrive, because its buttons may be pressed meanwhile. */
async function keepAsDone({ liveReply, deps, claim }: TurnContext): Promise<void> {
  await deps.finishedReplies.keep(claim.turn, finish(liveReply.document())).catch((thrown: unknown) => {
    liveReply.emit('trouble', { code: asBridgeError(thrown).code, what: 'shelf' });
  });
}
