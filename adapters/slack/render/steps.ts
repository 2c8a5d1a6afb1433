/** Shows the agent's thoughts and tool calls: as tasks in a stream, otherwise on one line. */

import type { ContextBlock, TaskUpdateChunk } from '@slack/types';
import { hashOf, type Step, stepSigns } from '../../../src/kit/ladder.ts';
import { label, unmarked } from './escape.ts';

/** Maximum characters of a task's title and of its details. Slack accepts 256. */
const TITLE_CHARS = 200;
const DETAIL_CHARS = 250;
/** Maximum characters of the line of steps, and of one step in it. */
const LINE_CHARS = 300;
const NAME_CHARS = 60;

const statuses = { running: 'in_progress', done: 'complete', failed: 'error' } as const;

export type SentTask = TaskUpdateChunk & { readonly title: string };

/**
 * Returns a step as a task of a stream. Sends `details` only with a new task, because Slack appends later details to
 * the earlier ones.
 */
export function taskChunk(step: Step, isNew: boolean): SentTask {
  const details =
    isNew && step.detail !== undefined ? { details: label(unmarked(step.detail), DETAIL_CHARS, '…') } : {};
  return {
    type: 'task_update',
    // Hash the step's id, because it may be long and Slack's ids are short.
    id: hashOf(step.id).toString(36),
    title: label(unmarked(step.name), TITLE_CHARS, '…'),
    status: statuses[step.state],
    ...details,
  };
}

/** Returns the steps on one line. If they do not fit, shows only the newest. */
export function stepsLine(steps: readonly Step[]): ContextBlock[] {
  const all = steps.map(
    (step) => `${stepSigns[step.state]} ${label(step.name, NAME_CHARS, '…')}${took(step)}`,
  );
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

/** Returns a line of small grey text, in which mentions and links have no effect. */
export function contextOf(text: string): ContextBlock {
  return { type: 'context', elements: [{ type: 'plain_text', text, emoji: false }] };
}
