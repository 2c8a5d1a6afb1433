import { z } from 'zod';
import { DELETION_DIALECTS, ERROR_DIALECTS, REFUSAL_DIALECTS } from './error.ts';
import { MEDIA_DIALECTS } from './media.ts';
import { STREAM_DIALECTS } from './stream.ts';
import { TEXT_DIALECTS } from './text.ts';

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
];

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
  refusal: REFUSAL_DIALECTS,
  deletion: DELETION_DIALECTS,
};

const oneOf = (names: readonly string[]) => z.enum(names, `one of ${names.join(', ')}`).default('plain');

export const dialects = z.strictObject(
  {
    stream: oneOf(DIALECTS.stream),
    text: oneOf(DIALECTS.text),
    end: oneOf(DIALECTS.end),
    error: oneOf(DIALECTS.error),
    media: oneOf(DIALECTS.media),
    refusal: oneOf(DIALECTS.refusal),
    deletion: oneOf(DIALECTS.deletion),
  },
  'an object',
);

export type Dialect = z.output<typeof dialects>;

export const plainDialect = dialects.parse({});
