/** Checks the blocks of one message or view together. */

import { isProcessed } from '../answers.ts';
import { child, list, text } from '../args.ts';
import type { Call } from '../call.ts';
import { refuse, refuseWith } from '../refusal.ts';
import type { Json } from '../shapes.ts';
import { allowedIn, blockId, kinds } from './block-kinds.ts';
import { type Faults, fault } from './faults.ts';
import { tablesIn } from './markdown-tables.ts';

/**
 * Maximum number of blocks: "up to 50 blocks in each message, and 100 in modals or Home tabs"
 * (https://docs.slack.dev/reference/block-kit/blocks).
 */
const MESSAGE_BLOCKS = 50;
export const VIEW_BLOCKS = 100;
/**
 * Maximum characters of all Markdown blocks of a payload:
 * https://docs.slack.dev/reference/block-kit/blocks/markdown-block
 */
const MARKDOWN_TOGETHER = 12_000;

export type Surface = 'message' | 'stream' | 'modal' | 'home';

export function checkBlocks(call: Call, blocks: readonly Json[], surface: Surface): void {
  const place = surface === 'stream' ? 'message' : surface;
  const most = place === 'message' ? MESSAGE_BLOCKS : VIEW_BLOCKS;
  if (blocks.length > most && surface === 'stream') refuse('msg_blocks_too_many');
  const wrong = [
    ...(blocks.length > most ? fault('/blocks', `no more than ${most} items allowed`) : []),
    ...blocks.flatMap((block, index) => one(block, `/blocks/${index}`, place)),
    ...blocks.flatMap((block, index) => unsupported(call, block, `/blocks/${index}`)),
    ...sameIds(blocks),
    ...blocks.flatMap((block, index) => ownImage(call, block, `/blocks/${index}`)),
  ];
  if (wrong.length > 0) refuseWith(place === 'message' ? 'invalid_blocks' : 'invalid_arguments', wrong);
  if (markdownIn(blocks).reduce((sum, each) => sum + each.length, 0) > MARKDOWN_TOGETHER)
    refuse('msg_blocks_too_long');
  if (place === 'message') checkTables(blocks);
}

function one(block: Json, at: string, surface: 'message' | 'modal' | 'home'): Faults {
  const type = String(block.type);
  const check = kinds[type];
  if (check === undefined || !allowedIn[surface].includes(type))
    return fault(`${at}/type`, `unsupported type: ${type}`);
  return [...blockId(block, at), ...check(block, at)];
}

/** Refuses the block and element types that the test declared unsupported. */
function unsupported({ workspace }: Call, block: Json, at: string): Faults {
  const types = [block, ...(list(block, 'elements') ?? [])].map(({ type }) => String(type));
  const found = types.find((type) => workspace.unsupported.has(type));
  return found === undefined ? [] : fault(at, `unsupported type: ${found}`);
}

function sameIds(blocks: readonly Json[]): Faults {
  const seen = new Set<string>();
  return blocks.flatMap((block, index) => {
    const id = text(block, 'block_id');
    if (id === undefined) return [];
    const again = seen.has(id);
    seen.add(id);
    return again ? fault(`/blocks/${index}/block_id`, `block_id "${id}" already exists`) : [];
  });
}

/**
 * A Slack file in an image block must be visible to the app and fully processed: slackapi/python-slack-sdk#1521,
 * slackapi/java-slack-sdk#1349.
 */
function ownImage({ workspace, world }: Call, block: Json, at: string): Faults {
  const file = child(block, 'slack_file');
  if (file === undefined) return [];
  const id = text(file, 'id') ?? /-(F[A-Z0-9]+)\//.exec(text(file, 'url') ?? '')?.[1];
  const known = id === undefined ? undefined : workspace.files.get(id);
  const processed = known !== undefined && isProcessed(known, world.clock.now());
  const shown = processed && !known.deleted && known.mimetype.startsWith('image/');
  return shown ? [] : fault(`${at}/slack_file`, 'invalid slack file');
}

const markdownIn = (blocks: readonly Json[]): readonly string[] =>
  blocks.flatMap((block) => (block.type === 'markdown' ? [text(block, 'text') ?? ''] : []));

/**
 * Allows one table per message, including tables in Markdown:
 * https://docs.slack.dev/reference/block-kit/blocks/table-block
 */
function checkTables(blocks: readonly Json[]): void {
  const native = blocks.filter(({ type }) => type === 'table').length;
  const written = markdownIn(blocks).reduce((sum, each) => sum + tablesIn(each), 0);
  if (native + written > 1) refuseWith('invalid_attachments', ['[ERROR] only_one_table_allowed']);
}

/**
 * Limits of a view: characters of its labels, metadata and ids, and bytes of the whole view.
 * https://docs.slack.dev/reference/views
 */
const VIEW = { label: 24, metadata: 3_000, id: 255, bytes: 250_000 };

export function checkView(call: Call, view: Json): void {
  const modal = view.type === 'modal';
  if (JSON.stringify(view).length > VIEW.bytes) refuse('view_too_large');
  const long = (value: string | undefined, at: string, most: number) =>
    value !== undefined && value.length > most ? fault(at, `must be less than ${most + 1} characters`) : [];
  const label = (field: string) => {
    const given = child(view, field);
    if (given === undefined) return [];
    const kind = given.type === 'plain_text' ? [] : fault(`/view/${field}/type`, 'must be plain_text');
    const size = text(given, 'text')?.length ?? 0;
    const empty = size === 0 ? fault(`/view/${field}/text`, 'must be more than 0 characters') : [];
    return [...kind, ...empty, ...long(text(given, 'text'), `/view/${field}/text`, VIEW.label)];
  };
  const blocks = list(view, 'blocks');
  const wrong = [
    ...(view.type === 'modal' || view.type === 'home' ? [] : fault('/view/type', 'unsupported type')),
    ...(modal && child(view, 'title') === undefined ? fault('/view', 'missing required field: title') : []),
    ...(blocks === undefined ? fault('/view', 'missing required field: blocks') : []),
    ...['title', 'submit', 'close'].flatMap(label),
    ...(modal && asksSomething(blocks ?? []) && child(view, 'submit') === undefined
      ? fault('/view', 'missing required field: submit')
      : []),
    ...long(text(view, 'private_metadata'), '/view/private_metadata', VIEW.metadata),
    ...long(text(view, 'callback_id'), '/view/callback_id', VIEW.id),
    ...long(text(view, 'external_id'), '/view/external_id', VIEW.id),
  ];
  if (wrong.length > 0) refuseWith('invalid_arguments', wrong);
  checkBlocks(call, blocks ?? [], modal ? 'modal' : 'home');
}

const asksSomething = (blocks: readonly Json[]) => blocks.some(({ type }) => type === 'input');
