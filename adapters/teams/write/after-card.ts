/** What a reply looks like after a call of one of its cards. Pure. */

import { withPart } from '../../../src/kit/reply-part.ts';
import { isFinal } from '../../../src/kit.ts';
import type { Of } from './calls.ts';
import { MESSAGE } from './outcomes.ts';
import type { Card, TeamsPart, TeamsScreen } from './screen.ts';
import type { Happened } from './setting.ts';
import { goneFrom, lostFrom } from './shapes.ts';

/** Edits of one card in a row whose outcome stays unknown; then it is posted anew. */
const MAX_EDITS = 5;

export function cardAfter(screen: TeamsScreen, call: Of<'card'>, happened: Happened): TeamsScreen {
  const { index, part, mark, id } = call;
  const { outcome, now } = happened;
  const put = (card: Card): TeamsScreen => withPart(screen, index, { ...part, card });
  if (outcome.kind === 'refused') return refused(screen, call, outcome);
  if (id !== undefined)
    return outcome.kind === 'done'
      ? put({ id, mark, sure: true, failures: 0 })
      : editFailed(screen, call, id);
  if (outcome.kind === 'done' && outcome.id !== undefined)
    return put({ id: outcome.id, mark, sure: true, failures: 0 });
  if (part.card?.doubted) return put({ ...part.card, left: true });
  const lost = lostFrom(screen, { begin: part.begin, says: false, now });
  return lost.lost === undefined ? lost : { ...lost, lost: { ...lost.lost, card: index } };
}

function refused(
  screen: TeamsScreen,
  { index, part }: Of<'card'>,
  outcome: Extract<Happened['outcome'], { kind: 'refused' }>,
): TeamsScreen {
  if (outcome.why === 'gone' && outcome.detail !== MESSAGE) return goneFrom(screen);
  // A person took the card away.
  if (outcome.why === 'gone' && part.card !== undefined)
    return withPart(screen, index, { ...part, card: { ...part.card, left: true } });
  // Without a card the text says what it would have shown.
  return withPart({ ...screen, form: 'simple' }, index, { ...part, form: 'simple', sure: false });
}

function editFailed(screen: TeamsScreen, { document, index, part }: Of<'card'>, id: string): TeamsScreen {
  const { card, ...rest } = part;
  const failures = (card?.failures ?? 0) + 1;
  if (failures >= MAX_EDITS && isFinal(document)) return withPart(screen, index, rest);
  return withPart(screen, index, { ...part, card: { id, mark: card?.mark ?? 0, sure: false, failures } });
}

/** One that cannot be deleted is left. */
export function uncardAfter(screen: TeamsScreen, { id }: Of<'uncard'>, { outcome }: Happened): TeamsScreen {
  if (outcome.kind === 'unknown') return screen;
  const parts = screen.parts.map((part) => (part.card?.id === id ? withoutCard(part) : part));
  const orphans = screen.orphans?.filter((each) => each !== id);
  return { ...screen, parts, ...(orphans !== undefined && { orphans }) };
}

export function withoutCard({ card: _, ...part }: TeamsPart): TeamsPart {
  return part;
}
