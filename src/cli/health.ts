/** Implements `parley health`, the health check of the container image. */

import { type CommandDeps, loadSettings } from './channels.ts';
import { isHealthy } from './doctor.ts';

/** Resolves with 0 if a bridge answers at the configured port of this machine, else with 1. */
export async function health(options: { readonly config?: string }, deps: CommandDeps): Promise<number> {
  const { host, port } = (await loadSettings(deps, options.config)).config.server;
  const isUp = await isHealthy(host, port);
  console.log(isUp ? `The bridge answers on port ${port}.` : `No bridge answers on port ${port}.`);
  return isUp ? 0 : 1;
}
