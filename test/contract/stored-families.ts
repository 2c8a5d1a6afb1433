/** Stores a value of every family about a person, with the code that the bridge uses. */

import { createTitles } from '../../adapters/slack/interactions/agent-view.ts';
import { createPreferences } from '../../adapters/slack/interactions/preferences.ts';
import { createPrivatePlaces, privateThread } from '../../adapters/slack/private-places.ts';
import { sendOnce } from '../../adapters/teams/inbound/posts.ts';
import { createReplies } from '../../adapters/teams/interactions/replies.ts';
import { createSharedRooms } from '../../adapters/teams/interactions/shared-rooms.ts';
import { createRequests } from '../../adapters/teams/single-sign-on/requests.ts';
import { createSent } from '../../channels/xmpp/inbound/sent.ts';
import { createAccountLinks } from '../../src/bridge/account-links.ts';
import { ASKERS, createAskerTokens } from '../../src/bridge/asker-tokens.ts';
import { LINKS } from '../../src/bridge/link-records.ts';
import { createQuotaCounts } from '../../src/core/access/quotas.ts';
import { createAccountTable } from '../../src/core/agents/access.ts';
import { askerAccount } from '../../src/core/asker.ts';
import { agentName, turnId } from '../../src/core/ids.ts';
import { createSharedRate } from '../../src/core/intake/rate.ts';
import { laneOf, type Message, messageKey, type ThreadRef } from '../../src/core/message.ts';
import { createEngagement } from '../../src/core/stores/engagement.ts';
import { createFinishedReplies } from '../../src/core/stores/finished-replies.ts';
import { createPeopleNames, NAMES } from '../../src/core/stores/people-names.ts';
import { createThreadMemory } from '../../src/core/stores/thread-memory.ts';
import { AcceptedPresses } from '../../src/kit/accepted-presses.ts';
import { createBackground } from '../../src/kit/background.ts';
import { createOnce } from '../../src/kit/once.ts';
import { openRefusals } from '../../src/kit/refusals.ts';
import { SignList } from '../../src/kit/waiting-sign-list.ts';
import { createJournal } from '../../src/observe/journal.ts';
import { type Store, sealKeyed } from '../../src/store/index.ts';
import { correctionsOf } from '../fakes/corrections.ts';
import { quiet } from '../fakes/quiet.ts';
import { turn as turnWith } from '../fakes/samples.ts';
import { message, newTurn } from './turn-makers.ts';

const DAY_MS = 86_400_000;

/** One of the people, in one workspace. */
export interface Someone {
  readonly store: Store;
  readonly person: string;
  readonly tenant: string;
  /** A thread in which several people ask, and a direct chat of the person. */
  readonly room: ThreadRef;
  readonly direct: ThreadRef;
  /** Id of a turn of the person. */
  readonly turn: ReturnType<typeof turnId>;
  now(): number;
}

