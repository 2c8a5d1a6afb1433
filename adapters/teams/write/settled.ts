/** A screen as it is gone on with: what can no longer be found out is decided. Pure. */

import { withPart } from '../../../src/kit/reply-part.ts';
import { isFinal, type ReplyDocument } from '../../../src/kit.ts';
import type { TeamsPart, TeamsScreen } from './screen.ts';
import type { Setting } from './setting.ts';

/** Look-ups in vain after which a message counts as not there: what is new may be shown a moment later. */
const MAX_MISSES = 2;
/** Look-ups that did not work, after which nobody can tell: fewer than those after which a reply is given up. */
const MAX_FAILURES = 5;

/** Whether a message of unknown outcome is still looked for. */
export const isSought = ({ lost }: TeamsScreen, { looksUp }: Pick<Setting, 'looksUp'>): boolean =>
  lost !== undefined && looksUp && !lost.blind && lost.failures < MAX_FAILURES;

export function settled(screen: TeamsScreen, document: ReplyDocument, setting: Setting): TeamsScreen {
  const parts = screen.parts.map((part) => withoutStopped(part, document));
  return withoutLost({ ...screen, parts }, document, setting);
}

/** A card twice does no harm, but one is enough while the reply runs. */
function withDoubt(screen: TeamsScreen, index: number): TeamsScreen {
  const part = screen.parts[index];
  if (part === undefined) return screen;
  const card = { mark: 0, sure: true, failures: 0, doubted: true } as const;
  return withPart(screen, index, { ...part, card });
}

/** A message in which a person stopped another turn's stream stays as it is; this one's answer stands after it. */
function withoutStopped(part: TeamsPart, { turn }: ReplyDocument): TeamsPart {
  if (part.stopped === undefined || part.stopped === turn || part.to !== undefined) return part;
  return { ...part, to: part.from, onward: part.begin };
}

/**
 * A message that can not be looked up and says something of the answer may stand there, so it is sent again only at the
 * reply's end, and only once (fault F28).
 */
function withoutLost(screen: TeamsScreen, document: ReplyDocument, setting: Setting): TeamsScreen {
  const { lost, ...rest } = screen;
  if (lost === undefined) return screen;
  if (isSought(screen, setting)) return lost.misses < MAX_MISSES ? screen : rest;
  if (lost.card !== undefined) return withDoubt(rest, lost.card);
  if (!lost.says) return { ...rest, streamless: true, hushed: true };
  if (!isFinal(document)) return screen;
  return screen.unconfirmed ? { ...rest, gone: true } : { ...rest, unconfirmed: true };
}
