/**
 * Handles the slash command, which asks a question in private. Makes no network call, because Slack waits only 3 s for
 * the acknowledgement, which contains the response to the command.
 */

import { agentName, pressResult, readAgent } from '../../../src/kit/ladder.ts';
import { defined } from '../../../src/kit.ts';
import { privateThread } from '../private-places.ts';
import type { ActOf } from '../receive/events.ts';
import { asMrkdwn } from '../render/escape.ts';
import type { Filled } from './ask-form.ts';
import { actMessage } from './asking.ts';
import type { Interaction } from './deps.ts';
import { words } from './words.ts';

/** Splits the text into agent and question: `agent: question`, or `agent question` if an agent has that name. */
export function readCommand(typed: string, agents: readonly string[]): Filled {
  const text = typed.trim();
  const named = readAgent(text, agents);
  if (named.agent !== undefined) return { agent: agentName(named.agent), question: named.text };
  const [, first = '', rest = ''] = /^@?(\S+)\s+(.+)$/s.exec(text) ?? [];
  const agent = agents.find((name) => name.toLowerCase() === first.toLowerCase());
  return agent === undefined ? { question: text } : { agent: agentName(agent), question: rest };
}

/** Resolves with the acknowledgement: a confirmation, the reason for a refusal, or the help text. */
export async function runCommand(interaction: Interaction, command: ActOf<'command'>): Promise<object> {
  const { deps, workspace, by } = interaction;
  const names = deps.host.agents().map(({ name }) => name);
  const { agent, question } = readCommand(command.text, names);
  const { command: own, name } = deps.settings;
  if (question === '' || /^help$/i.test(question)) return answer(words.help(own, name));
  const act = by.trigger ?? `${by.user}-${deps.host.clock.now()}`;
  const thread = privateThread(workspace.tenant, command.conversation, by.user, act);
  const at = (deps.host.clock.now() / 1_000).toFixed(6);
  const { user, team: home, responseUrl } = by;
  // The sender is looked up in Slack later, when the turn runs.
  const person = { id: user, name: user, standing: 'member' as const, ...defined({ home }) };
  const message = actMessage({ person }, { thread, text: question, agent, ts: at });
  const { sentence } = await pressResult(
    async () => {
      await deps.places.keep(thread, { user, ...defined({ responseUrl }) });
      return deps.host.intake({ kind: 'ask', origin: { kind: 'act', key: act }, message });
    },
    { host: deps.host, done: words.asking(agent) },
  );
  return answer(sentence);
}

function answer(sentence: string): object {
  return { response_type: 'ephemeral', text: asMrkdwn(sentence) };
}
