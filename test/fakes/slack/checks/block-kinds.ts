/**
 * Checks each kind of block. Limits: https://docs.slack.dev/reference/block-kit/blocks, as documented for each field in
 * @slack/types 3.2 (block-kit/blocks.d.ts).
 */

import { isJson } from '../args.ts';
import type { Json } from '../shapes.ts';
import { element, elementsOf, image } from './elements.ts';
import {
  each,
  type Faults,
  fault,
  items,
  length,
  missing,
  needed,
  oneOf,
  optionalText,
  textObject,
} from './faults.ts';
import { richText } from './rich-text.ts';

const SECTION_TEXT = 3_000;
const FIELDS = { count: 10, text: 2_000 };
const HEADER = 150;
const CONTEXT_ELEMENTS = 10;
const CONTEXT_TEXT = 3_000;
const ACTIONS = 25;
const CONTEXT_ACTIONS = 5;
const LABEL = 2_000;
const MARKDOWN = 12_000;
const TABLE = { rows: 100, columns: 20 };
/** Maximum number of tasks in a plan block: https://docs.slack.dev/reference/block-kit/blocks/plan-block */
const TASKS = 50;

type Check = (block: Json, at: string) => Faults;

const section: Check = (block, at) => {
  if (block.text === undefined && block.fields === undefined) return missing(at, 'text');
  const { accessory } = block;
  return [
    ...optionalText(block.text, `${at}/text`, { max: SECTION_TEXT }),
    ...(block.fields === undefined ? [] : items(block.fields, `${at}/fields`, { max: FIELDS.count })),
    ...each(block.fields, `${at}/fields`, (field, where) => textObject(field, where, { max: FIELDS.text })),
    ...(isJson(accessory) && accessory.type !== 'image'
      ? element(accessory, `${at}/accessory`, elementsOf.section)
      : isJson(accessory)
        ? image(accessory, `${at}/accessory`)
        : []),
  ];
};

const context: Check = (block, at) => [
  ...items(block.elements, `${at}/elements`, { max: CONTEXT_ELEMENTS }),
  ...each(block.elements, `${at}/elements`, (each, where) =>
    each.type === 'image' ? image(each, where) : textObject(each, where, { max: CONTEXT_TEXT }),
  ),
];

const holding =
  (kind: 'actions' | 'context_actions', most: number): Check =>
  (block, at) => [
    ...items(block.elements, `${at}/elements`, { max: most }),
    ...each(block.elements, `${at}/elements`, (each, where) => element(each, where, elementsOf[kind])),
    ...twice(block.elements, `${at}/elements`),
  ];

/**
 * Refuses a repeated action_id: "Each action_id should be unique among all other action_ids in the containing block."
 */
function twice(elements: unknown, at: string): Faults {
  const seen = new Set<unknown>();
  return each(elements, at, ({ action_id: id }, where) => {
    const again = id !== undefined && seen.has(id);
    seen.add(id);
    return again ? fault(where, `action_id "${String(id)}" already exists`) : [];
  });
}

const input: Check = (block, at) => [
  ...textObject(block.label, `${at}/label`, { max: LABEL, plain: true }),
  ...optionalText(block.hint, `${at}/hint`, { max: LABEL, plain: true }),
  ...(isJson(block.element)
    ? element(block.element, `${at}/element`, elementsOf.input)
    : missing(at, 'element')),
];

const table: Check = (block, at) => [
  ...items(block.rows, `${at}/rows`, { max: TABLE.rows }),
  ...(Array.isArray(block.rows)
    ? block.rows.flatMap((row: unknown, index) => tableRow(row, `${at}/rows/${index}`))
    : []),
  ...(block.column_settings === undefined
    ? []
    : items(block.column_settings, `${at}/column_settings`, { min: 0, max: TABLE.columns })),
];

const tableRow = (row: unknown, at: string): Faults => [
  ...items(row, at, { max: TABLE.columns }),
  ...each(row, at, (cell, where) => {
    if (cell.type === 'rich_text') return richText(cell, where);
    return [
      ...oneOf(cell.type ?? '', `${where}/type`, ['raw_text', 'raw_number']),
      ...needed(cell, 'text', where, { min: 1, max: SECTION_TEXT }),
    ];
  }),
];

const taskCard: Check = (block, at) => [
  ...needed(block, 'task_id', at, { min: 1, max: 255 }),
  ...needed(block, 'title', at, { min: 1, max: SECTION_TEXT }),
  ...oneOf(block.status ?? '', `${at}/status`, ['pending', 'in_progress', 'complete', 'error']),
  ...['details', 'output'].flatMap((field) => {
    const value = block[field];
    return isJson(value) ? richText(value, `${at}/${field}`) : [];
  }),
  ...each(block.sources, `${at}/sources`, (source, where) => [
    ...needed(source, 'url', where, { min: 1, max: SECTION_TEXT }),
    ...needed(source, 'text', where, { min: 1, max: SECTION_TEXT }),
  ]),
];

const plan: Check = (block, at) => [
  ...needed(block, 'title', at, { min: 1, max: SECTION_TEXT }),
  ...(block.tasks === undefined ? [] : items(block.tasks, `${at}/tasks`, { min: 0, max: TASKS })),
  ...each(block.tasks, `${at}/tasks`, taskCard),
];

const imageBlock: Check = (block, at) => [
  ...image(block, at),
  ...optionalText(block.title, `${at}/title`, { max: LABEL, plain: true }),
];

export const kinds: Readonly<Record<string, Check>> = {
  actions: holding('actions', ACTIONS),
  context,
  context_actions: holding('context_actions', CONTEXT_ACTIONS),
  divider: () => [],
  header: (block, at) => textObject(block.text, `${at}/text`, { max: HEADER, plain: true }),
  image: imageBlock,
  input,
  markdown: (block, at) => needed(block, 'text', at, { min: 1, max: MARKDOWN }),
  plan,
  rich_text: richText,
  section,
  table,
  task_card: taskCard,
};

/**
 * The kinds of blocks that each surface accepts, from "Available in surfaces" on each block's page of the
 * documentation.
 */
const inViews = ['actions', 'context', 'divider', 'header', 'image', 'input', 'rich_text', 'section'];
export const allowedIn: Readonly<Record<'message' | 'modal' | 'home', readonly string[]>> = {
  message: Object.keys(kinds),
  modal: inViews,
  home: inViews,
};

export const blockId = (block: Json, at: string): Faults =>
  length(block.block_id, `${at}/block_id`, { max: 255 });
