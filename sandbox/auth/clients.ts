import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { sandboxCatalogue } from '../fixtures.ts';
import { sameText } from '../http/operation.ts';
import type { Database } from '../store/database.ts';
import { json } from '../store/table.ts';

const clientRow = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  domains: json<readonly string[]>(),
  /** When the client was created, in milliseconds since the epoch. */
  created: z.number(),
});

type NewClient = Pick<z.output<typeof clientRow>, 'name' | 'description' | 'domains'>;

export type Clients = ReturnType<typeof createClients>;

const hash = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/**
 * Stores the clients of the lite interface. Stores a hash in place of each client's secret (platform contract CLT-1 to
 * CLT-3: clients).
 */
export function createClients(database: Database, clock: Clock) {
  const insert = database.prepare('INSERT OR IGNORE INTO clients VALUES (?, ?, ?, ?, ?, ?)');
  const select = database.prepare('SELECT secret_hash FROM clients WHERE id = ?');
  const page = database.prepare('SELECT * FROM clients ORDER BY created, id LIMIT ? OFFSET ?');
  const count = database.prepare('SELECT count(*) AS n FROM clients');
  const add = (id: string, secret: string, { name, description, domains }: NewClient) =>
    insert.run(id, hash(secret), name, description, JSON.stringify(domains), clock.now());
  const { clientId, clientSecret } = sandboxCatalogue.liteClient;
  const shipped = { name: 'Embedded bridge', description: 'Ships with the sandbox', domains: [] };
  add(clientId, clientSecret, shipped);
  return {
    create: (client: NewClient) => {
      const id = `client-${randomBytes(8).toString('hex')}`;
      const secret = randomBytes(24).toString('base64url');
      add(id, secret, client);
      return { id, secret };
    },
    list: (number: number, size: number) => ({
      items: page.all(size, (number - 1) * size).map((row) => clientRow.parse(row)),
      total: Number(count.get()?.n),
    }),
    knows: (id: string, secret: string): boolean =>
      sameText(String(select.get(id)?.secret_hash ?? ''), hash(secret)),
  };
}
