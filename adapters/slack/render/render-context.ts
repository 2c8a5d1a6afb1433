import type { AgentCard, LinkOf, ReplyRef } from '../../../src/kit/ladder.ts';
import type { Reading } from './reading.ts';

/** Data that rendering a reply needs in addition to its document. */
export interface RenderContext {
  /** Identifies the reply in the values of its buttons. */
  readonly reply: Omit<ReplyRef, 'turn'>;
  /** Slack's ids of the images that were uploaded, by the id of the medium. */
  readonly images: Readonly<Record<string, string>>;
  readonly footer: boolean;
  /** True if the message is posted under the agent's name, so the body need not show the name. */
  readonly named: boolean;
  /** Agents offered under "Ask another agent". */
  readonly agents: readonly AgentCard[];
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
  /** Returns the link of a source. If this function is absent, links lead to the documents themselves. */
  readonly linkOf?: LinkOf;
  /** True if the answer was posted again, because an earlier message of the reply accepts no more edits. */
  readonly isAfresh?: boolean;
  /** True if the stream already shows the steps as tasks. */
  readonly showsTasks: boolean;
  /** Parse result of the message's last edit, reused to save time. If absent, the text is parsed again. */
  readonly reading?: Reading;
}
