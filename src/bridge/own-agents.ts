/** The gateways of the agents that run without a platform. */

import { type AgentFunction, functionGateway } from '../agents/function-agent.ts';
import { type OwnPorts, openaiGateway } from '../agents/openai.ts';
import type { Config } from '../config/schema.ts';
import { BridgeError } from '../errors.ts';
import type { OwnGatewayOf } from './agents.ts';
import { createModelServers } from './model-servers.ts';

/** Functions by the names of their agents. */
export type OwnFunctions = ReadonlyMap<string, AgentFunction>;

interface OwnDeps extends OwnPorts {
  readonly functions?: OwnFunctions | undefined;
}

/** The returned function throws `config-invalid` for an agent whose function is missing. */
export function makeOwnGateways({ clock, random, functions }: OwnDeps): OwnGatewayOf {
  return (name, settings) => {
    if (settings.interface === 'openai') return openaiGateway(name, settings, { clock, random });
    const answer = functions?.get(name);
    if (answer !== undefined) return functionGateway(name, { clock }, answer);
    throw new BridgeError('config-invalid', `The agent "${name}" has no function.`);
  };
}

/** Opens the agents that run without a platform, and the health of their servers. */
export const openOwnAgents = (config: Pick<Config, 'platforms'>, deps: OwnDeps) => ({
  gatewayOf: makeOwnGateways(deps),
  ...createModelServers(config, deps.clock),
});
