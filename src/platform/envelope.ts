import {
  asFields,
  asFlag,
  asList,
  type Fields,
  finderIn,
  isFields,
  numberOf,
  one,
  textOf,
} from './shapes.ts';

/** An error that the platform returned, in any of its formats (platform contract ERR-3, ERR-7). */
export interface Refusal {
  readonly code?: number;
  readonly text: string;
  /** True if the platform itself sent the error, in its own envelope; false if a proxy in front of it did. */
  readonly enveloped?: boolean;
}

/** Names under which servers report success, in lower case. */
const FLAGS: ReadonlySet<string> = new Set(['success', 'issuccess', 'is_success', 'succeeded', 'ok']);
/** Fields that may contain another envelope. Other fields, such as a tool's result, may contain anything. */
const INNER = ['data', 'result', 'response'];
const MAX_DEPTH = 3;

/**
 * Returns the error in an envelope: it reports anything but success, `code` is outside 200 to 299 and no success is
 * reported, `error` is set, or it describes a problem (RFC 9457). Names are matched in any letter case, and the
 * envelope may be the element of a list or inside another one (platform contract GEN-3, GEN-4, GEN-14, ERR-7). Returns
 * undefined for a success and for a body without an envelope.
 */
export function refusalOf(body: unknown): Refusal | undefined {
  return refusalIn(isFields(body) ? body : envelopeIn(body)) ?? innerRefusal(one(body), 1);
}

function innerRefusal(fields: Fields | undefined, depth: number): Refusal | undefined {
  if (fields === undefined || depth > MAX_DEPTH) return undefined;
  const find = finderIn(fields);
  for (const name of INNER) {
    const inner = find([name]);
    const refusal = refusalIn(envelopeIn(inner)) ?? innerRefusal(one(inner), depth + 1);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function refusalIn(fields: Fields | undefined): Refusal | undefined {
  if (fields === undefined) return undefined;
  const success = successOf(fields);
  const code = numberOf(fields, ['code']);
  const problem = problemStatus(fields);
  const failed =
    success === false ||
    (success === undefined && code !== undefined && (code < 200 || code > 299)) ||
    isError(finderIn(fields)(['error'])) ||
    problem !== undefined;
  if (!failed) return undefined;
  const status = success === true ? problem : (code ?? problem);
  const text = errorText(fields);
  return status === undefined ? { text } : { code: status, text };
}

/** Returns what the envelope reports: true, "true" and 1 are a success, and every other value is none (GEN-4). */
export function successOf(body: unknown): boolean | undefined {
  const fields = one(body);
  const name = fields && Object.keys(fields).find((each) => FLAGS.has(each.toLowerCase()));
  return name === undefined ? undefined : asFlag(fields?.[name]) === true;
}

/** True if the body confirms what an operation did: by `success` in the Open API, by `code` in the lite interface. */
export function confirms(body: unknown, by: 'success' | 'code'): boolean {
  const code = by === 'code' ? numberOf(one(body) ?? {}, ['code']) : undefined;
  return successOf(body) ?? (code !== undefined && code >= 200 && code <= 299);
}

/** Returns the value as an envelope: it reports success or failure, or has both a code and a description. */
function envelopeIn(value: unknown): Fields | undefined {
  const fields = one(value);
  if (fields === undefined) return undefined;
  const coded = numberOf(fields, ['code']) !== undefined && textOf(fields, ['message', 'msg']) !== undefined;
  return coded || successOf(fields) !== undefined || problemStatus(fields) !== undefined ? fields : undefined;
}

/** Returns the status of a problem: a number from 400 on, beside a description. */
function problemStatus(fields: Fields): number | undefined {
  const status = numberOf(fields, ['status']);
  if (status === undefined || status < 400 || status > 599) return undefined;
  return textOf(fields, ['title', 'detail', 'message']) === undefined ? undefined : status;
}

function isError(error: unknown): boolean {
  return error === true || (typeof error === 'string' && error !== '') || isFields(error);
}

/**
 * Returns the first readable description in an error's body of any format; empty if there is none (platform contract
 * ERR-3).
 */
export function errorText(body: unknown): string {
  if (typeof body === 'string') return body.slice(0, 200);
  if (!isFields(body)) return '';
  const find = finderIn(body);
  const error = asFields(find(['error']));
  return (
    textOf(body, ['message', 'msg', 'error_description']) ??
    (error && textOf(error, ['message', 'msg'])) ??
    textOf(body, ['error', 'detail']) ??
    detailList(find(['detail'])) ??
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
  const errors = asFields(finderIn(body)(['errors']));
  if (title === undefined || errors === undefined) return undefined;
  const lines = Object.entries(errors).map(([name, texts]) => `${name}: ${listed(texts)}`);
  return [title, ...lines].join(' ');
}

function listed(texts: unknown): string {
  return (asList(texts) ?? [texts]).filter((text) => typeof text === 'string').join(' ');
}
