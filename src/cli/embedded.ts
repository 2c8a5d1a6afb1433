import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { WrittenSettings } from '../config/schema.ts';

const agentSchema = z.object({
  name: z.string(),
  description: z.string(),
  group: z.string().optional(),
  questions: z.array(z.string()).optional(),
  apiKey: z.string(),
  uuid: z.string(),
  expertCode: z.string(),
  seesImages: z.boolean(),
});

const catalogueSchema = z.object({
  agents: z.array(agentSchema),
  liteClient: z.object({ clientId: z.string(), clientSecret: z.string(), username: z.string() }),
  openClient: z.object({ client: z.string(), secret: z.string(), account: z.string() }),
  adminToken: z.string(),
});

type Catalogue = z.infer<typeof catalogueSchema>;

/** Platform accounts of the console's demonstration people. */
const PEOPLE: Readonly<Record<string, string>> = {
  engineer: 'member-one',
  designer: 'member-two',
  manager: 'admin',
};

/**
 * Agents that use a Lite interface, with an API key or with a token. All others use the Open API, so that each of the
 * three interfaces has an agent that demonstrates it.
 */
const LITE_KEY = new Set(['image-demo', 'fail-demo']);
const LITE_TOKEN = new Set(['slow-demo', 'privacy-demo']);

/** Reads the sandbox's agents and credentials from `sandbox/catalogue.json`, which ships with it. */
export function sandboxCatalogue(): Catalogue {
  const path = join(import.meta.dirname, '../../sandbox/catalogue.json');
  return catalogueSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
}

/** Returns settings with the sandbox's agents and people. They apply if no platform is configured. */
export function embeddedSettings() {
  const catalogue = sandboxCatalogue();
  const agents = catalogue.agents.map((agent) => [agent.name, entryOf(agent, catalogue)] as const);
  const table = Object.entries(PEOPLE).map(([person, account]) => ({ person, account }));
  return { agents: Object.fromEntries(agents), identity: { table } };
}

type Entry = NonNullable<WrittenSettings['agents']>[string];

function entryOf(agent: Catalogue['agents'][number], { liteClient, openClient }: Catalogue): Entry {
  const { description, group, questions, seesImages } = agent;
  const card = { description, ...(group && { group }), ...(questions && { questions }) };
  const account = { kind: 'client-account', ...openClient } as const;
  if (LITE_KEY.has(agent.name)) {
    const credential = { kind: 'api-key', key: agent.apiKey } as const;
    return { interface: 'lite-key', ...card, credential, mediaCredential: account, seesImages };
  }
  if (LITE_TOKEN.has(agent.name)) {
    const credential = { kind: 'client-token', ...liteClient } as const;
    return { interface: 'lite-token', ...card, agentId: agent.uuid, credential, seesImages };
  }
  return { interface: 'open', ...card, expertCode: agent.expertCode, credential: account };
}
