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

/** What the content type promises; `undefined` leaves it to sniffing, as does an event stream that begins otherwise. */
export function promised(contentType: string | undefined): 'json' | 'page' | 'events' | undefined {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'text/event-stream') return 'events';
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'page';
  return type === 'application/json' || /^application\/(?!x-ndjson).*\+json$/.test(type) ? 'json' : undefined;
}
