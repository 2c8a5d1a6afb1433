/**
 * Stands between the bridge and a real server, and makes single messages of the bridge fail. It changes no counter of
 * stream management (XEP-0198): a refused message is readdressed, so that the server itself answers it with an error.
 */

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { ROOMS } from './servers.ts';

/**
 * `lost`: the message does not arrive, and the connection breaks. `hidden`: it arrives, and the connection breaks before
 * the room's copy of it comes back. `hang`: only the copy is dropped. The others: the server refuses the message.
 */
export type MessageFault = 'lost' | 'hidden' | 'hang' | 'rate' | 'busy' | 'gone';

export interface LyingProxy {
  readonly port: number;
  /** Lets the bridge's next message fail. */
  fail(fault: MessageFault): void;
  /** Number of messages and requests that the bridge has sent. */
  calls(): number;
  close(): Promise<void>;
}

/** Conditions of RFC 6120, section 8.3.3. Prosody and ejabberd refuse a message that comes too soon with the first. */
const CONDITIONS = {
  rate: 'resource-constraint',
  busy: 'internal-server-error',
  gone: 'item-not-found',
} as const;
/** A room that does not exist. Servers answer `item-not-found` to a message for it. */
const NOWHERE = `nowhere@${ROOMS}`;

interface Refused {
  readonly to: string;
  readonly condition: string;
}

export async function startLyingProxy(serverPort: number): Promise<LyingProxy> {
  let armed: MessageFault | undefined;
  let calls = 0;
  /** Messages whose copy ends the connection or is dropped, and messages that the server refuses, by their ids. */
  const copies = new Map<string, 'hidden' | 'hang'>();
  const refused = new Map<string, Refused>();
  const sockets = new Set<Socket>();
  /** Takes a stanza of the bridge. Returns what the server gets instead; undefined if the connection breaks. */
  const outgoing = (unit: string): string | undefined => {
    if (!/^<(?:message|iq)\b/.test(unit)) return unit;
    calls += 1;
    if (armed === undefined || !unit.startsWith('<message')) return unit;
    const fault = armed;
    armed = undefined;
    if (fault === 'lost') return undefined;
    const id = attribute(unit, 'id');
    if (fault === 'hidden' || fault === 'hang') {
      copies.set(id, fault);
      return unit;
    }
    refused.set(id, { to: attribute(unit, 'to'), condition: CONDITIONS[fault] });
    return unit.replace(/ to="[^"]*"/, ` to="${NOWHERE}"`);
  };
  /** Returns what the bridge gets of a stanza of the server; undefined if the connection breaks. */
  const incoming = (unit: string): string | undefined => {
    if (!unit.startsWith('<message')) return unit;
    const id = attribute(unit, 'id');
    const refusal = refused.get(id);
    if (refusal !== undefined && attribute(unit, 'type') === 'error')
      return unit.replaceAll(NOWHERE, refusal.to).replaceAll('item-not-found', refusal.condition);
    const fault = copies.get(id);
    copies.delete(id);
    return fault === undefined ? unit : fault === 'hang' ? '' : undefined;
  };
  const server = createServer((bridge) => {
    const own = connect(serverPort, '127.0.0.1');
    const destroy = (): void => void [bridge, own].map((each) => each.destroy());
    for (const [from, to, change] of [
      [bridge, own, outgoing],
      [own, bridge, incoming],
    ] as const) {
      sockets.add(from);
      const units = createSplitter();
      from.setEncoding('utf8');
      from.on('data', (text) => {
        for (const unit of units(String(text))) {
          const changed = change(unit);
          if (changed === undefined) return destroy();
          to.write(changed);
        }
      });
      from.on('error', destroy);
      from.on('close', () => {
        sockets.delete(from);
        to.end();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    fail(fault) {
      armed = fault;
    },
    calls: () => calls,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const attribute = (unit: string, name: string): string =>
  new RegExp(`^<[^>]*? ${name}=(?:"([^"]*)"|'([^']*)')`)
    .exec(unit)
    ?.slice(1)
    .find((value) => value !== undefined) ?? '';

/** Matches one tag. Streams contain no comments and no document types (RFC 6120, section 11.1). */
const TAG = /<(?:[^>"']|"[^"]*"|'[^']*')*>/y;

/** Splits the XML of a stream into stanzas, and into the opening and closing tags of the stream. */
function createSplitter(): (text: string) => readonly string[] {
  let rest = '';
  return (text) => {
    rest += text;
    const units: string[] = [];
    let begin = 0;
    let depth = 0;
    for (let at = 0; ; ) {
      const open = rest.indexOf('<', at);
      if (open < 0) break;
      TAG.lastIndex = open;
      const tag = TAG.exec(rest)?.[0];
      if (tag === undefined) break;
      at = open + tag.length;
      const isOutside = /^<\?|^<\/?stream:stream\b/.test(tag);
      if (!isOutside && !tag.endsWith('/>')) depth += tag.startsWith('</') ? -1 : 1;
      if (depth > 0) continue;
      units.push(rest.slice(begin, at));
      begin = at;
    }
    rest = rest.slice(begin);
    return units;
  };
}
