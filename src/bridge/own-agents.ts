/** The gateways of the agents that run without a platform. */

import { type AgentFunction, functionGateway } from '../agents/function-agent.ts';
import { type OwnPorts, openaiGateway } from '../agents/openai.ts';
import type { Config } from '../config/schema.ts';
import { BridgeError } from '../errors.ts';
import type { OwnGatewayOf } from './agents.ts';
import { createModelServers } from './model-servers.ts';

/** Functions by the names of their agents. */
export type OwnFunctions = ReadonlyMap<string, AgentFunction>;

/** The returned function throws `config-invalid` for an agent whose function is missing. */
export function makeOwnGateways(ports: OwnPorts, functions?: OwnFunctions | undefined): OwnGatewayOf {
  return (name, settings) => {
    if (settings.interface === 'openai') return openaiGateway(name, settings, ports);
    const answer = functions?.get(name);
    if (answer !== undefined) return functionGateway(name, ports, answer);
    throw new BridgeError('config-invalid', `The agent "${name}" has no function.`);
  };
}

/** Opens the agents that run without a platform, and the health of their servers. */
export const openOwnAgents = (
  config: Pick<Config, 'platforms'>,
  ports: OwnPorts,
  functions: OwnFunctions | undefined,
) => ({ gatewayOf: makeOwnGateways(ports, functions), ...createModelServers(config, ports.clock) });
