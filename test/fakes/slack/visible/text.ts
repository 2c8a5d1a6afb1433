/** Returns the visible content of a message as lines: that of its blocks, or its text if it has no blocks. */

import { isJson } from '../args.ts';
import type { Json, Message } from '../shapes.ts';
import { blocksOf } from './blocks-of.ts';

export function visibleText(message: Message): string {
  if (message.deletedAt !== undefined) return '';
  const blocks = blocksOf(message);
  const shown = blocks.map(ofBlock).filter((text) => text !== '');
  const attached = message.attachments.map((each) => list(each.blocks).map(ofBlock).join('\n'));
  const own = blocks.length > 0 ? shown : [message.text];
  return [...own, ...attached].filter((text) => text !== '').join('\n');
}

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isJson) : []);
const textOf = (value: unknown): string =>
  isJson(value) && typeof value.text === 'string' ? value.text : '';
const join = (parts: readonly string[], by = '\n'): string => parts.filter((part) => part !== '').join(by);

function ofBlock(block: Json): string {
  switch (block.type) {
    case 'markdown':
      return String(block.text ?? '');
    case 'header':
      return textOf(block.text);
    case 'section':
      return join([textOf(block.text), ...list(block.fields).map(textOf), ofElement(block.accessory)]);
    case 'context':
      return join(list(block.elements).map(ofElement), ' ');
    case 'actions':
    case 'context_actions':
      return join(list(block.elements).map(ofElement), ' ');
    case 'image':
      return `[image: ${String(block.alt_text ?? '')}]`;
    case 'input':
      return textOf(block.label);
    case 'table':
      return tableText(block);
    case 'task_card':
      return taskText(block);
    case 'plan':
      return join([String(block.title ?? ''), ...list(block.tasks).map(taskText)]);
    case 'divider':
      return '';
    default:
      return richText(block);
  }
}

function ofElement(value: unknown): string {
  if (!isJson(value)) return '';
  if (value.type === 'image') return `[image: ${String(value.alt_text ?? '')}]`;
  if (value.type === 'mrkdwn' || value.type === 'plain_text') return String(value.text);
  if (value.type === 'feedback_buttons')
    return `[${textOf((value.positive_button as Json | undefined)?.text)}] [${textOf((value.negative_button as Json | undefined)?.text)}]`;
  if (value.type === 'overflow') return '[⋯]';
  const label = textOf(value.text) || textOf(value.placeholder);
  return label === '' ? '' : `[${label}]`;
}

function tableText(block: Json): string {
  const rows = Array.isArray(block.rows) ? block.rows : [];
  return rows
    .map((row: unknown) =>
      list(row)
        .map((cell) => (cell.type === 'rich_text' ? richText(cell) : String(cell.text ?? '')))
        .join(' | '),
    )
    .join('\n');
}

const taskText = (task: Json): string =>
  join([`(${String(task.status)}) ${String(task.title)}`, partText(task.details), partText(task.output)]);

/** Returns the visible text of a stream's chunk or of a block. */
const partText = (value: unknown): string =>
  typeof value === 'string' ? value : isJson(value) ? richText(value) : '';

export function richText(block: Json): string {
  return list(block.elements)
    .map((part) =>
      part.type === 'rich_text_list'
        ? list(part.elements)
            .map((item) => `• ${leaves(item)}`)
            .join('\n')
        : leaves(part),
    )
    .join('\n');
}

const leaves = (part: Json): string => list(part.elements).map(leaf).join('');

function leaf(each: Json): string {
  if (each.type === 'text') return String(each.text ?? '');
  if (each.type === 'link') return String(each.text ?? each.url ?? '');
  if (each.type === 'user') return `@${String(each.user_id)}`;
  if (each.type === 'channel') return `#${String(each.channel_id)}`;
  if (each.type === 'broadcast') return `@${String(each.range)}`;
  return each.type === 'emoji' ? `:${String(each.name)}:` : '';
}
