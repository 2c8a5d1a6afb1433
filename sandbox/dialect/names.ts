/**
 * Every way of answering that the tolerant decoding rules name (platform contract DEC-1 to DEC-20, ERR-3, ERR-7).
 * `plain` is the sandbox's own way; the comment behind a name says what it exercises.
 */
export const DIALECTS = {
  stream: [
    'plain',
    'json', // DEC-1: one JSON answer although a stream was asked for
    'ndjson', // DEC-1: application/x-ndjson
    'ndjson-text', // DEC-1: line-delimited JSON as text/plain
    'untyped', // DEC-1: events without a content type
    'raw-text', // DEC-1: the text itself as text/plain
    'bom', // DEC-1: a byte-order mark first
    'crlf', // DEC-2
    'cr', // DEC-2
    'no-space', // DEC-2: data: without the space
    'split-bytes', // DEC-2: one byte a write
    'no-last-blank', // DEC-3: no blank line after the last event
    'bare-end', // DEC-4: an end event without data
    'joined', // DEC-5: data lines without blank lines between them
    'balanced', // DEC-5: two objects in one data line
    'raw-data', // DEC-10: the text itself as data
    'raw-lines', // DEC-5a: the same with unescaped line feeds
    'heartbeats', // DEC-6
    'done-marker', // DEC-7: [DONE] as the last data
    'done-word', // DEC-7: DONE as the last data
    'numbers', // DEC-7: bare numbers between the chunks
    'kind-event', // DEC-8: the kind as a JSON member
    'kind-type',
    'kind-kind',
    'kind-category',
    'kind-inferred',
    'aliases',
    'unknown-kinds', // DEC-9: unknown kinds between known ones
    'only-unknown', // DEC-9: no known kind at all
  ],
  text: [
    'plain',
    'delta',
    'text',
    'output',
    'answer',
    'token',
    'chunk',
    'result',
    'message',
    'full_output', // DEC-10, snapshots by DEC-11
    'in-data',
    'in-data-string',
    'in-data-data',
    'choices-delta',
    'choices-message',
    'parts',
    'json-string',
    'snapshot', // DEC-11
    'rewritten', // DEC-11: citations appear in earlier text at the end
  ],
  end: [
    'plain',
    'other-name', // DEC-12: the final text under `answer`
    'tail', // DEC-12: more words that no chunk had, under `content`
    'no-text', // DEC-12
    'none', // DEC-14: no end marker
    'done-true', // DEC-8
    'finish-reason', // DEC-8
    'other-ids', // DEC-15: ids as conversationId, session_id, chat_record_id
    'data-string', // DEC-16: non-streaming `data` is the text
    'data-null', // DEC-16
  ],
  error: [
    'plain',
    'message',
    'msg',
    'error_description',
    'error-object',
    'error',
    'detail',
    'detail-list',
    'title',
    'description',
    'text',
    'html',
    'event-error', // ERR-7
    'event-fail',
    'chunk-success',
    'chunk-code',
    'chunk-error',
  ],
  media: [
    'plain',
    'link-string', // DEC-17
    'link-strings',
    'link-link',
    'link-temporary-url',
    'link-path',
    'link-keyed',
    'link-urls',
    'link-links',
    'link-list',
    'link-top',
    'link-relative',
    'link-unknown',
    'detail-list', // DEC-18
    'detail-top',
    'detail-other-names',
    'detail-text-type',
    'detail-no-type',
    'preview-string', // DEC-19
    'preview-camel',
    'preview-snake',
    'preview-href',
    'preview-content',
    'preview-bytes',
    'preview-redirect',
    'preview-unknown',
    'tool-results', // DEC-20
    'tool-references',
    'tool-documents',
    'tool-list',
    'tool-data',
    'tool-string',
    'tool-text',
    'tool-other-names',
  ],
} as const;

export type StreamDialect = (typeof DIALECTS)['stream'][number];
export type TextDialect = (typeof DIALECTS)['text'][number];
export type ErrorDialect = (typeof DIALECTS)['error'][number];
export type MediaDialect = (typeof DIALECTS)['media'][number];

export interface Dialect {
  stream: StreamDialect;
  text: TextDialect;
  end: (typeof DIALECTS)['end'][number];
  error: ErrorDialect;
  media: MediaDialect;
}

export const plainDialect: Dialect = {
  stream: 'plain',
  text: 'plain',
  end: 'plain',
  error: 'plain',
  media: 'plain',
};
