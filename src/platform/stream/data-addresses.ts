import type { Change } from './reading.ts';

/** Matches the beginning of a `data:` address, up to the comma before its content. The group stays in the text. */
const beginning = /\b(data:[a-z]+\/[\w.+-]+)(?:;[\w.+=-]*)*,/gi;
/** Matches text at the end that may be the first part of such a beginning. */
const half = /\bd(?:a(?:t(?:a(?::(?:[a-z]+(?:\/[\w.+-]*(?:;[\w.+=;-]*)?)?)?)?)?)?)?$/i;
/** Maximum length of a beginning that is recognized in pieces, in UTF-16 units. */
const MAX_BEGINNING_CHARS = 200;
const content = /[^\s()<>[\]"'`|\\]*/y;
const fence = /^ {0,3}(?:`{3}|~{3})/;
/** Length of a line's start that shows whether the line opens or closes a code fence. */
const FENCE_CHARS = 8;
/** Maximum content that stays in a code fence, because the code may be about such an address. In UTF-16 units. */
const MAX_CODE_CHARS = 1_024;

/**
 * Leaves the content of `data:` addresses out of an answer, because it would fill a room with base64. Only the type
 * stays, as in `![chart](data:image/png)`. The cost is linear in the length of the text.
 */
export class DataAddresses {
  /** Length of the platform's text, and of the text that was passed on. */
  #came = 0;
  #passed = 0;
  /** The end of the platform's text, if it may be the first part of an address. */
  #held = '';
  /** Ranges of the platform's text that were left out. */
  #cuts: { readonly from: number; readonly to: number }[] = [];
  #inContent = false;
  /** Number of further characters of content that stay in the text. */
  #stays = 0;
  #line = '';
  #inFence = false;

  /** True if content was left out. */
  get found(): boolean {
    return this.#cuts.length > 0;
  }

  /** Returns the change without content. Its offset counts the text that was passed on. */
  take({ at, text }: Change): Change {
    if (at < this.#came) this.#rewind(at);
    const from = this.#passed;
    const source = this.#held + text;
    const start = this.#came - this.#held.length;
    this.#came += text.length;
    this.#held = '';
    for (let position = 0; position < source.length; )
      position = this.#inContent ? this.#skip(source, position, start) : this.#copy(source, position, start);
    const out = this.#out.join('');
    this.#out = [];
    return { at: from, text: out };
  }

  /** Returns the text that was held back at the end of the answer. */
  end(): Change {
    const text = this.#held;
    this.#held = '';
    const at = this.#passed;
    this.#passed += text.length;
    return { at, text };
  }

  #out: string[] = [];

  #pass(text: string): void {
    this.#out.push(text);
    this.#passed += text.length;
    const lines = text.split('\n');
    lines[0] = this.#line + lines[0];
    const last = lines.pop() ?? '';
    for (const line of lines) if (fence.test(line)) this.#inFence = !this.#inFence;
    this.#line = last.slice(0, FENCE_CHARS);
  }

  #leaveOut(from: number, to: number): void {
    if (from === to) return;
    const last = this.#cuts.at(-1);
    if (last?.to === from) this.#cuts[this.#cuts.length - 1] = { from: last.from, to };
    else this.#cuts.push({ from, to });
  }

  #copy(source: string, position: number, start: number): number {
    beginning.lastIndex = position;
    const found = beginning.exec(source);
    if (found === null) {
      const open = half.exec(source.slice(Math.max(position, source.length - MAX_BEGINNING_CHARS)));
      const end = source.length - (open?.[0].length ?? 0);
      this.#pass(source.slice(position, end));
      this.#held = source.slice(end);
      return source.length;
    }
    const end = found.index + found[0].length;
    this.#pass(source.slice(position, found.index));
    const visible = this.#inFence ? found[0] : (found[1] ?? '');
    this.#pass(visible);
    this.#leaveOut(start + found.index + visible.length, start + end);
    this.#stays = this.#inFence ? MAX_CODE_CHARS : 0;
    this.#inContent = true;
    return end;
  }

  #skip(source: string, position: number, start: number): number {
    content.lastIndex = position;
    const end = position + (content.exec(source)?.[0].length ?? 0);
    const safe = Math.min(end, position + this.#stays);
    this.#pass(source.slice(position, safe));
    this.#stays -= safe - position;
    this.#leaveOut(start + safe, start + end);
    this.#inContent = end === source.length;
    return end;
  }

  /** Continues at an earlier offset of the platform's text, because the text after it is replaced. */
  #rewind(at: number): void {
    const start = this.#came - this.#held.length;
    this.#held = this.#held.slice(0, Math.max(0, at - start));
    this.#came = at;
    if (at >= start) return;
    const before = this.#cuts.filter(({ from }) => from < at);
    const last = before.at(-1);
    this.#inContent = last !== undefined && at <= last.to;
    this.#cuts = this.#inContent && last ? [...before.slice(0, -1), { from: last.from, to: at }] : before;
    this.#passed = at - this.#cuts.reduce((sum, { from, to }) => sum + to - from, 0);
    this.#line = '';
    if (at === 0) this.#inFence = false;
  }
}
