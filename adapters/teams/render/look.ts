import type { LinkOf } from '../../../src/kit/sources.ts';
import type { AgentCard } from '../../../src/kit.ts';
import type { ButtonReply } from './actions.ts';
import type { TextFormat } from './emit.ts';

/** Where a person's client finds a medium. */
export interface Place {
  /** The image itself, as a `data:` address, where it is small. */
  readonly data?: string;
  /** A signed address, or a page of the platform. */
  readonly link?: string;
}

/**
 * Bytes of an image that stands in a card itself; a larger one is a link. In base64 and as UTF-16 it takes nearly three
 * times as much of the 80 KB that a message may have.
 */
export const INLINE_IMAGE_BYTES = 6_144;

/** The form of a message: a simpler one after Teams refused it (fault F22). Stored with replies. */
export type Form = 'rich' | 'simple' | 'plain';

/** The next simpler form; `plain` is the last. */
export const weaker: Readonly<Record<Form, Form>> = { rich: 'simple', simple: 'plain', plain: 'plain' };

/** What the writer knows besides the document. */
export interface Look {
  /** The reply, as its buttons name it. */
  readonly reply: Omit<ButtonReply, 'turn'>;
  readonly format: TextFormat;
  /** By the id of the medium. */
  readonly media: Readonly<Record<string, Place>>;
  /** Links of sources; absent: the documents themselves are linked. */
  readonly linkOf?: LinkOf;
  /** Agents that may be asked instead. */
  readonly agents: readonly AgentCard[];
  /** True if only the asker sees the answer and may make it public. */
  readonly isPrivate: boolean;
  /** True if "Ask as me" may give other platform rights, so that the button is shown. */
  readonly offersAsSelf: boolean;
}
