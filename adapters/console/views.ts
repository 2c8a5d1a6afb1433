import type { Media } from '../../src/kit.ts';
import type { Answers, MessageRecord, ReplyRecord } from './chat/records.ts';
import { viewSources } from './sources-view.ts';
import type { MediaView, MessageView, ReplyView } from './wire.ts';

/** Gives the address under which the viewer's browser loads an image of a reply. */
export type LinkImage = (media: Media, reply: ReplyRecord) => string | undefined;

export function viewMessage(record: MessageRecord, link: LinkImage, answers?: Answers): MessageView {
  const { asked: _asked, reply, shared, revision, verdicts, ...own } = record;
  const thumbs = reply && verdicts?.[reply.turn];
  return {
    ...own,
    ...(revision ? { edited: true } : {}),
    ...(reply ? { reply: { ...viewReply(reply, link), ...(thumbs ? { thumbs } : {}) } } : {}),
    ...(shared ? { shared } : {}),
    ...(answers?.count ? { answers: answers.count, lastAt: answers.lastAt } : {}),
  };
}

export function viewReply(reply: ReplyRecord, link: LinkImage): ReplyView {
  return { ...viewRest(reply, link), text: reply.text };
}

/** All of a reply but its text. */
export function viewRest(reply: ReplyRecord, link: LinkImage): Omit<ReplyView, 'text'> {
  const { text, account: _account, root: _root, media, sources, ...rest } = reply;
  return {
    ...rest,
    media: media.map((one) => viewMedia(one, one.kind === 'image' ? link(one, reply) : undefined)),
    sources: viewSources(sources, text),
  };
}

function viewMedia({ ref: _ref, ...own }: Media, address: string | undefined): MediaView {
  return address === undefined ? own : { ...own, address };
}
