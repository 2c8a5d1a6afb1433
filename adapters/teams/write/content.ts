/** What the activities of a reply say. */

import { type Begin, GROWING } from '../../../src/kit/emission.ts';
import type { Plain } from '../../../src/kit/json.ts';
import { isFinal, type ReplyDocument } from '../../../src/kit.ts';
import { emitterOf } from '../render/emit.ts';
import type { Look } from '../render/look.ts';
import { type Extent, messageOf, messageWith } from '../render/message.ts';
import { words } from '../render/words.ts';
import type { Call, Of } from './calls.ts';
import { cardExtent } from './cards.ts';
import type { Performing } from './deps.ts';
import { lookOf, lookWithImages } from './look.ts';
import { isUnsaid } from './shapes.ts';
import { stepsLine } from './stream-moves.ts';

type Said = Exclude<Call, { kind: 'find' | 'delete' | 'uncard' }>;

export async function contentOf(call: Said, at: Performing): Promise<Plain> {
  switch (call.kind) {
    case 'typing':
      return { type: 'typing' };
    case 'start':
      return typed(call, at, { streamSequence: 1 });
    case 'stream':
      return typed({ ...call, begin: call.part.begin }, at, {
        streamId: call.part.id,
        streamSequence: (call.part.emitted?.sequence ?? 0) + 1,
      });
    case 'final':
      return finalOf(call, at);
    case 'post':
      return posted(call, call.begin, at);
    case 'update':
      return posted({ ...call, form: call.part.form }, call.part.begin, at);
    case 'card':
      return cardOf(call, at);
  }
}

type Typed = Pick<Of<'start'>, 'document' | 'begin' | 'says' | 'to'>;

/** Everything that was streamed so far, and more. */
function typed({ document, begin, says, to }: Typed, at: Performing, stream: Plain): Plain {
  const source = document.text.slice(0, to);
  const text = says === 'steps' ? stepsLine(document) : streamText(source, begin, at);
  const streamType = says === 'steps' ? 'informative' : 'streaming';
  return {
    type: 'typing',
    text,
    textFormat: at.deps.format,
    entities: [{ type: 'streaminfo', streamType, ...stream }],
  };
}

/** T of the source from a message's beginning, as far as it is decided. */
function streamText(text: string, begin: Begin, { deps }: Performing): string {
  const { emit, headOut } = emitterOf(deps.format);
  return headOut(text, begin) + emit(text, begin, GROWING).out;
}

async function finalOf(call: Of<'final'>, at: Performing): Promise<Plain> {
  const { document, part, why, to } = call;
  const streaminfo = { type: 'streaminfo', streamId: part.id, streamType: 'final' };
  if (why === 'repair') {
    // Else it may show what nobody confirmed.
    const isEmpty = part.emitted?.full === true && isUnsaid(part.begin, part.emitted);
    const text = at.streamed.get(part.id) ?? (isEmpty ? '' : streamText(document.text, part.begin, at));
    return {
      type: 'message',
      text: text || words.thinking,
      textFormat: at.deps.format,
      entities: [streaminfo],
    };
  }
  const look = await lookWithImages(document, at);
  const extent: Extent = { begin: part.begin, ...(to !== undefined && { to }) };
  // Clients may separate a text from its card here too (microsoft/botframework-sdk issue 6366), so the card is sent separately.
  const { attachments: _, ...message } = closingMessage(call, { extent, look, at });
  return { ...message, entities: [streaminfo, ...message.entities] };
}

interface Closing {
  readonly extent: Extent;
  readonly look: Look;
  readonly at: Performing;
}

function closingMessage({ document, part, why }: Of<'final'>, { extent, look, at }: Closing) {
  const { emit, closing, headOut } = emitterOf(at.deps.format);
  const { emitted, begin, form } = part;
  const isFree = why === 'end' && emitted !== undefined && isUnsaid(begin, emitted);
  if (isFree || document.text.slice(begin.at).trim() === '') return messageOf(document, extent, look, form);
  const source = document.text.slice(0, extent.to);
  const ended = extent.to !== undefined || isFinal(document);
  const { out, state } = emit(source, begin, { ended });
  const text = headOut(document.text, begin) + out + closing(state);
  return messageWith(text, { document, extent, look, form });
}

type Posting = Pick<Of<'post'>, 'document' | 'to' | 'form' | 'unconfirmed'>;

function posted({ document, to, form, unconfirmed }: Posting, begin: Begin, at: Performing): Plain {
  const extent: Extent = { begin, ...(to !== undefined && { to }) };
  const shown = unconfirmed ? withDoubt(document) : document;
  const { attachments: _, ...message } = messageOf(shown, extent, lookOf(at.turn, at.deps), form);
  return message;
}

function withDoubt(document: ReplyDocument): ReplyDocument {
  if (!isFinal(document)) return document;
  const doubt = { tone: 'info', text: words.unconfirmed } as const;
  return { ...document, notices: [...document.notices, doubt] };
}

async function cardOf({ document, part, to, unconfirmed }: Of<'card'>, at: Performing): Promise<Plain> {
  const shown = unconfirmed ? withDoubt(document) : document;
  const extent = cardExtent(document, part, to);
  const look = await lookWithImages(document, at);
  const { attachments } = messageWith('', { document: shown, extent, look, form: 'rich' });
  return { type: 'message', attachments };
}
