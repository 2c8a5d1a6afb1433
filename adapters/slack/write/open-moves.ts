/** A further message: as a stream, as a post that is edited, or as a post that stays; what the budgets allow. */

import { isFinal, type Move, type ReplyDocument } from '../../../src/kit.ts';
import type { Begin } from '../render/emit.ts';
import { begun, newTasks } from './appended.ts';
import { move, NEEDS } from './calls.ts';
import { type Extent, isBlank, readable } from './extent.ts';
import type { SlackPart, SlackScreen } from './screen.ts';

interface Opening {
  readonly screen: SlackScreen;
  readonly document: ReplyDocument;
  readonly setting: { readonly streams: boolean; readonly extent: Extent };
}

const FIRST: Begin = { at: 0, fresh: true };

/**
 * True if Slack takes no more edits of the message: its text is posted anew once the answer is whole, for the next
 * message may take none either. A stream that cannot be stopped says nothing of other messages.
 */
const isGivenUp = (last: SlackPart | undefined): boolean => last?.left === true && last.stuck === undefined;

export function openMoves(opening: Opening): readonly Move[] {
  const { screen, document, setting } = opening;
  const last = screen.parts.at(-1);
  const begin = last === undefined ? FIRST : last.onward;
  if (begin === undefined || (isGivenUp(last) && !isFinal(document))) return [];
  if (isFinal(document))
    return last !== undefined && isBlank(document.text, begin.at) ? [] : finals(opening, begin);
  const more = setting.extent.hasMore(document.text, begin, false) && !isBlank(document.text, begin.at);
  const thinks = last === undefined && document.steps.length > 0;
  if (!more && !thinks) return [];
  // A message that was posted alone shows the rest by edits from now on, where it has room for it.
  const alone = standsAlone(screen);
  return alone === undefined ? begins(opening, begin, more) : grows(opening, alone, false);
}

/** The whole rest is known: one post, without a stream or an edit; a message that was posted alone may grow instead. */
function finals(opening: Opening, begin: Begin): readonly Move[] {
  const rest = move(post(opening, begin, 'edits'), true);
  const alone = standsAlone(opening.screen);
  return alone === undefined ? [rest] : [...grows(opening, alone, true), rest];
}

/** The message that was posted alone and may still be edited. */
function standsAlone({ rung, parts }: SlackScreen): SlackPart | undefined {
  const last = parts.at(-1);
  return rung === 'once' && last?.left !== true ? last : undefined;
}

function grows({ screen, document, setting }: Opening, part: SlackPart, final: boolean): readonly Move[] {
  if (setting.extent.cutFor(part.form, document, part.begin) !== undefined) return [];
  const index = screen.parts.length - 1;
  const call = { kind: 'update', document, index, part, images: screen.images } as const;
  return [final ? move(call, true) : move(call, false, NEEDS.edits)];
}

function begins(opening: Opening, begin: Begin, more: boolean): readonly Move[] {
  const { screen, document, setting } = opening;
  const first = readable(document.text, begin);
  const streams = setting.streams && !screen.streamless && screen.form === 'rich';
  return [
    ...(streams ? [move(start(opening, begin), false, NEEDS.native)] : []),
    ...(more ? [move(post(opening, begin, 'edits'), false, NEEDS.edits)] : []),
    ...(more && first !== undefined
      ? [move({ ...post(opening, begin, 'once'), to: first.to }, false, NEEDS.once)]
      : []),
  ];
}

function start({ document, setting }: Opening, begin: Begin) {
  const { taskBytes } = newTasks(document, begun(document, begin));
  const cut = setting.extent.streamCut(document, begin, { taskBytes });
  const call = { kind: 'start', document, begin } as const;
  return cut === undefined ? call : { ...call, to: cut.to };
}

function post({ screen, document, setting }: Opening, begin: Begin, rung: 'edits' | 'once') {
  const { images, form } = screen;
  const cut = setting.extent.cutFor(form, document, begin);
  const call = { kind: 'post', document, rung, index: screen.parts.length, begin, form, images } as const;
  return cut === undefined ? call : { ...call, to: cut.to };
}
