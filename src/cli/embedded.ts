import { type SandboxAgent, type SandboxCatalogue, sandboxCatalogue } from '../../sandbox/fixtures.ts';

/** As which platform account the console's demonstration people ask. */
const PEOPLE: Readonly<Record<string, string>> = {
  engineer: 'member-one',
  designer: 'member-two',
  manager: 'admin',
};

/** Over which interface each agent of the sandbox is asked; all three are used, so that all are seen to work. */
const LITE_KEY = new Set(['image-demo', 'fail-demo']);
const LITE_TOKEN = new Set(['slow-demo', 'privacy-demo']);

/** The sandbox's agents and people as configuration, for a bridge that has no platform of its own yet. */
export function embeddedSettings(): { readonly agents: object; readonly identity: object } {
  const agents = sandboxCatalogue.agents.map((agent) => [agent.name, entryOf(agent, sandboxCatalogue)]);
  const table = Object.entries(PEOPLE).map(([person, account]) => ({ person, account }));
  return { agents: Object.fromEntries(agents), identity: { table } };
}

function entryOf(agent: SandboxAgent, { liteClient, openClient }: SandboxCatalogue): object {
  const { description, seesImages } = agent;
  const account = { kind: 'client-account', ...openClient };
  if (LITE_KEY.has(agent.name)) {
    const credential = { kind: 'api-key', key: agent.apiKey };
    return { interface: 'lite-key', description, credential, mediaCredential: account, seesImages };
  }
  if (LITE_TOKEN.has(agent.name)) {
    const credential = { kind: 'client-token', ...liteClient };
    return { interface: 'lite-token', description, agentId: agent.uuid, credential, seesImages };
  }
  return { interface: 'open', description, expertCode: agent.expertCode, credential: account };
}
