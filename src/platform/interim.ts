import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { undici } from '../outgoing.ts';

/** Matches interim responses, with their headers. Status 101 is none, because another protocol follows it. */
const INTERIM = /^(?:HTTP\/1\.[01] 1(?!01)\d\d\b[\s\S]*?\r\n\r\n)+/;
const INTERIM_START = /^HTTP\/1\.[01] 1(?!01)\d\d\b/;
/** Completes a text that has too few characters to show which status it begins. */
const SHORTEST = 'HTTP/1.1 100';
/** Maximum characters of an interim response. */
const MAX_CHARS = 16 * 1024;

/**
 * Returns a connector whose sockets leave out interim responses. A server may send one with status 100 without a request
 * for it (RFC 9110, section 15.2), also after others, but undici then closes the connection.
 */
export function connector(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = undici().buildConnector(options);
  return (target, callback) =>
    connect(target, (error, socket) =>
      error === null ? callback(null, withoutInterim(socket)) : callback(error, null),
    );
}

function withoutInterim<Connection extends Socket>(socket: Connection): Connection {
  const read = socket.read.bind(socket);
  /** Value of `bytesWritten` when the last response began. */
  let written = -1;
  let incomplete = '';
  socket.read = (size) => {
    const chunk: unknown = read(size);
    // A response begins only after a request was written. Later chunks are its body, which must not be changed.
    if (!Buffer.isBuffer(chunk) || socket.bytesWritten === written) return chunk;
    const text = (incomplete + chunk.toString('latin1')).replace(INTERIM, '');
    const start = text + SHORTEST.slice(text.length);
    incomplete = text !== '' && INTERIM_START.test(start) && text.length < MAX_CHARS ? text : '';
    if (incomplete !== '' || text === '') return null;
    written = socket.bytesWritten;
    return Buffer.from(text, 'latin1');
  };
  return socket;
}
