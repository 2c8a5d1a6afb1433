import { asFields, asList, type Fields, isFields, numberOf, textOf } from './shapes.ts';

/** An error that the platform returned, in any of its formats (platform contract ERR-3, ERR-7). */
export interface Refusal {
  readonly code?: number;
  readonly text: string;
  /** True if the platform itself sent the error, in its own envelope; false if a proxy in front of it did. */
  readonly enveloped?: boolean;
}

/**
 * Returns the error in an envelope: `success` is false, `code` is outside 200 to 299, or `error` is set (platform
 * contract GEN-3, GEN-4, ERR-7). Returns undefined for a success and for a body without an envelope.
 */
export function refusalOf(body: unknown): Refusal | undefined {
  if (!isFields(body)) return undefined;
  const code = numberOf(body, ['code']);
  const failed =
    body.success === false ||
    body.success === 'false' ||
    (code !== undefined && (code < 200 || code > 299)) ||
    isError(body.error);
  if (!failed) return undefined;
  const text = errorText(body);
  return code === undefined ? { text } : { code, text };
}

function isError(error: unknown): boolean {
  return (typeof error === 'string' && error !== '') || isFields(error);
}

/**
 * Returns the first readable description in an error's body of any format; empty if there is none (platform contract
 * ERR-3).
 */
export function errorText(body: unknown): string {
  if (typeof body === 'string') return body.slice(0, 200);
  if (!isFields(body)) return '';
  const error = asFields(body.error);
  return (
    textOf(body, ['message', 'msg', 'error_description']) ??
    (error && textOf(error, ['message', 'msg'])) ??
    textOf(body, ['error', 'detail']) ??
    detailList(body.detail) ??
    titled(body) ??
    textOf(body, ['title', 'description']) ??
    ''
  );
}

function detailList(detail: unknown): string | undefined {
  const lines = (asList(detail) ?? []).filter(isFields).map((item) => {
    const place = (asList(item.loc) ?? []).join('.');
    const text = textOf(item, ['msg', 'message']) ?? '';
    return place === '' ? text : `${place}: ${text}`;
  });
  return lines.length === 0 ? undefined : lines.join('; ');
}

function titled(body: Fields): string | undefined {
  const title = textOf(body, ['title']);
  const errors = asFields(body.errors);
  if (title === undefined || errors === undefined) return undefined;
  const lines = Object.entries(errors).map(([name, texts]) => `${name}: ${listed(texts)}`);
  return [title, ...lines].join(' ');
}

function listed(texts: unknown): string {
  return (asList(texts) ?? [texts]).filter((text) => typeof text === 'string').join(' ');
}
