import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { SandboxCatalogue } from '../fixtures.ts';
import { sameText } from '../http/operation.ts';
import { type Database, numberOf, textOf } from '../store/database.ts';

interface NewClient {
  readonly name: string;
  readonly description: string;
  readonly domains: readonly string[];
}

interface ListedClient extends NewClient {
  readonly id: string;
  readonly createdAt: string;
}

/** Clients of the lite interface; of a secret only its hash is kept (platform contract CLT-1 to CLT-3). */
export interface Clients {
  create(client: NewClient): { readonly id: string; readonly secret: string };
  list(page: number, pageSize: number): { readonly items: readonly ListedClient[]; readonly total: number };
  knows(id: string, secret: string): boolean;
}

const hash = (secret: string): string => createHash('sha256').update(secret).digest('hex');

export function createClients(database: Database, catalogue: SandboxCatalogue, clock: Clock): Clients {
  const insert = database.prepare('INSERT OR IGNORE INTO clients VALUES (?, ?, ?, ?, ?, ?)');
  const select = database.prepare('SELECT secret_hash FROM clients WHERE id = ?');
  const page = database.prepare('SELECT * FROM clients ORDER BY created, id LIMIT ? OFFSET ?');
  const count = database.prepare('SELECT count(*) AS n FROM clients');
  const add = (id: string, secret: string, client: NewClient) =>
    insert.run(
      id,
      hash(secret),
      client.name,
      client.description,
      JSON.stringify(client.domains),
      clock.now(),
    );
  const { clientId, clientSecret } = catalogue.liteClient;
  add(clientId, clientSecret, {
    name: 'Embedded bridge',
    description: 'Ships with the sandbox',
    domains: [],
  });
  return {
    create: (client) => {
      const id = `client-${randomBytes(8).toString('hex')}`;
      const secret = randomBytes(24).toString('base64url');
      add(id, secret, client);
      return { id, secret };
    },
    list: (number, size) => ({
      items: page.all(size, (number - 1) * size).map((row) => ({
        id: textOf(row, 'id'),
        name: textOf(row, 'name'),
        description: textOf(row, 'description'),
        domains: JSON.parse(textOf(row, 'domains')) as string[],
        createdAt: new Date(numberOf(row, 'created')).toISOString(),
      })),
      total: numberOf(count.get() ?? {}, 'n'),
    }),
    knows: (id, secret) => {
      const row = select.get(id);
      return row !== undefined && sameText(textOf(row, 'secret_hash'), hash(secret));
    },
  };
}
