import type { MediaRef } from '../../core/reply.ts';
import { type Base, resolveAddress } from '../base-url.ts';

/**
 * Maximum lengths of an image's alternative text and address, in UTF-16 units. Anything longer is not treated as an
 * image.
 */
const MAX_ALT_CHARS = 1000;
const MAX_DESTINATION_CHARS = 2048;
/** Matches file ids. Shorter digit sequences are page numbers, years or sizes. */
const ID = /^\d{4,}$/;

/** Matches characters that start an image (`!`), escape the next character, or end a line. */
const SIGNIFICANT = /[!\\\r\n]/;
/** Maximum number of characters of a line that are kept to recognize a code fence. */
const LINE_CHARS = 80;

export interface ImageLink {
  readonly alt: string;
  /** The image's address, exactly as written. */
  readonly destination: string;
}

type State = 'text' | 'escape' | 'bang' | 'alt' | 'alt-escape' | 'open' | 'bare' | 'angle' | 'after';

/**
 * Finds `![alt](destination)` in a growing text and reads each character only once. Ignores images in fenced code.
 * Does not find reference-style images and HTML images, which stay as text.
 */
export class ImageScanner {
  #state: State = 'text';
  #depth = 0;
  #alt = '';
  #destination = '';
  #line = '';
  #fence = '';

  push(text: string): ImageLink[] {
    if (this.#state === 'text' && !SIGNIFICANT.test(text)) {
      if (this.#line.length < LINE_CHARS) this.#line = (this.#line + text).slice(0, LINE_CHARS);
      return [];
    }
    const found: ImageLink[] = [];
    for (const character of text) {
      this.#fences(character);
      if (this.#fence === '' && this.#step(character)) {
        found.push({ alt: this.#alt, destination: this.#destination });
        this.#state = 'text';
      }
    }
    return found;
  }

  /** Detects code fences at the start of a line, which open or close a code block. */
  #fences(character: string): void {
    if (character !== '\n' && character !== '\r') {
      if (this.#line.length < LINE_CHARS) this.#line += character;
      return;
    }
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(this.#line)?.[1];
    this.#line = '';
    if (mark === undefined) return;
    if (this.#fence === '') {
      this.#fence = mark;
      this.#state = 'text';
    } else if (mark.startsWith(this.#fence)) this.#fence = '';
  }

  /** Processes one character; returns true if it completes an image. */
  #step(character: string): boolean {
    switch (this.#state) {
      case 'text':
        this.#state = character === '\\' ? 'escape' : character === '!' ? 'bang' : 'text';
        return false;
      case 'escape':
        this.#state = 'text';
        return false;
      case 'bang':
        return this.#afterBang(character);
      case 'alt-escape':
        this.#state = 'alt';
        return this.#grow(character);
      case 'alt':
        return this.#inAlt(character);
      case 'open':
        return this.#atOpen(character);
      case 'angle':
        return this.#inAngle(character);
      case 'bare':
        return this.#inBare(character);
      case 'after':
        // A title may follow the address. Only the closing parenthesis matters: if the title itself contains one, the
        // image ends there, with the same address.
        return character === ')';
    }
  }

  #afterBang(character: string): boolean {
    this.#state = character === '[' ? 'alt' : character === '!' ? 'bang' : 'text';
    this.#alt = '';
    this.#depth = 0;
    return false;
  }

  #grow(character: string): boolean {
    this.#alt += character;
    if (this.#alt.length > MAX_ALT_CHARS) this.#state = 'text';
    return false;
  }

  #inAlt(character: string): boolean {
    if (character === '\\') {
      this.#state = 'alt-escape';
      return false;
    }
    // An image inside the alternative text of another image replaces the outer one.
    if (character === '[' && this.#alt.endsWith('!')) return this.#afterBang('[');
    if (character === ']' && this.#depth === 0) {
      this.#state = 'open';
      this.#destination = '';
      return false;
    }
    if (character === '[') this.#depth += 1;
    if (character === ']') this.#depth -= 1;
    return this.#grow(character);
  }

  /** Reads the character after `]`, which must be `(`; blanks may precede the destination. */
  #atOpen(character: string): boolean {
    if (this.#destination === '' && character === '(') {
      this.#destination = '(';
      return false;
    }
    if (this.#destination === '') this.#state = character === '!' ? 'bang' : 'text';
    else if (character === '<') this.#begin('angle');
    else if (character === ')') this.#state = 'text';
    else if (!/\s/.test(character)) {
      this.#begin('bare');
      return this.#inBare(character);
    }
    return false;
  }

  #begin(state: 'angle' | 'bare'): void {
    this.#state = state;
    this.#destination = '';
    this.#depth = 0;
  }

  #inAngle(character: string): boolean {
    if (character === '>') this.#state = 'after';
    else if (character === '\n' || character === '<') this.#state = 'text';
    else this.#extend(character);
    return false;
  }

  #inBare(character: string): boolean {
    if (/\s/.test(character)) this.#state = 'after';
    else if (character === ')' && this.#depth === 0) return true;
    else {
      if (character === '(') this.#depth += 1;
      if (character === ')') this.#depth -= 1;
      this.#extend(character);
    }
    return false;
  }

  #extend(character: string): void {
    this.#destination += character;
    if (this.#destination.length > MAX_DESTINATION_CHARS) this.#state = 'text';
  }
}

/**
 * Returns a reference to an image that the platform stores; undefined if another server stores it (platform contract
 * MED-6). Digits alone are a file id. In a relative or same-origin address, a last segment or query value of at least
 * four digits is a file id. Any other same-origin address is fetched as an address.
 */
export function imageRef(destination: string, base: Base): MediaRef | undefined {
  if (/^\d+$/.test(destination)) return { kind: 'file-id', id: destination };
  const suffix = /^(?:.*[/:])?file_id:(\d{4,})$/.exec(destination)?.[1];
  const url = resolveAddress(base, destination);
  if (url === undefined) return suffix === undefined ? undefined : { kind: 'file-id', id: suffix };
  if (url.origin !== base.origin) return undefined;
  const segment = url.pathname.split('/').at(-1) ?? '';
  const id = suffix ?? [segment, ...url.searchParams.values()].find((part) => ID.test(part));
  // The last segment of an Open API address is not a file id. An image with such an address is fetched by its address.
  const own = url.pathname.includes('/openapi/');
  return id === undefined || own ? { kind: 'url', url: url.href } : { kind: 'file-id', id };
}
