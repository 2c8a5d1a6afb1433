/** The bridge's services for one adapter. */

import type { Permissions } from '../core/access/permissions.ts';
import { type AccountTable, othersHaveAccounts } from '../core/agents/access.ts';
import type { Directory } from '../core/agents/routing.ts';
import type { TurnDeps } from '../core/live-reply/deps.ts';
import type { ThreadRef } from '../core/message.ts';
import { isOf, laneOf } from '../core/message.ts';
import type { Budgets } from '../core/pacing/budgets.ts';
import type { NoteAct } from '../core/stores/audit.ts';
import type { FinishedReplies } from '../core/stores/finished-replies.ts';
import type { Inbox } from '../core/stores/inbox.ts';
import type { Turn } from '../core/turn.ts';
import { BridgeError } from '../errors.ts';
import type { AgentCard } from '../kit/ladder.ts';
import type { AdapterHost, ChannelAdapter } from '../kit.ts';
import type { Forgetter } from './forgetting.ts';
import { openMedia, type Web } from './web.ts';

/** The services that the channel gets as they are. */
type PlainServices = Pick<
  AdapterHost,
  | 'intake'
  | 'pressRefusal'
  | 'corrections'
  | 'operations'
  | 'linkPages'
  | 'linkProofs'
  | 'askers'
  | 'receipt'
  | 'sourceLink'
  | 'state'
  | 'secrets'
  | 'closing'
  | 'database'
  | 'log'
  | 'clock'
>;

export interface HostDeps {
  readonly adapter: Pick<ChannelAdapter, 'name' | 'abilities'>;
  readonly inbox: Inbox;
  readonly directory: Directory;
  readonly permissions: Permissions;
  readonly noteAct: NoteAct;
  readonly finishedReplies: FinishedReplies;
  readonly room: TurnDeps['room'];
  readonly forgetter: Pick<Forgetter, 'forget'>;
  readonly web: Web | undefined;
  /** The bridge's public address, without a slash at its end. */
  readonly publicUrl: string | undefined;
  readonly budgets: Budgets;
  readonly accounts: AccountTable;
}

/** True if a waiting turn needs a notice. A postponed turn needs none, because its reply says that it waits. */
const waitsForNotice = (turn: Turn | undefined): boolean =>
  turn?.state === 'waiting' && turn.postponed === undefined;

export function makeHost(services: PlainServices, deps: HostDeps): AdapterHost {
  const { adapter, directory, inbox, web } = deps;
  const { log } = services;
  const served = (): Web => {
    if (web !== undefined) return web;
    throw new BridgeError('internal', `The channel "${adapter.name}" needs the HTTP server, which is off.`);
  };
  const cards = cardsOf(directory);
  return {
    ...services,
    mount: (path, handler) => served().mount(path, handler),
    ...linksOf(served, deps.publicUrl),
    waits: async (turn) => waitsForNotice(await inbox.find(turn)),
    pending: async (turn) => {
      const newest = await inbox.newestOfReply(turn);
      return newest?.state === 'waiting' || newest?.state === 'running';
    },
    messagesOfOthers: messagesOfOthers(inbox),
    running: (tenant) => inbox.runningIn(adapter.name, tenant),
    agents: () => cards,
    otherRights: (thread, reply) => haveOtherRights(thread, reply, deps),
    refusal: deps.permissions.refusal,
    noteAct: (act) => deps.noteAct({ ...act, channel: adapter.name }),
    mentionRule: (thread) => deps.room(thread).mention ?? 'alone',
    async forgetTenant(tenant) {
      deps.budgets.forget(tenant);
      await deps.forgetter.forget({ kind: 'tenant', channel: adapter.name, tenant });
      log.info({ channel: adapter.name, tenant }, 'everything stored for a workspace was deleted');
    },
    async forgetRoom(tenant, room) {
      await deps.forgetter.forget({ kind: 'tenant', channel: adapter.name, tenant, room });
      log.info({ channel: adapter.name, tenant, room }, 'everything stored for a room was deleted');
    },
    async reply(turn, thread) {
      const stored = await deps.finishedReplies.find(turn);
      if (stored === undefined || !isOf(thread, { message: stored.question })) return undefined;
      const { text: question, sender } = stored.question;
      return { ...stored.document, question, askedBy: sender.id };
    },
    openMedia: (media, { agent, account }, signal) =>
      openMedia(directory, { agent, ref: media.ref, ...(account !== undefined && { account }) }, signal),
    permit: deps.budgets.permitSideCall,
    permitAtOnce: deps.budgets.permitAtOnce,
  };
}

function linksOf(served: () => Web, publicUrl: string | undefined): Pick<AdapterHost, 'link' | 'linkPath'> {
  const linkPath: AdapterHost['linkPath'] = (media, from) => {
    const sealed = served().links.seal(media, from);
    return sealed === undefined ? undefined : `/media/${sealed}`;
  };
  return {
    linkPath,
    link(media, from) {
      const path = publicUrl === undefined ? undefined : linkPath(media, from);
      return path && `${publicUrl}${path}`;
    },
  };
}

function haveOtherRights(
  thread: ThreadRef,
  { agent, account }: Parameters<AdapterHost['otherRights']>[1],
  deps: HostDeps,
): boolean {
  const known = agent === undefined ? undefined : deps.directory.agents.get(agent);
  if (known === undefined || known.oneAccount) return false;
  // In a direct chat, an agent that uses the asker's own token already answers each person with that person's rights.
  const signsIn = known.asAsker === true && deps.adapter.abilities.signIn !== undefined;
  return signsIn ? thread.kind !== 'direct' : othersHaveAccounts(thread, account, deps);
}

const messagesOfOthers =
  (inbox: Pick<Inbox, 'screensIn'>): AdapterHost['messagesOfOthers'] =>
  async ({ id, reply = id, message }, since) => {
    // Not the turn's own lane: that of a Retry or a repair contains only its reply.
    const screens = await inbox.screensIn(laneOf(message.thread), since);
    const others = screens.filter((each) => each.reply !== reply);
    return new Set(others.flatMap(({ screen }) => screen.parts.map((part) => part.id)));
  };

const cardsOf = ({ agents }: Directory): readonly AgentCard[] =>
  [...agents.values()].map(({ name, description, icon, group, questions, gateway }) => ({
    name,
    description,
    ...(icon !== undefined && { icon }),
    ...(group !== undefined && { group }),
    ...(questions !== undefined && { questions }),
    seesImages: gateway.sees.images,
  }));
