/** TLS in front of servers on loopback, under the names and at the port that the bridge knows. */

import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { createSecureContext, createServer, type SecureContext } from 'node:tls';
import type { Authority } from '../xmpp/certificates.ts';

/** An address of loopback that other servers of the tests do not use. */
export const ORIGINS = '127.77.0.1';

export interface Origins {
  close(): Promise<void>;
}

/** @param ports the port on loopback of each name */
export async function openOrigins(
  authority: Authority,
  ports: Readonly<Record<string, number>>,
): Promise<Origins> {
  const contexts = new Map<string, SecureContext>();
  for (const name of Object.keys(ports)) {
    const { certificate, key } = await authority.certify(name);
    contexts.set(name, createSecureContext({ cert: readFileSync(certificate), key: readFileSync(key) }));
  }
  const sockets = new Set<Socket>();
  const server = createServer(
    { SNICallback: (name, found) => found(null, contexts.get(name)), ALPNProtocols: ['http/1.1'] },
    (client) => {
      const port = ports[String(client.servername)];
      if (port === undefined) return void client.destroy();
      const target = connect(port, '127.0.0.1');
      for (const socket of [client, target]) {
        sockets.add(socket);
        socket.on('error', () => undefined);
      }
      client.on('close', () => target.destroy());
      target.on('close', () => client.destroy());
      client.pipe(target).pipe(client);
    },
  );
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(443, ORIGINS, () => resolve()),
  );
  return {
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
