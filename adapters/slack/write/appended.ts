/** What an append brings: the text and the tasks that a stream does not show yet. */

import type { AnyChunk } from '@slack/types';
import { isFinal, type ReplyDocument, type Step } from '../../../src/kit.ts';
import { type Begin, closing, type Emission, emit, headOut } from '../render/emit.ts';
import { taskChunk } from '../render/steps.ts';
import type { Emitted } from './screen.ts';

export interface Addition {
  readonly chunks: AnyChunk[];
  readonly emitted: Emitted;
}

export function begun(document: ReplyDocument, begin: Begin): Emitted {
  const { at, fresh, fence } = begin;
  const state: Emission = { at, fresh, ...(fence && { fence }) };
  return { state, chars: headOut(document.text, begin).length, tasks: {} };
}

/** @param to where the stream ends, for another message to go on */
export function addition(document: ReplyDocument, { state, chars, tasks }: Emitted, to?: number): Addition {
  const text = to === undefined ? document.text : document.text.slice(0, to);
  const more = emit(text, state, { ended: to !== undefined || isFinal(document) });
  const steps = document.steps.filter((step) => tasks[step.id] !== step.state);
  return {
    chunks: [...steps.map((step) => taskChunk(step, tasks[step.id] === undefined)), ...textChunks(more.out)],
    emitted: { state: more.state, chars: chars + more.out.length, tasks: { ...tasks, ...statesOf(steps) } },
  };
}

const statesOf = (steps: readonly Step[]): Record<string, string> =>
  Object.fromEntries(steps.map(({ id, state }) => [id, state]));

export function textChunks(text: string): AnyChunk[] {
  return text === '' ? [] : [{ type: 'markdown_text', text }];
}

/** What the stream's text ends with, so that nothing stays open in it. */
export const ending = ({ state }: Emitted): AnyChunk[] => textChunks(closing(state));
