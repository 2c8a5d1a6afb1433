/** Returns the blocks of a message as Slack stores them: the given ones, and those made from Markdown and chunks. */

import type { Json, Message } from '../shapes.ts';

export function blocksOf(message: Message): readonly Json[] {
  const { markdown, tasks, planTitle, blocks } = message;
  const said = markdown === undefined || markdown === '' ? [] : [{ type: 'markdown', text: markdown }];
  const cards = tasks.map((task) => ({ ...task, type: 'task_card', task_id: task.id }));
  const plan =
    planTitle === undefined && message.stream?.display !== 'plan'
      ? cards
      : [{ type: 'plan', title: planTitle ?? '', tasks: cards }];
  const steps = cards.length === 0 && planTitle === undefined ? [] : plan;
  return [...steps, ...said, ...blocks];
}
