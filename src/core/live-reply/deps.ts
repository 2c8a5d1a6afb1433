import type { Permissions } from '../access/permissions.ts';
import type { QuotaCounts } from '../access/quotas.ts';
import type { AccessPolicy, RoomRules } from '../agents/access.ts';
import type { Directory } from '../agents/routing.ts';
import type { ChannelAdapter } from '../channel/adapter.ts';
import type { Clock } from '../clock.ts';
import type { TurnId } from '../ids.ts';
import type { ThreadRef } from '../message.ts';
import type { Budgets } from '../pacing/budgets.ts';
import type { ChannelWatch } from '../pacing/channel-watch.ts';
import type { AccountLinks } from '../stores/account-links.ts';
import type { AskerTokens } from '../stores/asker-tokens.ts';
import type { AuditPolicy, NoteAct } from '../stores/audit.ts';
import type { Engagement } from '../stores/engagement.ts';
import type { FinishedReplies } from '../stores/finished-replies.ts';
import type { Inbox } from '../stores/inbox.ts';
import type { PeopleNames } from '../stores/people-names.ts';
import type { SessionStore } from '../stores/sessions.ts';
import type { ThreadMemory } from '../stores/thread-memory.ts';
import type { CoreEvent, TurnEvents } from '../turn-events.ts';

export interface TurnDeps {
  readonly inbox: Inbox;
  readonly sessions: SessionStore;
  readonly memory: ThreadMemory;
  engagement(channel: string): Pick<Engagement, 'answered'>;
  readonly names: PeopleNames;
  readonly finishedReplies: FinishedReplies;
  readonly directory: Directory;
  readonly policy: AccessPolicy;
  /** Absent if people cannot link themselves to accounts. */
  readonly links?: AccountLinks | undefined;
  /** Absent if agents are never asked with people's own tokens. */
  readonly askers?: AskerTokens | undefined;
  readonly permissions: Permissions;
  readonly quotas: QuotaCounts;
  /** The settings that decide what the audit records about the end of a turn. */
  readonly audited: AuditPolicy;
  readonly noteAct: NoteAct;
  readonly clock: Clock;
  readonly turnEvents: TurnEvents;
  /** Returns the operator's settings for the room. */
  room(thread: ThreadRef): RoomRules;
  /** Resolves with the events of a turn, oldest first. */
  receipt(turn: TurnId): Promise<readonly CoreEvent[]>;
  newId(): TurnId;
  adapter(channel: string): Pick<ChannelAdapter<never, never>, 'writer' | 'openFile' | 'abilities'>;
  budgets(channel: string): Budgets;
  /** Channels whose answers say that the sandbox wrote them; absent if a configured platform answers. */
  readonly sandboxed?: ReadonlySet<string> | undefined;
  /** Same as `answering` of `ChannelWatch`. Absent if replies do not wait for a channel that is down. */
  readonly answering?: ChannelWatch['answering'];
}
