/** Makes the content of the activities (messages and stream calls) of a reply. */

import { type Begin, GROWING, isUnsaid, type Plain } from '../../../src/kit/ladder.ts';
import { isFinal, type ReplyDocument } from '../../../src/kit.ts';
import { emitterOf } from '../render/emit.ts';
import { type Extent, messageOf, messageWith } from '../render/message.ts';
import type { RenderContext } from '../render/render-context.ts';
import { words } from '../render/words.ts';
import { cardExtent } from './cards.ts';
import { type Performing, streamKey } from './deps.ts';
import { renderContextOf, renderContextWithImages } from './render-context.ts';
import { type Call, mayBeDuplicate, type Of, type TeamsScreen } from './screen.ts';
import { firstContent, nextContent, type StreamContent, stepsLine } from './stream.ts';

type ContentCall = Exclude<Call, { kind: 'find' | 'delete' | 'uncard' }>;

export async function contentOf(call: ContentCall, at: Performing): Promise<Plain> {
  switch (call.kind) {
    case 'typing':
      return { type: 'typing' };
    case 'alive':
      return repeated(call, at);
    case 'start':
      return typed(call, call.begin, at, { streamSequence: 1 });
    case 'append':
      return typed(call, call.part.begin, at, {
        streamId: call.part.id,
        streamSequence: (call.part.emitted?.sequence ?? 0) + 1,
      });
    case 'stop':
      return finalOf(call, at);
    case 'post':
      return posted(call, call.begin, at);
    case 'update':
      return posted({ ...call, form: call.part.form }, call.part.begin, at);
    case 'card':
      return cardOf(call, at);
  }
}

/** Returns `steps` or `text`: what this call of the stream shows. */
export function contentKindOf(call: Of<'start' | 'append'>, { deps }: Performing): StreamContent {
  const emitter = emitterOf(deps.format);
  if (call.kind === 'start') return firstContent(emitter, call.document, call.begin);
  const { part, document } = call;
  return (part.emitted && nextContent(emitter, { ...part, emitted: part.emitted }, document)) ?? 'text';
}

/**
 * Returns the activity for one call of a stream. The activity contains the whole text so far, or one line with the
 * steps.
 */
function typed(call: Of<'start' | 'append'>, begin: Begin, at: Performing, stream: Plain): Plain {
  const { document, to } = call;
  const says = contentKindOf(call, at);
  const text = says === 'steps' ? stepsLine(document) : streamText(document.text.slice(0, to), begin, at);
  return streamCall(says, text, at, stream);
}

/** Returns the activity that repeats what the stream shows: its text, or the line with the steps. */
function repeated({ part, document }: Of<'alive'>, at: Performing): Plain {
  const text = shownBy(part.id, at);
  const stream = { streamId: part.id, streamSequence: part.emitted.sequence + 1 };
  return streamCall(text === undefined ? 'steps' : 'text', text ?? stepsLine(document), at, stream);
}

const streamCall = (says: StreamContent, text: string, { deps }: Performing, stream: Plain): Plain => ({
  type: 'typing',
  text,
  textFormat: deps.format,
  entities: [{ type: 'streaminfo', streamType: says === 'steps' ? 'informative' : 'streaming', ...stream }],
});

/** Returns the beginning of a message's text in Teams' Markdown: the part that further text can no longer change. */
function streamText(text: string, begin: Begin, { deps }: Performing): string {
  const { emit, headOut } = emitterOf(deps.format);
  return headOut(text, begin) + emit(text, begin, GROWING).out;
}

const shownBy = (stream: string, { deps, turn }: Performing): string | undefined =>
  deps.streamedTexts.get(streamKey(stream, turn));

async function finalOf(call: Of<'stop'>, at: Performing): Promise<Plain> {
  const { document, part, why, to } = call;
  const streaminfo = { type: 'streaminfo', streamId: part.id, streamType: 'final' };
  if (why === 'repair') {
    // If Teams has confirmed no text of the stream, send none; otherwise the message could show unconfirmed text.
    const isEmpty = part.emitted?.full === true && isUnsaid(part);
    const text = shownBy(part.id, at) ?? (isEmpty ? '' : streamText(document.text, part.begin, at));
    return {
      type: 'message',
      text: text || words.thinking,
      textFormat: at.deps.format,
      entities: [streaminfo],
    };
  }
  const context = await renderContextWithImages(document, at);
  const extent: Extent = { begin: part.begin, ...(to !== undefined && { to }) };
  // Send the card separately, because Teams' clients may show a text and its card apart, even when a stream closes
  // (microsoft/botframework-sdk issue 6366).
  const { attachments: _, ...message } = closingMessage(call, extent, context, at);
  return { ...message, entities: [streaminfo, ...message.entities] };
}

function closingMessage(
  { document, part, why }: Of<'stop'>,
  extent: Extent,
  context: RenderContext,
  at: Performing,
) {
  const { emit, closing, headOut } = emitterOf(at.deps.format);
  const { begin, form } = part;
  const isFree = why === 'end' && isUnsaid(part);
  if (isFree || document.text.slice(begin.at).trim() === '')
    return messageOf({ document, extent, context, form });
  const source = document.text.slice(0, extent.to);
  const ended = extent.to !== undefined || isFinal(document);
  const { out, state } = emit(source, begin, { ended });
  const text = headOut(document.text, begin) + out + closing(state);
  return messageWith(text, { document, extent, context, form });
}

type Posting = Pick<Of<'post'>, 'document' | 'screen' | 'to' | 'form'>;

/** Returns the message for a post or an edit, without its card. */
export function posted(
  { document, screen, to, form }: Posting,
  begin: Begin,
  at: Pick<Performing, 'turn' | 'deps'>,
) {
  const extent: Extent = { begin, ...(to !== undefined && { to }) };
  const doubtful = withDoubt(document, screen);
  const context = renderContextOf(at.turn, at.deps);
  const { attachments: _, ...message } = messageOf({ document: doubtful, extent, context, form });
  return message;
}

/** Returns the document. Adds a notice if people may see a message twice. */
function withDoubt(document: ReplyDocument, screen: TeamsScreen): ReplyDocument {
  if (!isFinal(document) || !mayBeDuplicate(screen)) return document;
  const doubt = { tone: 'info', text: words.unconfirmed } as const;
  return { ...document, notices: [...document.notices, doubt] };
}

async function cardOf({ document, screen, part, to }: Of<'card'>, at: Performing): Promise<Plain> {
  const doubtful = withDoubt(document, screen);
  const extent = cardExtent(document, part, to);
  const context = await renderContextWithImages(document, at);
  const { attachments } = messageWith('', { document: doubtful, extent, context, form: 'rich' });
  return { type: 'message', attachments };
}
