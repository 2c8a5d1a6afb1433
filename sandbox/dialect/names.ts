import { ERROR_DIALECTS, type ErrorDialect } from './error.ts';
import { MEDIA_DIALECTS, type MediaDialect } from './media.ts';
import { DELETIONS, type Deletion, REFUSALS, type RefusalForm } from './refusal.ts';
import { STREAM_DIALECTS, type StreamDialect } from './stream.ts';
import { TEXT_DIALECTS, type TextDialect } from './text.ts';

/**
 * Dialects of the end of an answer. The comment on each line names the rule that the dialect tests, and describes what
 * the dialect sends.
 */
const END_DIALECTS = [
  'plain',
  'other-name', // DEC-12: the final text under `answer`
  'tail', // DEC-12: additional text that was in no chunk, under `content`
  'no-text', // DEC-12: an end event without text
  'none', // DEC-14: no end marker
  'done-true', // DEC-8: the end marked by `done: true`
  'finish-reason', // DEC-8: the end marked by `finish_reason`
  'other-ids', // DEC-15: ids as conversationId, session_id, chat_record_id
  'data-string', // DEC-16: without a stream, `data` is the text
  'data-null', // DEC-16: without a stream, `data` is null
] as const;

/**
 * All dialects, with which the rules for tolerant decoding are tested (platform contract DEC-1 to DEC-20, ERR-3,
 * ERR-7). `plain` is the sandbox's default.
 */
export const DIALECTS = {
  stream: STREAM_DIALECTS,
  text: TEXT_DIALECTS,
  end: END_DIALECTS,
  error: ERROR_DIALECTS,
  media: MEDIA_DIALECTS,
  refusal: REFUSALS,
  deletion: DELETIONS,
};

export interface Dialect {
  stream: StreamDialect;
  text: TextDialect;
  end: (typeof END_DIALECTS)[number];
  error: ErrorDialect;
  media: MediaDialect;
  refusal: RefusalForm;
  deletion: Deletion;
}

export const plainDialect: Dialect = {
  stream: 'plain',
  text: 'plain',
  end: 'plain',
  error: 'plain',
  media: 'plain',
  refusal: 'plain',
  deletion: 'plain',
};
