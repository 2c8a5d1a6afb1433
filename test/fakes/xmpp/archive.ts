/** Reads whole archives (XEP-0313) with the people's client library, which shares no code with the adapter. */

import { type XmlElement, xml } from '@xmpp/client';
import type { XmppPerson } from './person.ts';

export interface ArchivedMessage {
  /** Id of the message in the archive. */
  readonly id: string;
  /** Time of the message in milliseconds since the epoch. Prosody 0.12 cuts it to whole seconds. */
  readonly at: number;
  readonly message: XmlElement;
}

/** Messages on a page; prosody sends at most 50. */
const PAGE = '50';
const ARCHIVE = 'urn:xmpp:mam:2';
const PAGES = 'http://jabber.org/protocol/rsm';

/**
 * Returns all messages in an archive, oldest first.
 * @param room if undefined, the archive of the person's own account
 */
export async function readArchive(person: XmppPerson, room?: string): Promise<readonly ArchivedMessage[]> {
  const all: ArchivedMessage[] = [];
  for (let after: string | undefined; ; ) {
    const queryid = `page-${all.length}-${room ?? ''}`;
    const place = after === undefined ? undefined : xml('after', {}, after);
    const set = xml('set', { xmlns: PAGES }, xml('max', {}, PAGE), place);
    const seen = person.stanzas.length;
    const answer = await person.request(room, 'set', xml('query', { xmlns: ARCHIVE, queryid }, set));
    const results = person.stanzas.slice(seen).flatMap((each) => each.getChild('result', ARCHIVE) ?? []);
    all.push(...results.filter(({ attrs }) => attrs.queryid === queryid).flatMap(archivedIn));
    const fin = answer.getChild('fin', ARCHIVE);
    after = fin?.getChild('set', PAGES)?.getChildText('last') ?? undefined;
    if (fin?.attrs.complete === 'true' || after === undefined) return all;
  }
}

function archivedIn(result: XmlElement): readonly ArchivedMessage[] {
  const forwarded = result.getChild('forwarded', 'urn:xmpp:forward:0');
  const message = forwarded?.getChild('message');
  const stamp = forwarded?.getChild('delay', 'urn:xmpp:delay')?.attrs.stamp;
  if (message === undefined || stamp === undefined) return [];
  return [{ id: result.attrs.id ?? '', at: Date.parse(stamp), message }];
}
