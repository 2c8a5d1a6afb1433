/** Checks a rich_text block: https://docs.slack.dev/reference/block-kit/blocks/rich-text-block */

import type { Json } from '../shapes.ts';
import { each, type Faults, fault, items, needed, oneOf } from './faults.ts';

const CONTAINERS = ['rich_text_section', 'rich_text_list', 'rich_text_quote', 'rich_text_preformatted'];
const LEAVES: Readonly<Record<string, string>> = {
  text: 'text',
  link: 'url',
  user: 'user_id',
  usergroup: 'usergroup_id',
  channel: 'channel_id',
  emoji: 'name',
  broadcast: 'range',
  color: 'value',
  date: 'format',
  team: 'team_id',
};
const LONGEST = 40_000;

export function richText(block: Json, at: string): Faults {
  return [
    ...items(block.elements, `${at}/elements`, { min: 0, max: 1_000 }),
    ...each(block.elements, `${at}/elements`, container),
  ];
}

function container(value: Json, at: string): Faults {
  if (!CONTAINERS.includes(String(value.type))) return fault(`${at}/type`, 'unsupported type');
  if (value.type !== 'rich_text_list') return each(value.elements, `${at}/elements`, leaf);
  return [
    ...oneOf(value.style ?? '', `${at}/style`, ['bullet', 'ordered']),
    ...each(value.elements, `${at}/elements`, container),
  ];
}

function leaf(value: Json, at: string): Faults {
  const field = LEAVES[String(value.type)];
  if (field === undefined) return fault(`${at}/type`, 'unsupported type');
  // Slack refuses an empty text element: "must be more than 0 characters".
  return needed(value, field, at, { min: 1, max: LONGEST });
}
