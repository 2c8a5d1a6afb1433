/** What a body turns out to be (platform contract DEC-1). */
export type Nature = 'events' | 'objects' | 'text' | 'page';

const FIELDS = ['data:', 'event:', 'id:', 'retry:', ':'];
const PAGES = ['<!doctype', '<html'];

/**
 * Decides by the first characters that are not blank; `undefined` while they could still become something else.
 * @param ended nothing follows
 */
export function sniff(text: string, ended: boolean): Nature | undefined {
  const head = text.trimStart().slice(0, 16).toLowerCase();
  if (head.startsWith('{') || head.startsWith('[')) return 'objects';
  if (FIELDS.some((field) => head.startsWith(field))) return 'events';
  if (PAGES.some((page) => head.startsWith(page))) return 'page';
  const open = [...FIELDS, ...PAGES].some((word) => word.startsWith(head));
  return open && !ended ? undefined : 'text';
}

/** A field that the standard does not know, or one without a value. */
const FIELD_LINE = /^\s*(?:(?:data|event|id|retry)[\r\n]|[A-Za-z][\w-]{0,40}:)/;
const MAY_BECOME_FIELD = /^\s*(?:[A-Za-z][\w-]{0,40})?$/;

/** The same for a body that calls itself an event stream: any field begins one (platform contract DEC-1). */
export function sniffEvents(text: string, ended: boolean): Nature | undefined {
  const nature = sniff(text, ended);
  if (nature !== 'text') return nature;
  if (FIELD_LINE.test(text)) return 'events';
  return MAY_BECOME_FIELD.test(text) && !ended ? undefined : 'text';
}

/** What the content type promises; `undefined` leaves it to sniffing, as does an event stream that begins otherwise. */
export function promised(contentType: string | undefined): 'json' | 'page' | 'events' | undefined {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'text/event-stream') return 'events';
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'page';
  return type === 'application/json' || /^application\/(?!x-ndjson).*\+json$/.test(type) ? 'json' : undefined;
}
