import type { Question } from '../../core/agents/agent.ts';
import type { KeyMessage } from '../operations/chat.ts';
import type { AgentOptions } from './agent-context.ts';
import { questionText } from './quotes.ts';

/** A plain string when there is text only; else the text first, then the images (platform contract CHL-7). */
export function liteContent(question: Question): KeyMessage['content'] {
  const text = questionText(question);
  if (question.images.length === 0) return text;
  return [
    { type: 'text', text },
    { type: 'image_ids', image_ids: [...question.images] },
  ];
}

/** The members that both lite chats share. */
export function liteOptions(
  { showToolResult = true, skipHint = false, fileIds, workspaceIds }: AgentOptions,
  question: Question,
) {
  return {
    stream: true,
    showToolResult,
    skipHint: skipHint || question.skipHint === true,
    fileIds: fileIds && [...fileIds],
    workspaceIds: workspaceIds && [...workspaceIds],
  };
}
