import type { AgentEvent } from '../../core/agents/agent.ts';
import type { Base } from '../base-url.ts';
import { type ImageLink, ImageScanner, imageRef } from '../media/image-refs.ts';

/** Images of one answer that are shown; more are left as text (platform contract MED-6). */
const MAX_INLINE = 10;

/** Adds a `media` event after the text that completes an image which the platform holds (platform contract CHL-18). */
export class InlineImages {
  readonly #base: Base;
  #scanner = new ImageScanner();
  #text = '';
  readonly #seen = new Set<string>();

  constructor(base: Base) {
    this.#base = base;
  }

  /** The event, and those that follow from it. */
  after(event: AgentEvent): readonly AgentEvent[] {
    if (event.type !== 'text') return [event];
    if (event.at === this.#text.length) {
      this.#text += event.text;
      return [event, ...this.#found(this.#scanner.push(event.text))];
    }
    // Rewritten text is read again from its beginning, like the rewriting itself.
    this.#text = this.#text.slice(0, event.at) + event.text;
    this.#scanner = new ImageScanner();
    return [event, ...this.#found(this.#scanner.push(this.#text))];
  }

  #found(links: readonly ImageLink[]): AgentEvent[] {
    return links.flatMap(({ alt, destination }): AgentEvent[] => {
      if (this.#seen.has(destination) || this.#seen.size >= MAX_INLINE) return [];
      const ref = imageRef(destination, this.#base);
      if (ref === undefined) return [];
      this.#seen.add(destination);
      return [
        {
          type: 'media',
          media: {
            id: `inline:${destination}`,
            kind: 'image',
            name: nameOf(alt, destination),
            ref,
            inline: destination,
          },
        },
      ];
    });
  }
}

/** Its words, but for an id: that is never shown to people (platform contract CHL-18). */
function nameOf(alt: string, destination: string): string {
  const words = alt.trim().slice(0, 200);
  const isId = /^(?:file_id:)?\d{4,}$/.test(words) && destination.includes(words);
  return words === '' || isId ? 'image' : words;
}
