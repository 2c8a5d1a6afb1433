/** What messages of a reply are like after something was done with them. Pure. */

import type { Begin, StreamState } from '../../../src/kit/emission.ts';
import { type Form, shownOf } from '../../../src/kit/reply-part.ts';
import { hashOf } from '../../../src/kit/shown.ts';
import { numbersOf, sourcesOf } from '../../../src/kit/sources.ts';
import { isFinal, type ReplyDocument } from '../../../src/kit.ts';
import { type Emitted, isInside, type TeamsPart, type TeamsScreen } from './screen.ts';
import type { Setting } from './setting.ts';

/** Milliseconds before a call ended in which the message may have been made: the call's time, and clocks that differ. */
const LOOK_BACK_MS = 60_000;

/** Nothing is shown any more. */
export function goneFrom({ form, chars }: TeamsScreen): TeamsScreen {
  return { rung: 'edits', parts: [], finished: true, gone: true, form, chars };
}

interface Sent {
  readonly begin: Begin;
  readonly says: boolean;
  readonly now: number;
}

export function lostFrom(screen: TeamsScreen, { begin, says, now }: Sent): TeamsScreen {
  return { ...screen, lost: { begin, says, since: now - LOOK_BACK_MS, misses: 0, failures: 0 } };
}

interface New {
  readonly id: string;
  readonly begin: Begin;
  readonly form: Form;
  readonly now: number;
}

/** A message that stands and shows nothing yet. */
export function blankPart({ id, begin, form, now }: New): TeamsPart {
  const text = { hash: hashOf(''), looks: '' };
  return { id, from: begin.at, begin, live: false, openedAt: now, sure: true, form, ...text, failures: 0 };
}

interface Writing {
  readonly document: ReplyDocument;
  readonly setting: Pick<Setting, 'emitter'>;
  readonly to?: number;
}

/** The message as it is when Teams has taken the document's text up to `to`. */
export function written(part: TeamsPart, { document, setting, to }: Writing): TeamsPart {
  const { to: _to, onward: _onward, ended: _ended, ...whole } = part;
  const open = withoutInside(whole);
  const edges =
    to === undefined ? open : { ...open, to, onward: onwardAt(part.begin, { document, setting, to }) };
  const end = to ?? document.text.length;
  return {
    ...edges,
    sure: true,
    failures: 0,
    ...(isFinal(document) && { ended: true }),
    shown: shownOf(document, end),
    hash: hashOf(document.text.slice(part.from, end)),
    looks: adornments(document, edges),
  };
}

/** An edit brings the text alone: a card that stood in the message is gone with it. */
function withoutInside(part: TeamsPart): TeamsPart {
  const { card, ...rest } = part;
  return card !== undefined && isInside(card) ? rest : part;
}

/** How the next message begins when this one ends at `to`: found by writing what is between. */
export function onwardAt(
  from: StreamState,
  { document: { text }, setting: { emitter }, to }: Writing & { readonly to: number },
): Begin {
  const { state } = emitter.emit(text.slice(0, to), from, { ended: true });
  return emitter.beginAt(text, { ...state, at: to });
}

/** A message that is no stream any more. */
export function closed({ emitted: _, ...part }: TeamsPart): TeamsPart {
  return { ...part, live: false };
}

/** A person stopped the stream: nobody can change what it shows, and nothing more belongs there. */
export function stoppedPart(part: TeamsPart, { turn }: ReplyDocument): TeamsPart {
  return { ...closed(part), sure: true, left: true, ended: true, stopped: turn };
}

/** Whether a stream shows nothing of the answer yet. */
export const isUnsaid = ({ at }: StreamState, { state, line }: Emitted): boolean =>
  line !== undefined && state.at === at;

/** While a reply runs they stay as they are: what is found then is shown at the end. */
export function adornments(document: ReplyDocument, part: Pick<TeamsPart, 'from' | 'to' | 'looks'>): string {
  if (!isFinal(document)) return part.looks;
  if (document.sources.length === 0) return '';
  const numbers = numbersOf(sourcesOf(document));
  const found = [...document.text.slice(part.from, part.to).matchAll(mark)].map((match) => Number(match[1]));
  const changed = [...new Set(found)].flatMap((one) => {
    const number = numbers.get(one);
    return number === undefined || number === one ? [] : [`${one}>${number}`];
  });
  return changed.join(' ');
}

const mark = /\[(\d{1,4})\]/g;
