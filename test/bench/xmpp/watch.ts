/** Finds when text became visible to a person, from the messages that reached the person's client. */

import type { XmppPerson } from '../../fakes/xmpp/person.ts';
import type { Seen } from '../channel/runs.ts';

export interface XmppSeen extends Seen {
  /** Bytes of the message with the last words. */
  readonly lastBytes: number;
}

interface Growing {
  readonly id: string;
  readonly texts: Map<string, string>;
  readonly growth: { readonly at: number; readonly chars: number }[];
  lastAt: number | undefined;
  lastBytes: number;
  closedAt: number;
}

export interface Watch {
  /** Notes that the question of this id begins the thread. Returns a function that reads the state of its reply. */
  ask(thread: string, id: string): () => XmppSeen;
}

/** Watches the bridge's messages in all rooms; each thread has one question. */
export function createWatch(person: XmppPerson, nick: string): Watch {
  const threads = new Map<string, Growing>();
  let read = 0;
  const advance = (): void => {
    for (; read < person.stanzas.length; read += 1) {
      const [stanza, at = 0] = [person.stanzas[read], person.arrivals[read]];
      if (stanza?.name !== 'message' || !stanza.attrs.from?.endsWith(`/${nick}`)) continue;
      const its = threads.get(stanza.getChildText('thread') ?? '');
      const text = stanza.getChildText('body');
      if (its === undefined || text === null) continue;
      const replaced = stanza.getChild('replace', 'urn:xmpp:message-correct:0')?.attrs.id;
      its.texts.set(replaced ?? stanza.attrs.id ?? '', text);
      its.closedAt = at;
      const whole = [...its.texts.values()].join('\n');
      its.growth.push({ at, chars: whole.length });
      if (its.lastAt !== undefined || !whole.includes(`END-${its.id}`)) continue;
      its.lastAt = at;
      its.lastBytes = Buffer.byteLength(stanza.toString());
    }
  };
  return {
    ask(thread, id) {
      const its: Growing = { id, texts: new Map(), growth: [], lastAt: undefined, lastBytes: 0, closedAt: 0 };
      threads.set(thread, its);
      return () => {
        advance();
        const { growth, lastAt, lastBytes, closedAt } = its;
        const first = growth[0]?.at;
        return {
          ...{ growth, lastBytes, closedAt },
          ...(first !== undefined && { firstAt: first }),
          ...(lastAt !== undefined && { lastAt }),
        };
      };
    },
  };
}
