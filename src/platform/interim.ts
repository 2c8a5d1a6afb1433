import type { Socket } from 'node:net';
import { buildConnector } from 'undici';

/** Matches interim responses with status 100, with their headers. */
const CONTINUE = /^(?:HTTP\/1\.[01] 100\b[\s\S]*?\r\n\r\n)+/;
const BEGUN = /^HTTP\/1\.[01] 100\b/;
/** Maximum characters of an interim response. */
const LONGEST = 16 * 1024;

/**
 * Returns a connector whose sockets leave out interim responses with status 100. A server may send one that nobody asked
 * for (RFC 9110, section 15.2), but undici closes the connection on it.
 */
export function connector(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, callback) =>
    connect(target, (error, socket) =>
      error === null ? callback(null, withoutContinue(socket)) : callback(error, null),
    );
}

function withoutContinue<Connection extends Socket>(socket: Connection): Connection {
  const read = socket.read.bind(socket);
  let answered = -1;
  let held = '';
  socket.read = (size) => {
    const chunk: unknown = read(size);
    // A response begins only after something was written, so a body that contains such a text stays as it is.
    if (!Buffer.isBuffer(chunk) || socket.bytesWritten === answered) return chunk;
    const text = (held + chunk.toString('latin1')).replace(CONTINUE, '');
    held = BEGUN.test(text) && text.length < LONGEST ? text : '';
    if (held !== '' || text === '') return null;
    answered = socket.bytesWritten;
    return Buffer.from(text, 'latin1');
  };
  return socket;
}
