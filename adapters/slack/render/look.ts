import type { ReplyRef } from '../../../src/kit/reply-ref.ts';
import type { LinkOf } from '../../../src/kit/sources.ts';
import type { AgentCard } from '../../../src/kit.ts';
import type { Reading } from './reading.ts';

/** The state that rendering needs in addition to the document. */
export interface Look {
  /** The reference to the reply that its buttons carry. */
  readonly reply: Omit<ReplyRef, 'turn'>;
  /** Slack's ids of the images that were uploaded, by the id of the medium. */
  readonly images: Readonly<Record<string, string>>;
  readonly footer: boolean;
  /** True if the message is posted under the agent's name, so the body need not show it. */
  readonly named: boolean;
  /** Agents that may be asked instead. */
  readonly agents: readonly AgentCard[];
  /** True if only the asker sees the answer and may make it public. */
  readonly isPrivate: boolean;
  /** True if "Ask as me" may give other platform rights, so that the button is shown. */
  readonly offersAsSelf: boolean;
  /** Links of sources; absent: the documents themselves are linked. */
  readonly linkOf?: LinkOf;
  /** True if the stream already shows the steps as tasks. */
  readonly showsTasks: boolean;
  /** Parse result from the message's last edit; absent: the text is parsed again. */
  readonly reading?: Reading;
}
