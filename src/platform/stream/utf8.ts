const MARK = '\ufeff';

/**
 * Decodes UTF-8 that arrives in pieces; what is malformed becomes U+FFFD, a leading byte-order mark is dropped.
 * Node's own decoder drops a later mark too when a piece ends inside an emoji before it, so the mark is ours.
 */
export class Utf8 {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #begun = false;

  push(bytes: Uint8Array): string {
    return this.#from(this.#decoder.decode(bytes, { stream: true }));
  }

  end(): string {
    return this.#from(this.#decoder.decode());
  }

  #from(text: string): string {
    if (this.#begun || text === '') return text;
    this.#begun = true;
    return text.startsWith(MARK) ? text.slice(1) : text;
  }
}
