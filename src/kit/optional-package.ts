/** Loads code that needs an optional package, such as the SDK of a chat platform. */

import { BridgeError } from '../errors.ts';

const MISSING = /^Cannot find package '([^']+)'/;

/**
 * Resolves with what `load` imports. Rejects with `channel-unavailable` and the cure if a package of it is not installed.
 * @param user what needs the package, such as `Slack`: the beginning of the error's sentence
 * @param cure the sentence that says how to install the packages of a channel from outside; by default, of Parley
 * @see {@link defineChannel}
 */
export async function withPackages<Module>(
  user: string,
  load: () => Promise<Module>,
  cure?: string,
): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    const name = cause instanceof Error && MISSING.exec(cause.message)?.[1];
    if (!name) throw cause;
    const what = `${user} needs the optional package ${name}, which is not installed.`;
    const usual = `Install Parley without --omit=optional, or run npm install ${name}.`;
    throw new BridgeError('channel-unavailable', `${what} ${cure ?? usual}`, { cause });
  }
}
