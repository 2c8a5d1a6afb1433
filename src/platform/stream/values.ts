import { tryJson } from '../json.ts';

/** One value in the data of an event. */
export type Value =
  /** `source` is the data as received; set if this value is all of the data. */
  | { readonly kind: 'json'; readonly value: unknown; readonly source?: string }
  | { readonly kind: 'raw'; readonly text: string }
  /** The end marker `[DONE]`, which ends a stream of any format. */
  | { readonly kind: 'done' }
  /** A word or number whose meaning depends on the format of the stream (platform contract DEC-7). */
  | { readonly kind: 'word'; readonly text: string }
  /** Malformed data that starts like JSON. `text` is absent if the stream can contain only JSON objects. */
  | { readonly kind: 'broken'; readonly text?: string };

const WORDS = new Set(['DONE', 'done', 'true', 'null']);
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Returns the values in the data of one event: the whole data as JSON; if that fails, each line; if that fails, every
 * balanced object (platform contract DEC-5, DEC-7, DEC-10).
 */
export function valuesOf(data: string): readonly Value[] {
  const trimmed = data.trim();
  if (trimmed === '') return data === '' ? [] : [{ kind: 'raw', text: data }];
  if (trimmed === '[DONE]') return [{ kind: 'done' }];
  if (WORDS.has(trimmed) || NUMBER.test(trimmed)) return [{ kind: 'word', text: data }];
  const first = trimmed.charAt(0);
  if (first !== '{' && first !== '[' && first !== '"') return [{ kind: 'raw', text: data }];
  const whole = tryJson(trimmed);
  if (whole !== undefined)
    return Array.isArray(whole) ? flattened(whole) : [{ kind: 'json', value: whole, source: data }];
  return linesOf(trimmed) ?? objectsOf(trimmed) ?? [unparsed(data, trimmed)];
}

/** Returns the elements if the value is a list of chunks; otherwise the value itself. */
function flattened(value: unknown): readonly Value[] {
  return Array.isArray(value)
    ? value.map((item) => ({ kind: 'json', value: item }))
    : [{ kind: 'json', value }];
}

function linesOf(data: string): readonly Value[] | undefined {
  const lines = data.split('\n').filter((line) => line.trim() !== '');
  if (lines.length < 2) return undefined;
  const values: Value[] = [];
  for (const line of lines) {
    if (line.trim() === '[DONE]') {
      values.push({ kind: 'done' });
      continue;
    }
    const value = tryJson(line);
    if (value === undefined) return undefined;
    values.push(...flattened(value));
  }
  return values;
}

function objectsOf(data: string): readonly Value[] | undefined {
  const scanner = new ObjectScanner();
  const values = scanner.push(data).filter((value) => value.kind === 'json');
  return values.length === 0 ? undefined : values;
}

/**
 * Classifies data that is not JSON as malformed JSON or raw text. A leading bracket or quotation mark alone does not
 * mean JSON, because Markdown may start with one.
 */
function unparsed(data: string, trimmed: string): Value {
  return { kind: /^(?:\{|\[\s*[{"])/.test(trimmed) ? 'broken' : 'raw', text: data };
}

/**
 * Finds complete JSON objects in text that arrives in pieces, in one pass. The objects may stand one per line, follow
 * each other without separators, or be pretty-printed. The open object is malformed if a string contains a line break,
 * or if one of its lines starts with another object.
 */
export class ObjectScanner {
  #pieces: string[] = [];
  #length = 0;
  #depth = 0;
  #listed = false;
  #inString = false;
  #escaped = false;
  #lineStart = true;

  /** Number of characters of the object that is not complete yet. */
  get held(): number {
    return this.#length;
  }

  push(text: string): Value[] {
    const values: Value[] = [];
    let from = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (this.#depth === 0) {
        if (code === 0x5b) this.#listed = true;
        if (code === 0x7b) from = at;
      } else if (this.#breaks(code)) {
        values.push({ kind: 'broken' });
        this.#drop();
        from = at;
      }
      const closed = this.#step(code);
      this.#lineStart = code === 0x0a || code === 0x0d;
      if (closed) values.push(this.#close(text.slice(from, at + 1)));
    }
    if (this.#depth > 0) this.#hold(text.slice(from));
    return values;
  }

  /** Returns a `broken` value if an object is still open at the end of the text. */
  end(): Value[] {
    const open = this.#depth > 0;
    this.#drop();
    return open ? [{ kind: 'broken' }] : [];
  }

  #breaks(code: number): boolean {
    if (this.#inString) return code === 0x0a || code === 0x0d;
    return code === 0x7b && this.#lineStart && !this.#listed;
  }

  /** Processes one character; returns true if it closes the outermost object. */
  #step(code: number): boolean {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (code === 0x5c) this.#escaped = true;
      else if (code === 0x22) this.#inString = false;
      return false;
    }
    if (code === 0x7b) this.#depth += 1;
    else if (this.#depth === 0) return false;
    else if (code === 0x22) this.#inString = true;
    else if (code === 0x5b) this.#listed = true;
    else if (code === 0x7d) {
      this.#depth -= 1;
      return this.#depth === 0;
    }
    return false;
  }

  #hold(piece: string): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
  }

  #close(piece: string): Value {
    this.#hold(piece);
    const value = tryJson(this.#pieces.join(''));
    this.#drop();
    return value === undefined ? { kind: 'broken' } : { kind: 'json', value };
  }

  #drop(): void {
    this.#pieces = [];
    this.#length = 0;
    this.#depth = 0;
    this.#listed = false;
    this.#inString = false;
    this.#escaped = false;
  }
}
