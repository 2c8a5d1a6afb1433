import type { ReplyRef } from '../../../src/kit/reply-ref.ts';
import type { AgentCard } from '../../../src/kit.ts';
import type { Reading } from './reading.ts';

/** What the writer knows besides the document. */
export interface Look {
  /** The reply, as its buttons name it. */
  readonly reply: Omit<ReplyRef, 'turn'>;
  /** Slack's ids of the images that were uploaded, by the id of the medium. */
  readonly images: Readonly<Record<string, string>>;
  readonly footer: boolean;
  /** Whether the message carries the agent's name already, in place of the app's. */
  readonly named: boolean;
  /** Agents that may be asked instead. */
  readonly agents: readonly AgentCard[];
  /** True if only the asker sees the answer and may make it public. */
  readonly isPrivate: boolean;
  /** True if "Ask as me" may give other platform rights, so that the button is shown. */
  readonly offersMine: boolean;
  /** Whether the stream shows the steps as tasks already. */
  readonly showsTasks: boolean;
  /** What is known of the message from its last edit; absent: it is read anew. */
  readonly reading?: Reading;
}
