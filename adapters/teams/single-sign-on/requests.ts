/**
 * Stores the sign-ins that are under way: the turn that waits for a token, the ids of its cards, and the cards that must
 * be removed.
 */

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { list } from '../../../src/kit/ladder.ts';
import { type AdapterHost, defined, type Turn } from '../../../src/kit.ts';

/** Time for which a client may answer a sign-in card, in milliseconds. */
const CARD_MS = 15 * 60_000;
/**
 * Time for which a sent card is remembered, in milliseconds. A card that a crash has left is removed at the person's
 * next sign-in within this time.
 */
const SENT_MS = 24 * 60 * 60_000;
/** Maximum cards of one person that are remembered; usually there is one. */
const MAX_SENT = 20;
/** Matches an id that `randomUUID` made. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The person who signs in, in their chat with the app or in a group chat. */
export interface Signer {
  readonly tenant: string;
  readonly room: string;
  /** The person's id in Microsoft Entra. */
  readonly person: string;
}

const requestRecord = z.object({
  person: z.string(),
  /** The id that Teams gives the person for this bot. Absent if `person` is that id, and in records of earlier versions. */
  account: z.string().exactOptional(),
  turn: z.string(),
  thread: z.object({ tenant: z.string(), room: z.string(), key: z.string(), kind: z.literal('direct') }),
});

/** A question that waits for a token. */
export type Request = z.output<typeof requestRecord>;

/** `taken` is set once the record has been used. */
const stored = z.object({ request: requestRecord, taken: z.boolean() });
const sentCard = z.object({ turn: z.string(), id: z.string() });

/** A card in the person's chat: its message id, and the turn for which it was sent. */
export type SentCard = z.output<typeof sentCard>;

export function requestOf({ id: turn, message: { thread, sender } }: Turn): Request {
  const { tenant, room, key } = thread;
  const { id: person, account } = sender;
  return { person, ...defined({ account }), turn, thread: { tenant, room, key, kind: 'direct' } };
}

export const signerOf = ({ person, thread: { tenant, room } }: Request): Signer => ({ tenant, room, person });

const keyOf = (what: string, { tenant, room, person }: Signer, id?: string): string =>
  JSON.stringify([what, tenant, room, person, ...(id === undefined ? [] : [id])]);

const cardsIn = (value: unknown): readonly SentCard[] =>
  list(value).flatMap((each) => sentCard.safeParse(each).data ?? []);

export type Requests = ReturnType<typeof createRequests>;

export function createRequests(state: AdapterHost['state']) {
  const waiting = (signer: Signer) => keyOf('waits', signer);
  const cards = (signer: Signer) => keyOf('cards', signer);
  /** Marks a record as taken. Of several calls at once, only one gets the request. */
  const take = async (what: string, signer: Signer, id: string): Promise<Request | undefined> => {
    if (!ID.test(id)) return undefined;
    let found: Request | undefined;
    const next = (value: unknown) => {
      const { request, taken = true } = stored.safeParse(value).data ?? {};
      found = taken ? undefined : request;
      return found && { request: found, taken: true };
    };
    await state.change(keyOf(what, signer, id), next, CARD_MS, signer);
    return found;
  };
  return {
    /** Records that the turn waits for a token of its person. */
    open: (request: Request) =>
      state.set(waiting(signerOf(request)), request.turn, CARD_MS, signerOf(request)),
    /** Deletes the record that the turn waits, unless a later turn of the person has replaced that record. */
    close: (request: Request) =>
      state.change(
        waiting(signerOf(request)),
        (turn) => (turn === request.turn ? false : undefined),
        CARD_MS,
        signerOf(request),
      ),
    /** Resolves with the id of the person's turn that waits for a token; undefined if none does. */
    async waiting(signer: Signer): Promise<string | undefined> {
      const turn = await state.get(waiting(signer));
      return typeof turn === 'string' ? turn : undefined;
    },
    /** Makes the ids of a card: `exchange` for tokens, and `state` for a sign-in by hand. */
    async issue(request: Request): Promise<{ readonly exchange: string; readonly state: string }> {
      const [exchange, byHand] = [randomUUID(), randomUUID()];
      const record = { request, taken: false };
      const signer = signerOf(request);
      await Promise.all([
        state.set(keyOf('exchange', signer, exchange), record, CARD_MS, signer),
        state.set(keyOf('by hand', signer, byHand), record, CARD_MS, signer),
      ]);
      return { exchange, state: byHand };
    },
    /**
     * Resolves with `open` if a card with this id was sent to the person, with `taken` once a token was taken for it,
     * and otherwise with undefined.
     */
    async exchange(signer: Signer, id: string): Promise<'open' | 'taken' | undefined> {
      if (!ID.test(id)) return undefined;
      const found = stored.safeParse(await state.get(keyOf('exchange', signer, id))).data;
      return found && (found.taken ? 'taken' : 'open');
    },
    takeExchange: (signer: Signer, id: string) => take('exchange', signer, id),
    /** Resolves with the request, once; undefined if the state is unknown, used, or another person's. */
    takeState: (signer: Signer, id: string) => take('by hand', signer, id),
    async addCard(request: Request, id: string): Promise<void> {
      const card: SentCard = { turn: request.turn, id };
      const next = (known: unknown) => [...cardsIn(known), card].slice(-MAX_SENT);
      await state.change(cards(signerOf(request)), next, SENT_MS, signerOf(request));
    },
    cards: async (signer: Signer) => cardsIn(await state.get(cards(signer))),
    /** Records that the card is no longer in the chat. */
    async dropCard(signer: Signer, { id }: SentCard): Promise<void> {
      const next = (known: unknown) => {
        const others = cardsIn(known).filter((each) => each.id !== id);
        return others.length < list(known).length ? others : undefined;
      };
      await state.change(cards(signer), next, SENT_MS, signer);
    },
  };
}
