/** Checks the content that a call adds to a stream: Markdown or chunks, never both in one stream. */

import { list, text } from '../args.ts';
import type { Call } from '../call.ts';
import { checkBlocks } from '../checks/blocks.ts';
import { MARKDOWN_CHARACTERS } from '../checks/text.ts';
import { refuse, refuseWith } from '../refusal.ts';
import type { Json, Message, Stream } from '../shapes.ts';
import { streamLimits } from './life.ts';

/**
 * Maximum characters of each text of a task. https://docs.slack.dev/reference/methods/chat.appendStream,
 * "Using the chunks parameter".
 */
const TASK_TEXT = 256;
/** Maximum blocks in all `blocks` chunks of a stream. The `blocks` of chat.stopStream have a separate limit of 50. */
const CHUNK_BLOCKS = 50;
const STATUSES = new Set(['pending', 'in_progress', 'complete', 'error']);

export interface Addition {
  readonly markdown: string | undefined;
  readonly chunks: readonly Json[] | undefined;
}

export function additionOf(call: Call): Addition {
  const markdown = text(call.args, 'markdown_text');
  const chunks = list(call.args, 'chunks');
  if (markdown !== undefined && chunks !== undefined)
    refuseWith('invalid_arguments', ['[ERROR] markdown_text and chunks cannot be used together']);
  if (markdown !== undefined && [...markdown].length > MARKDOWN_CHARACTERS) refuse('msg_too_long');
  const wrong = (chunks ?? []).flatMap(chunkFaults);
  if (wrong.length > 0) refuseWith('invalid_chunks', wrong);
  for (const chunk of chunks ?? []) checkBlocks(call, list(chunk, 'blocks') ?? [], 'stream');
  return { markdown, chunks };
}

function chunkFaults(chunk: Json, index: number): readonly string[] {
  const at = (field: string, what: string) => `[ERROR] ${what} [json-pointer:/chunks/${index}/${field}]`;
  const long = (field: string) =>
    (text(chunk, field)?.length ?? 0) > TASK_TEXT
      ? [at(field, `must be less than ${TASK_TEXT + 1} characters`)]
      : [];
  if (chunk.type === 'markdown_text')
    return text(chunk, 'text') === undefined ? [at('text', 'missing required field: text')] : [];
  if (chunk.type === 'plan_update')
    return text(chunk, 'title') === undefined
      ? [at('title', 'missing required field: title')]
      : long('title');
  if (chunk.type === 'blocks')
    return list(chunk, 'blocks') === undefined ? [at('blocks', 'missing required field: blocks')] : [];
  if (chunk.type !== 'task_update') return [at('type', 'unsupported type')];
  return [
    ...['id', 'title']
      .filter((field) => text(chunk, field) === undefined)
      .map((field) => at(field, `missing required field: ${field}`)),
    ...(STATUSES.has(String(chunk.status)) ? [] : [at('status', 'invalid value')]),
    // Slack limits a task's id like its title: vercel/chat#886.
    ...['id', 'title', 'details', 'output'].flatMap(long),
    ...(list(chunk, 'sources') ?? []).flatMap((source, each) =>
      text(source, 'text') === undefined ? [at(`sources/${each}/text`, 'missing required field: text')] : [],
    ),
  ];
}

/**
 * A stream accepts only one kind of content, Markdown or chunks: the kind that it was opened with, or else the kind of
 * its first content (`streaming_mode_mismatch`: not documented, reported from the live service).
 */
export function checkMode(stream: Stream, { markdown, chunks }: Addition): void {
  const mode = markdown !== undefined ? 'text' : chunks !== undefined ? 'chunks' : undefined;
  if (mode === undefined) return;
  if (stream.mode !== undefined && stream.mode !== mode) refuse('streaming_mode_mismatch');
}

export function add(call: Call, message: Message, stream: Stream, addition: Addition): void {
  checkMode(stream, addition);
  const said = saidIn(addition);
  const bytes = stream.bytes + weightOf(said, addition);
  if (bytes > streamLimits(call.world).bytes) refuse('msg_too_long');
  checkCount(message, addition);
  stream.bytes = bytes;
  if (addition.markdown !== undefined) stream.mode = 'text';
  if (addition.chunks !== undefined) stream.mode = 'chunks';
  message.markdown = (message.markdown ?? '') + said;
  for (const chunk of addition.chunks ?? []) addChunk(message, chunk);
  stream.touchedAt = call.world.clock.now();
}

/**
 * Returns the bytes of UTF-8 that count towards a stream's limit: text and titles once, details and output twice
 * (probed in openclaw/openclaw#143882; vercel/chat#617 and paradigmxyz/centaur#563 report that structured parts count).
 * The fake also counts each update of a task, which is an assumption.
 */
function weightOf(said: string, { chunks = [] }: Addition): number {
  const bytes = (chunk: Json, field: string) => Buffer.byteLength(text(chunk, field) ?? '');
  return chunks.reduce((sum, chunk) => {
    const body = chunk.type === 'markdown_text' ? 0 : bytes(chunk, 'title');
    return sum + body + 2 * (bytes(chunk, 'details') + bytes(chunk, 'output'));
  }, Buffer.byteLength(said));
}

function checkCount({ blocks }: Message, { chunks = [] }: Addition): void {
  const more = chunks.reduce((sum, chunk) => sum + (list(chunk, 'blocks')?.length ?? 0), 0);
  if (blocks.length + more > CHUNK_BLOCKS) refuse('msg_blocks_too_many');
}

const saidIn = ({ markdown, chunks }: Addition): string =>
  markdown ??
  (chunks ?? []).map((chunk) => (chunk.type === 'markdown_text' ? text(chunk, 'text') : '')).join('');

function addChunk(message: Message, chunk: Json): void {
  if (chunk.type === 'plan_update') message.planTitle = text(chunk, 'title') ?? '';
  if (chunk.type === 'blocks') message.blocks = [...message.blocks, ...(list(chunk, 'blocks') ?? [])];
  if (chunk.type !== 'task_update') return;
  const known = message.tasks.findIndex((task) => task.id === chunk.id);
  if (known < 0) message.tasks.push(chunk);
  else message.tasks[known] = { ...message.tasks[known], ...chunk };
}
