import type { Media } from '../../../src/kit/ladder.ts';
import { defined } from '../../../src/kit.ts';
import { viewSources } from '../sources-view.ts';
import type { MessageView, ReplyView } from '../wire.ts';
import type { Answers, MessageRecord, ReplyRecord } from './records.ts';

/** Functions of the bridge from which a reply's view is made. */
export interface ReplyExtras {
  /** Returns the address from which a browser loads the image; undefined if the image cannot be opened. */
  link(media: Media, reply: ReplyRecord): string | undefined;
  /** True if "Ask as me" may use other rights on the platform than the reply's account has. */
  otherRights(reply: ReplyRecord): boolean;
  /**
   * True if the finished answer can be corrected, and the access rules allow at least one person in this place to
   * correct it.
   */
  offersCorrection(reply: ReplyRecord, place: MessagePlace): boolean;
}

type MessagePlace = Pick<MessageRecord, 'room' | 'thread'>;

export function viewMessage(record: MessageRecord, extras: ReplyExtras, answers?: Answers): MessageView {
  const { asked: _asked, reply, shared, revision, verdicts, ...own } = record;
  const thumbs = reply && verdicts?.[reply.turn];
  return {
    ...own,
    ...(revision ? { edited: true } : {}),
    ...(reply && { reply: { ...viewRest(reply, extras, own), text: reply.text, ...(thumbs && { thumbs }) } }),
    ...(shared ? { shared } : {}),
    ...(answers?.count ? { answers: answers.count, lastAt: answers.lastAt } : {}),
  };
}

/** Returns all of a reply's view except its text. */
export function viewRest(
  reply: ReplyRecord,
  extras: ReplyExtras,
  place: MessagePlace,
): Omit<ReplyView, 'text'> {
  const { text, media, sources, account: _account, root: _root, ...more } = reply;
  const { earlier: _earlier, attempt: _attempt, ...rest } = more;
  return {
    ...rest,
    ...(extras.otherRights(reply) && { asMe: true }),
    ...(extras.offersCorrection(reply, place) && { correctable: true }),
    media: media.map((one) => {
      const { ref: _ref, ...own } = one;
      return { ...own, ...defined({ address: one.kind === 'image' ? extras.link(one, reply) : undefined }) };
    }),
    sources: viewSources(sources, text),
  };
}
