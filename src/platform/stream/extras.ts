import type { Step } from '../../core/reply.ts';
import { asFields, asList, type Fields, finderIn, isFields, numberOf, textOf } from '../shapes.ts';
import { placesOf } from './text.ts';

/** Everything in a chunk except its text (platform contract EXP-9 to EXP-12, CHL-19). */
export interface Extras {
  readonly thoughts: readonly Step[];
  readonly medias: readonly RawMedia[];
  readonly suggestions: readonly string[];
  /** The payload of a tool result or of a list of references, as received. */
  readonly tool?: unknown;
}

/** An image or file as the platform describes it. `url` is not checked yet. */
export interface RawMedia {
  readonly kind: 'image' | 'file';
  readonly name: string | undefined;
  readonly url: string;
}

/** Limits for one answer; what exceeds them is dropped. */
const MAX_THOUGHTS = 200;
const MAX_DETAIL_CHARS = 4000;
const MAX_MEDIAS = 50;
const MAX_SUGGESTIONS = 20;
const MAX_SUGGESTION_CHARS = 1000;

/** The extras of most chunks, which have only text. */
export const NO_EXTRAS: Extras = { thoughts: [], medias: [], suggestions: [] };
const MEMBERS = ['thoughts', 'medias', 'suggestionQuestions', 'tool_result', 'toolResult'];

export function extrasOf(chunk: unknown, places = placesOf(chunk)): Extras {
  if (memberOf(places, MEMBERS) === undefined) return NO_EXTRAS;
  const tool = memberOf(places, ['tool_result', 'toolResult']);
  return {
    thoughts: listOf(places, 'thoughts').slice(0, MAX_THOUGHTS).flatMap(readThought),
    medias: listOf(places, 'medias').slice(0, MAX_MEDIAS).flatMap(readMedia),
    suggestions: listOf(places, 'suggestionQuestions').flatMap(readSuggestion).slice(0, MAX_SUGGESTIONS),
    ...(tool === undefined ? {} : { tool }),
  };
}

function memberOf(places: readonly Fields[], names: readonly string[]): unknown {
  for (const place of places) {
    for (const name of names) if (place[name] !== undefined && place[name] !== null) return place[name];
  }
  return undefined;
}

function listOf(places: readonly Fields[], name: string): readonly unknown[] {
  const value = memberOf(places, [name]);
  return asList(value) ?? (isFields(value) ? [value] : []);
}

/**
 * Reads a thought of the agent as a step. Elapsed times are in milliseconds; a repeated thought updates its step
 * (platform contract EXP-12).
 */
function readThought(item: unknown): Step[] {
  if (!isFields(item)) return [];
  const thought = textOf(item, ['thought'])?.slice(0, MAX_DETAIL_CHARS);
  const name = textOf(item, ['pluginName'])?.slice(0, MAX_DETAIL_CHARS) ?? '';
  if (thought === undefined && name === '') return [];
  const times = asFields(finderIn(item)(['elapsedTime'])) ?? {};
  const [elapsed, model, action] = ['total', 'model', 'action'].map((each) => numberOf(times, [each]));
  const state = textOf(item, ['state']);
  const reported = {
    ...(state !== undefined && { state }),
    ...(model !== undefined && { model }),
    ...(action !== undefined && { action }),
  };
  const step: Step = {
    id: JSON.stringify([name, thought ?? '']),
    name,
    state: stateOf(state),
    ...(thought === undefined ? {} : { detail: thought }),
    ...(elapsed === undefined ? {} : { elapsedMs: elapsed }),
    ...(Object.keys(reported).length > 0 && { reported }),
  };
  return [step];
}

function stateOf(state: string | undefined): Step['state'] {
  if (state === undefined) return 'running';
  if (/fail|error/i.test(state)) return 'failed';
  return /running|underway|waiting|pending|process|start/i.test(state) ? 'running' : 'done';
}

function readMedia(item: unknown): RawMedia[] {
  const fields = asFields(item);
  const url = fields && textOf(fields, ['url']);
  if (fields === undefined || url === undefined) return [];
  return [
    {
      kind: textOf(fields, ['type'])?.toLowerCase() === 'image' ? 'image' : 'file',
      name: textOf(fields, ['name']),
      url,
    },
  ];
}

function readSuggestion(item: unknown): string[] {
  return typeof item === 'string' && item.trim() !== '' ? [item.trim().slice(0, MAX_SUGGESTION_CHARS)] : [];
}

/**
 * Returns the payload of a tool-result chunk: its result field; without one, its `data`; otherwise the whole chunk
 * (platform contract DEC-20).
 */
export function toolPayload(chunk: unknown): unknown {
  if (!isFields(chunk)) return chunk;
  const places = placesOf(chunk);
  return memberOf(places, ['tool_result', 'toolResult']) ?? places[0]?.data ?? chunk;
}
