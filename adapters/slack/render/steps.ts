/** The agent's thoughts and tools: as tasks of a stream, or as one line elsewhere. */

import type { ContextBlock, TaskUpdateChunk } from '@slack/types';
import type { Step } from '../../../src/kit.ts';
import { hashOf } from '../../../src/kit.ts';
import { label, unmarked } from './escape.ts';

/** Maximum characters of a task's texts; Slack accepts 256. */
const TITLE_CHARS = 200;
const DETAIL_CHARS = 250;
/** Maximum characters of the whole line, and of one step in it. */
const LINE_CHARS = 300;
const NAME_CHARS = 60;

const statuses = { running: 'in_progress', done: 'complete', failed: 'error' } as const;
const signs = { running: '◌', done: '✓', failed: '✗' } as const;

export type SentTask = TaskUpdateChunk & { readonly title: string };

/** Returns a task of a stream. `details` are sent only once, because Slack appends them to the earlier details. */
export function taskChunk(step: Step, isNew: boolean): SentTask {
  const details =
    isNew && step.detail !== undefined ? { details: label(unmarked(step.detail), DETAIL_CHARS, '…') } : {};
  return {
    type: 'task_update',
    // Ids of steps may have any length; Slack's ids are short.
    id: hashOf(step.id).toString(36),
    title: label(unmarked(step.name), TITLE_CHARS, '…'),
    status: statuses[step.state],
    ...details,
  };
}

/** Returns the steps on one line; only the newest if there are too many. */
export function stepsLine(steps: readonly Step[]): ContextBlock[] {
  const all = steps.map((step) => `${signs[step.state]} ${label(step.name, NAME_CHARS, '…')}${took(step)}`);
  let line = '';
  for (const one of all.toReversed()) {
    const longer = line === '' ? one : `${one}  ${line}`;
    if (longer.length > LINE_CHARS) {
      line = `…  ${line}`;
      break;
    }
    line = longer;
  }
  return line === '' ? [] : [contextOf(line)];
}

function took({ elapsedMs }: Step): string {
  return elapsedMs === undefined || elapsedMs < 100 ? '' : ` ${(elapsedMs / 1_000).toFixed(1)} s`;
}

/** Returns a small grey line of plain text, without active mentions or links. */
export function contextOf(text: string): ContextBlock {
  return { type: 'context', elements: [{ type: 'plain_text', text, emoji: false }] };
}
