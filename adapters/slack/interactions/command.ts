/** The slash command asks in private. It makes no network call, because its answer is the acknowledgement. */

import { readAgent } from '../../../src/kit/named-agent.ts';
import { type AgentName, agentName, taken } from '../../../src/kit.ts';
import { privateThread } from '../private.ts';
import type { SlackAct } from '../receive/events.ts';
import { asMrkdwn } from '../render/escape.ts';
import { actMessage } from './asking.ts';
import type { Scene } from './deps.ts';
import { words } from './words.ts';

type Command = Extract<SlackAct, { kind: 'command' }>;

interface AskedFor {
  readonly agent?: AgentName;
  readonly question: string;
}

/** Reads `agent: question`, or `agent question` if an agent has that name. */
export function readCommand(said: string, agents: readonly string[]): AskedFor {
  const text = said.trim();
  const named = readAgent(text, agents);
  if (named.agent !== undefined) return { agent: agentName(named.agent), question: named.text };
  const [, first = '', rest = ''] = /^@?(\S+)\s+(.+)$/s.exec(text) ?? [];
  const agent = agents.find((name) => name.toLowerCase() === first.toLowerCase());
  return agent === undefined ? { question: text } : { agent: agentName(agent), question: rest };
}

/** Resolves with the acknowledgement: a confirmation, the reason for a refusal, or the help text. */
export async function runCommand(scene: Scene, command: Command): Promise<object> {
  const { deps, workspace, by } = scene;
  const names = deps.host.agents().map(({ name }) => name);
  const { agent, question } = readCommand(command.text, names);
  const { command: own, name } = deps.settings;
  if (question === '' || /^help$/i.test(question)) return answer(words.help(own, name));
  const act = by.trigger ?? `${by.user}-${deps.host.clock.now()}`;
  const thread = privateThread({ tenant: workspace.tenant, room: command.conversation, user: by.user, act });
  const at = (deps.host.clock.now() / 1_000).toFixed(6);
  const person = { id: by.user, name: by.user, standing: 'member' as const, ...homeOf(scene) };
  const { responseUrl } = by;
  const place = { user: by.user, ...(responseUrl !== undefined && { responseUrl }) };
  const message = actMessage({ person }, { thread, text: question, agent, ts: at });
  const { sentence } = await taken(
    async () => {
      await deps.places.keep(thread, place);
      return deps.host.intake({ kind: 'ask', origin: { kind: 'act', key: act }, message });
    },
    { host: deps.host, done: words.asking(agent) },
  );
  return answer(sentence);
}

/** The home that the request names; the turn looks up the person in Slack when it runs. */
function homeOf({ by }: Scene): { home?: string } {
  return by.team === undefined ? {} : { home: by.team };
}

function answer(sentence: string): object {
  return { response_type: 'ephemeral', text: asMrkdwn(sentence) };
}