const never = new AbortController().signal;
/** A clock whose waits last until they are aborted. */
export const clockOf = ({ now }: Pick<Someone, 'now'>) => ({
  now,
  wait: (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
});

const messageOf = ({ person, turn }: Someone, thread: ThreadRef): Message => ({
  ...message(`${person}/${turn}`, `canary of ${person}`),
  thread,
  sender: { id: person, name: `Name of ${person}`, standing: 'member' },
});

function hostOf(someone: Someone) {
  const { store } = someone;
  const sealing = { namespace: 'secrets slack', key: () => new Uint8Array(32), log: quiet };
  const secrets = sealKeyed(store.keyed('secrets slack'), sealing);
  return { state: store.keyed('adapter slack'), secrets, clock: clockOf(someone), log: quiet };
}

function talkOf(someone: Someone) {
  const [host, background] = [hostOf(someone), createBackground(quiet)];
  return { host, background, signal: never, once: createOnce({ host, background, signal: never }) };
}

export const sealedBy = ({ store }: Someone, namespace: string) =>
  sealKeyed(store.keyed(namespace), { namespace, key: () => new Uint8Array(32), log: quiet });

/** Every family of stored values, with the code that stores it. */
export const FAMILIES: Readonly<Record<string, (someone: Someone) => Promise<unknown>>> = {
  async 'choices, prompts, uploads and the last answer of threads'({ store, person, room, direct, turn }) {
    const memory = createThreadMemory(store.keyed('threads'));
    await memory.chooseAgent(direct, agentName('books'), person);
    await memory.speak(direct, 'de');
    await memory.keepPrompt(room, person, turn);
    await memory.keepUploads({ ...room, key: person }, { uploads: [], by: person });
    await memory.keepAnswer(direct, turn, []);
  },
  async 'finished replies'(someone) {
    const { direct, turn } = someone;
    const replies = createFinishedReplies(sealedBy(someone, 'replies'));
    const own = turnWith({ id: turn, message: messageOf(someone, direct), reply: turn });
    await replies.keep(own, { turn } as never);
  },
  async timelines({ store, turn }) {
    const journal = createJournal(store.keyed('receipts'), () => undefined);
    journal.turnEvents.record({ turn, at: 1, name: 'settled', detail: { text: `canary of ${turn}` } });
    await journal.flush();
  },
  async conversations({ store, person, tenant, room, direct, turn }) {
    const place = { channel: 'slack', tenant, room: room.room, thread: room.key, person, turn };
    await store.audit.add({ action: 'ask', outcome: 'answered', ...place });
    const history = [{ reply: turn, question: `canary of ${person}`, answer: 'So' }];
    const key = { thread: room, agent: agentName('books') };
    const known = await store.sessions.find(key);
    await store.sessions.save(key, { history: [...(known?.history ?? []), ...history] });
    await store.sessions.save({ thread: direct, agent: agentName('books'), account: person }, { history });
    const account = askerAccount('Somebody', { channel: 'slack', tenant, person });
    await store.sessions.save(
      { thread: room, agent: agentName('books'), account },
      { session: 's', history: [] },
    );
  },
  async 'quotas and rates'(someone) {
    const { store, person, room: thread } = someone;
    const quota = { id: 'person 5', per: 'person', questions: 5, every: 'day', place: '' } as const;
    const counts = createQuotaCounts(store.keyed('quotas'), clockOf(someone));
    await counts.take([{ ...quota, people: 'everyone' } as never], { person, thread, agent: 'books' });
    const rate = createSharedRate(5, store.keyed('rates'), clockOf(someone));
    const asker = { thread, person: messageOf(someone, thread).sender };
    await rate.allow(asker, `1 of ${person}`);
    await rate.allow(asker, `2 of ${person}`);
  },
  names: (someone) =>
    createPeopleNames(someone.store.keyed(NAMES), clockOf(someone)).note(
      ...([messageOf(someone, someone.room).sender, someone.room] as const),
    ),
  async 'links to accounts, and codes'(someone) {
    const { person, direct } = someone;
    const accounts = { ...createAccountTable([]), names: () => true };
    const stored = sealedBy(someone, LINKS);
    const links = createAccountLinks({
      ...{ stored, accounts, days: 1, clock: clockOf(someone), titleOf: String },
      isAccepted: async () => true,
      noteAct: async () => undefined,
    });
    const { sender } = messageOf(someone, direct);
    const proven = { channel: 'slack', tenant: direct.tenant, person, name: person };
    await links.linkProven(proven, `account of ${person}`, sender, { ...direct, channel: 'console' });
    await links.begin(sender, direct);
    await links.show('AAAA-BBBB-CCCC', sender, direct);
  },
  async 'tokens and failures of sign-ins'(someone) {
    const tokens = createAskerTokens(sealedBy(someone, ASKERS), clockOf(someone));
    const asker = { channel: 'slack', tenant: someone.tenant, person: someone.person };
    const token = { token: 'canary', name: someone.person, expiresAt: someone.now() + DAY_MS };
    await tokens.keep(asker, token);
    await tokens.fail(asker);
    await tokens.deadlineOf({ id: someone.turn }, 1_000);
  },
  async 'sign-ins that are under way'({ store, tenant, person, direct, turn }) {
    const requests = createRequests(store.keyed('adapter slack'));
    const request = {
      person,
      turn,
      thread: { tenant, room: direct.room, key: 'k', kind: 'direct' as const },
    };
    await requests.open(request);
    await requests.issue(request);
    await requests.addCard(request, `card of ${person}`);
  },
  async 'people who ask in a thread'(someone) {
    const { person: by, room } = someone;
    const engagement = createEngagement(someone.store.keyed('adapter slack'));
    await engagement.asked(room, { by, at: 5 });
    await engagement.isQuestion(
      { thread: room, by, at: 6, text: 'Well', place: 'thread', hasMore: false },
      'alone',
    );
  },
  preferences: ({ store, tenant, person }) =>
    createPreferences(store.keyed('adapter slack')).set(tenant, person, { language: 'de' }),
  async 'private places and their threads'(someone) {
    const { store, tenant, person, room } = someone;
    // The ids of Slack and Teams contain no `@`.
    if (person.includes('@')) return;
    const thread = privateThread(tenant, room.room, person, 'act');
    await createPrivatePlaces(hostOf(someone).secrets).keep(thread, { user: person });
    await createThreadMemory(store.keyed('threads')).chooseAgent(thread, agentName('books'));
    await createEngagement(store.keyed('adapter slack')).asked(thread, { by: person, at: 5 });
  },
  async 'rooms that people share'({ store, tenant, person, room }) {
    const shared = createSharedRooms(store.keyed('adapter slack'), { room: async () => undefined });
    const place = {
      tenant,
      conversation: room.room,
      kind: 'room',
      serviceUrl: 'https://x',
      bot: 'b',
    } as const;
    await shared.note(place, { id: person, isBot: false });
  },
  async 'replies of messages'(someone) {
    const { direct, turn, store, tenant } = someone;
    const background = createBackground(quiet);
    const shown = { id: `m ${turn}`, begin: { at: 0 }, document: { turn } as never } as never;
    const own = { id: turn, message: messageOf(someone, direct) } as never;
    createReplies(store.keyed('adapter slack'), background).messageShown(own, shown);
    const sent = createSent(store.keyed('adapter slack'), background, tenant);
    sent.messageShown(own, shown);
    sent.confirmed({ ...direct, room: someone.person }, `m ${turn}`, 'stanza');
    await sent.asked(messageOf(someone, someone.room), { from: someone.person, id: `i ${turn}` }, undefined);
    await background.settle();
  },
  async 'handled events and refusals'(someone) {
    const talk = talkOf(someone);
    const failed = async () => Promise.reject(new Error('not now'));
    const refusals = await openRefusals({ ...talk, tell: failed, signal: AbortSignal.abort() });
    await refusals.refuse(messageOf(someone, someone.room), 'No.');
    await talk.once(`said ${someone.tenant} ${someone.person}`, async () => undefined, {
      tenant: someone.tenant,
      person: someone.person,
    });
    await talk.background.settle();
  },
  async 'accepted presses'(someone) {
    const { tenant, person } = someone;
    const presses = new AcceptedPresses<string>({
      ...{ ...talkOf(someone), acknowledgeMs: 0, decode: String, again: async () => undefined },
      host: { ...hostOf(someone), clock: { ...clockOf(someone), wait: async () => undefined } },
      identify: (press) => [tenant, 'C1', person, press],
      ownerOf: () => ({ tenant, person }),
    });
    await presses.handle(`canary of ${person} ${someone.turn}`, () => new Promise(() => undefined));
  },
  async 'waiting signs'(someone) {
    const { tenant, room, turn, person } = someone;
    const signs = new SignList({ host: hostOf(someone), key: 'signs', perMinute: 100 });
    await signs.add({
      tenant,
      room: room.room,
      on: `${person}/1`,
      turn,
      putAt: 1,
      thread: `private-${person}`,
    });
  },
  async feedback({ store, tenant, person, room, turn }) {
    const given = { turn, reply: turn, person, verdict: 'up', note: `canary of ${person}`, at: 1 } as const;
    await store.feedback.give({ ...given, channel: 'slack', tenant, room: room.room });
  },
  async 'turns, their texts, and deleted messages'(someone) {
    const { store, direct, turn } = someone;
    const own = messageOf(someone, direct);
    const key = messageKey(direct, own.id);
    await store.inbox.add(newTurn(turn, laneOf(direct), { originKey: turn, message: own, messageKey: key }));
    const claim = await store.inbox.claim();
    if (claim === undefined) throw new Error('nothing to claim');
    await store.inbox.checkpoint(claim, { text: { at: 0, text: `canary of ${someone.person}` } });
    await store.inbox.interrupt(turn, { kind: 'stop', by: someone.person });
    await store.inbox.settle(claim, 'stopped');
    await store.inbox.withdraw(messageKey(direct, `${someone.person}/other`), () => newTurn('never'));
  },
  async 'the stop of an answer to somebody else'({ store, person, tenant, room, turn }) {
    const id = turnId(`${turn}-of-another`);
    const asked = { ...message(`another/${turn}`), thread: { ...room, tenant } };
    await store.inbox.add(newTurn(id, laneOf({ ...room, key: turn }), { originKey: id, message: asked }));
    const claim = await store.inbox.claim();
    if (claim === undefined) throw new Error('nothing to claim');
    await store.inbox.interrupt(id, { kind: 'stop', by: person });
    await store.inbox.settle(claim, 'stopped');
  },
  async corrections(someone) {
    const { store, person, room: thread, turn } = someone;
    const corrections = correctionsOf(undefined, {
      sent: store.keyed('corrections'),
      clock: clockOf(someone),
    });
    const { sender: by } = messageOf(someone, thread);
    const agent = agentName('guide');
    const pair = { question: `canary of ${person}`, answer: 'So', by, thread, turn, agent };
    await corrections.store(pair, { workspace: 'handbook', account: person });
  },
  async 'titles, addresses and greetings of direct chats'(someone) {
    const { store, direct, tenant, person } = someone;
    const state = store.keyed('adapter slack');
    const titles = createTitles(state, {} as never);
    await titles.named({ ...direct, room: person });
    const note = { key: `greeted ${tenant} ${person}`, ttlMs: DAY_MS, owner: { tenant, room: person } };
    await sendOnce(note, state, async () => ({ kind: 'done', id: '1' }) as never);
  },
  audit: ({ store, tenant, person }) =>
    store.audit.add({ action: 'share', outcome: 'done', channel: 'slack', tenant, person, detail: person }),
};
