/** Starts the bridge and a platform as separate processes, and a real XMPP server with one person in many rooms. */

import { xmppLine } from '../../fakes/xmpp/entry.ts';
import { connectPerson, roomOf, type XmppPerson } from '../../fakes/xmpp/person.ts';
import { DOMAIN, PASSWORD, type ServerName, startServer } from '../../fakes/xmpp/servers.ts';
import { openProcesses, type Processes } from '../channel/processes.ts';

const ROOMS = 10;
export const NICK = 'Parley';
/** Maximum time until the bridge is in all rooms, in milliseconds. */
const JOINED_MS = 20_000;

export interface House extends Processes {
  /** A person who is in all rooms. */
  readonly person: XmppPerson;
  /** Addresses of the rooms. */
  readonly rooms: readonly string[];
  close(): Promise<void>;
}

export interface HouseOptions {
  readonly server: ServerName;
  /** Messages a second that the bridge sends at most; absent: the bridge's default, and the server's default limits. */
  readonly messagesPerSecond?: number;
  /** Number of rooms; absent: 10. */
  readonly rooms?: number;
  /** Further variables of the bridge. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Starts all parts. If one fails to start, those already started are closed. */
export async function openHouse({
  server: name,
  messagesPerSecond,
  rooms: count = ROOMS,
  variables = {},
}: HouseOptions): Promise<House> {
  const rooms = Array.from({ length: count }, (_, nth) => roomOf(`bench-${nth}`));
  const opened = new AsyncDisposableStack();
  try {
    const isUnlimited = messagesPerSecond !== undefined;
    const server = opened.adopt(
      await startServer(name, ['parley', 'ann'], {
        showsAddresses: true,
        ...(isUnlimited && { isUnlimited }),
      }),
      (it) => it.stop(),
    );
    const person = opened.adopt(await connectPerson(server.port, 'ann'), (it) => it.close());
    for (const room of rooms) await person.join(room);
    const processes = await openProcesses(opened, {
      line: xmppLine({
        ...{ jid: `parley@${DOMAIN}`, password: PASSWORD, server: `127.0.0.1:${server.port}`, tls: 'none' },
        ...{ rooms, messagesPerSecond },
      }),
      environment: variables,
    });
    for (const deadline = Date.now() + JOINED_MS; !isEverywhere(person, rooms); ) {
      if (Date.now() > deadline) throw new Error('The bridge did not join the rooms.');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return { ...processes, person, rooms, close: () => opened.disposeAsync() };
  } catch (thrown) {
    await opened.disposeAsync();
    throw thrown;
  }
}

const isEverywhere = ({ stanzas }: XmppPerson, rooms: readonly string[]): boolean =>
  rooms.every((room) =>
    stanzas.some(({ name, attrs }) => name === 'presence' && attrs.from === `${room}/${NICK}`),
  );
