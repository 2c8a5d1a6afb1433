/** The content of an append: the text and tasks that the stream does not show yet. */

import type { AnyChunk } from '@slack/types';
import type { Begin, Step, StreamState } from '../../../src/kit/ladder.ts';
import { isFinal, type ReplyDocument } from '../../../src/kit.ts';
import { slackMarkdown } from '../render/emit.ts';
import { type SentTask, taskChunk } from '../render/steps.ts';
import { STREAM_BYTES } from './extent.ts';
import type { Emitted } from './screen.ts';

/** Maximum bytes of tasks in one stream. Steps that no longer fit are shown on one line under the answer. */
const TASKS_BYTES = 4_000;
/** Bytes of a task without its texts: the id, the state and the JSON around them. */
const CARD_BYTES = 60;

export function begun(document: ReplyDocument, begin: Begin): Emitted {
  const { at, fresh, fence } = begin;
  const state: StreamState = { at, fresh, ...(fence && { fence }) };
  const head = slackMarkdown.headOut(document.text, begin);
  return { state, chars: head.length, bytes: Buffer.byteLength(head), taskBytes: 0, tasks: {} };
}

/**
 * Returns the chunks to append, and the stream's progress after them.
 * @param to position in the text at which the stream must end and the next message begins; absent if the stream goes on
 */
export function addition(document: ReplyDocument, emitted: Emitted, to?: number) {
  const text = to === undefined ? document.text : document.text.slice(0, to);
  const { out, state } = slackMarkdown.emit(text, emitted.state, {
    ended: to !== undefined || isFinal(document),
  });
  const { chunks, taskBytes, tasks } = newTasks(document, emitted);
  return {
    chunks: [...chunks, ...textChunks(out)],
    emitted: {
      state,
      chars: emitted.chars + out.length,
      bytes: emitted.bytes + Buffer.byteLength(out) + taskBytes,
      taskBytes: emitted.taskBytes + taskBytes,
      tasks,
    },
  };
}

/**
 * Returns the tasks that are new or have changed, as many as fit into the stream, with the bytes that they add to it, and
 * the state of every task that the stream then shows.
 */
export function newTasks({ steps }: ReplyDocument, emitted: Emitted) {
  if (steps.every(({ id, state }) => emitted.tasks[id] === state))
    return { chunks: [], taskBytes: 0, tasks: emitted.tasks };
  const chunks: SentTask[] = [];
  const tasks = { ...emitted.tasks };
  let taskBytes = 0;
  for (const step of steps) {
    if (tasks[step.id] === step.state) continue;
    const isNew = tasks[step.id] === undefined;
    const chunk = taskChunk(step, isNew);
    const bytes = isNew ? bytesOf(chunk, step) : 0;
    const isOver =
      emitted.taskBytes + taskBytes + bytes > TASKS_BYTES || emitted.bytes + taskBytes + bytes > STREAM_BYTES;
    if (bytes > 0 && isOver) break;
    chunks.push(chunk);
    tasks[step.id] = step.state;
    taskBytes += bytes;
  }
  return { chunks, taskBytes, tasks };
}

/**
 * Returns the bytes that a task adds to the stream. The title of a running task counts twice, because the task is sent
 * again when it ends. The details are sent once, but Slack counts them twice.
 */
function bytesOf({ title, details = '' }: SentTask, { state }: Step): number {
  const once = CARD_BYTES + Buffer.byteLength(title);
  return (state === 'running' ? 2 : 1) * once + 2 * Buffer.byteLength(details);
}

export function textChunks(text: string): AnyChunk[] {
  return text === '' ? [] : [{ type: 'markdown_text', text }];
}

/**
 * Returns the chunks that end a stream: they close Markdown that is still open, such as a code fence, and tasks that still
 * run, because Slack would show these as failed (seen in paradigmxyz/centaur#467). The next message shows them running.
 */
export function ending({ steps }: ReplyDocument, { state, tasks }: Emitted): AnyChunk[] {
  const running = steps.filter(({ id }) => tasks[id] === 'running');
  const closed = running.map((step) => taskChunk({ ...step, state: 'done' }, false));
  return [...closed, ...textChunks(slackMarkdown.closing(state))];
}
