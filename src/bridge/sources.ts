/** Sources as people open them: under a signed address of the bridge where a room sees the answer, else the document's own. */

import type { Config } from '../config/schema.ts';
import type { FinishedReplies } from '../core/stores/finished-replies.ts';
import { sourceTitle } from '../core/words.ts';
import { fragmentLink } from '../kit/fragment-link.ts';
import { sourcesOf } from '../kit/sources.ts';
import type { AdapterHost, ThreadRef } from '../kit.ts';
import type { SourceGrant, SourceLinks } from '../web/source-links.ts';
import type { SourceView } from '../web/source-page.ts';

const HOUR_MS = 60 * 60_000;

/** Time that source links show passages, in milliseconds; 0 if the bridge has no public address. */
export function sourceLifeMs({ server }: Pick<Config, 'server'>): number {
  return server.publicUrl === undefined ? 0 : server.sourceHours * HOUR_MS;
}

/**
 * True if only one person may read the answer. A link works for everyone who has it, so it must not show more than the
 * answer did. Everyone in a room may read its answers' passages. The passages of a private answer were read with one
 * person's rights, so its sources keep the document's own link, which checks those rights (attacks S17, S25).
 */
const isForOne = ({ kind }: ThreadRef): boolean => kind === 'direct';

/** @param links absent without an HTTP server */
export function createSourceLinker(
  { server }: Pick<Config, 'server'>,
  links: SourceLinks | undefined,
): AdapterHost['sourceLink'] {
  const address = server.publicUrl?.replace(/\/*$/, '');
  return (source, { turn, thread }) => {
    const link = fragmentLink(source);
    if (link === undefined || address === undefined || isForOne(thread)) return link;
    const sealed = links?.seal({ turn, key: source.key, link });
    return sealed === undefined ? link : `${address}/sources/${sealed}`;
  };
}

/** Finds the content of a source's page; undefined if the link may show none. Rejects with `store-unavailable`. */
export async function findSource(
  finishedReplies: Pick<FinishedReplies, 'find'>,
  { turn, key }: SourceGrant,
): Promise<SourceView | undefined> {
  const kept = await finishedReplies.find(turn);
  if (kept === undefined || isForOne(kept.question.thread)) return undefined;
  const found = sourcesOf(kept.document).find(({ source }) => source.key === key);
  if (found === undefined) return undefined;
  const { number, source } = found;
  return { number, title: sourceTitle(source, number), passages: source.fragments.map(({ text }) => text) };
}
