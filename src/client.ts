/** The door `parley/platform`: the typed client of the agent platform, for programs. */

import { systemClock } from './clock.ts';
import { createPlatform, type Platform, type PlatformOptions } from './platform/api.ts';

export { BridgeError, type ErrorCode } from './errors.ts';
export {
  type AgentCredential,
  api,
  type CallOptions,
  type Credentials,
  changeUser,
  clearFileMetadata,
  completeOrg,
  type Download,
  deleteUsersById,
  deleteUsersByName,
  type FileSource,
  fileFromDisk,
  findTypeByCode,
  type Operation,
  operations,
  type Page,
  type PlatformClient,
  type PlatformOptions,
  type Progress,
  setFileMetadata,
  type UserPatch,
  waitBatch,
  waitIndexed,
  workspaceFinder,
} from './platform/api.ts';
export { Secret } from './secret.ts';

const silent = (): void => undefined;

/** Creates a client without connecting. Throws `config-invalid` if the base address cannot be used. */
export function connectPlatform(
  options: PlatformOptions,
): Pick<Platform, 'client' | 'answers' | 'check' | 'close'> {
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  return createPlatform(options, { clock: systemClock, log, random: Math.random });
}
