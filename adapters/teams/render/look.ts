import type { LinkOf } from '../../../src/kit/sources.ts';
import type { AgentCard } from '../../../src/kit.ts';
import type { ButtonReply } from './actions.ts';
import type { TextFormat } from './emit.ts';

/** Addresses from which a client loads an image or file. */
export interface Place {
  /** The bytes of a small image, as a `data:` address. */
  readonly data?: string;
  /** A signed address of the bridge, or a page of the platform. */
  readonly link?: string;
}

/**
 * Maximum bytes of an image that is embedded in a card; a larger one is a link. In base64 and as UTF-16 it takes nearly
 * three times as many of the 80 KB of a message.
 */
export const INLINE_IMAGE_BYTES = 6_144;

/** The form of a message: a simpler one after Teams refused it (fault F22). Stored with replies. */
export type Form = 'rich' | 'simple' | 'plain';

/** The next simpler form; `plain` is the last. */
export const weaker: Readonly<Record<Form, Form>> = { rich: 'simple', simple: 'plain', plain: 'plain' };

/** Data for rendering in addition to the document. */
export interface Look {
  /** The reply, for the data of its buttons. */
  readonly reply: Omit<ButtonReply, 'turn'>;
  readonly format: TextFormat;
  /** Places of images and files by their ids. */
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
