import type { AgentCard, LinkOf } from '../../../src/kit/ladder.ts';
import type { ButtonReply } from './actions.ts';
import type { TextFormat } from './emit.ts';

/** Where a Teams client loads an image or file from. */
export interface Place {
  /** The content of a small image, as a `data:` address. */
  readonly data?: string;
  /** A signed address of the bridge, or a page of the agent platform. */
  readonly link?: string;
}

/**
 * Maximum bytes of an image that is embedded in a card; a larger image is shown as a link. A message holds 80 KB, and
 * an embedded image takes nearly three times its size, because it is written as base64 in UTF-16.
 */
export const INLINE_IMAGE_BYTES = 6_144;

/**
 * Form of a message, stored with replies. After Teams refuses a message, the next simpler form is tried (fault F22:
 * message refused).
 */
export type Form = 'rich' | 'simple' | 'plain';

/** The next simpler form for each form; after `plain` there is none. */
export const weaker: Readonly<Record<Form, Form>> = { rich: 'simple', simple: 'plain', plain: 'plain' };

/** Data that rendering a reply needs in addition to its document. */
export interface RenderContext {
  /** Identifies the reply in the data of its buttons. */
  readonly reply: Omit<ButtonReply, 'turn'>;
  readonly format: TextFormat;
  /** Where images and files are loaded from, by their ids. */
  readonly media: Readonly<Record<string, Place>>;
  /** Returns the link of a source. If this function is absent, links lead to the documents themselves. */
  readonly linkOf?: LinkOf;
  /** Agents offered under "Ask another agent". */
  readonly agents: readonly AgentCard[];
  /** True if the question names no agent, so that the agent of the conversation answered. */
  readonly namesNoAgent: boolean;
  /** True if only the asker sees the answer and may make it public. */
  readonly isPrivate: boolean;
  /**
   * True if the button "Ask as me" is shown. It is shown if the person's own platform account may have other rights.
   */
  readonly offersAsSelf: boolean;
  /**
   * True if the answer can be corrected, and the access rules allow at least one person who sees the answer to correct
   * it.
   */
  readonly offersCorrection: boolean;
}
