/** Writes a reply as one message at its end. */

import {
  isFinal,
  type Move,
  type ReplyDocument,
  type ReplyWriter,
  type Screen,
  type Turn,
} from '../../src/kit.ts';
import type { Connector } from './api/connector.ts';
import type { Places } from './receive/places.ts';

const blank: Screen = { rung: 'once', parts: [], finished: false };

export interface OnceParts {
  readonly connector: Pick<Connector, 'send'>;
  readonly places: Pick<Places, 'find'>;
}

export function createOnceWriter({ message }: Turn, { connector, places }: OnceParts): ReplyWriter {
  return {
    blank: () => blank,
    next(screen, document) {
      if (!isFinal(document) || document.state === 'withdrawn' || screen.finished) return [];
      return [{ family: 'activity', essential: true, call: { document } }];
    },
    after: (screen, _, outcome) => (outcome.kind === 'done' ? { ...screen, finished: true } : screen),
    async perform(move, signal) {
      const place = await places.find(message.thread);
      const document = written(move);
      if (place === undefined || document === undefined) return { kind: 'refused', why: 'gone' };
      const notices = document.notices.map(({ text }) => text);
      const text = [document.text, ...notices].filter((each) => each !== '').join('\n\n');
      const sent = await connector.send(place, { type: 'message', text, textFormat: 'markdown' }, signal);
      if (sent.kind === 'done') return { kind: 'done', ...(sent.id !== undefined && { id: sent.id }) };
      return sent.kind === 'refused' ? { kind: 'refused', why: 'gone' } : { kind: 'unknown' };
    },
    resume: (screen) => screen,
  };
}

function written({ call }: Move): ReplyDocument | undefined {
  return isOwn(call) ? call.document : undefined;
}

function isOwn(call: unknown): call is { readonly document: ReplyDocument } {
  return typeof call === 'object' && call !== null && 'document' in call;
}
