/** Files that people attached. They are listed with the message, and downloaded only when an agent needs them. */

import { looksLikePage } from '../../../src/kit/ladder.ts';
import { BridgeError, type FileRef } from '../../../src/kit.ts';
import type { TeamsMessage } from '../activity.ts';
import type { Connector } from '../api/connector.ts';
import type { Hosts } from '../api/hosts.ts';
import { words } from './words.ts';

/** Ids of files that Teams shows to people and not to bots: in a room, and in the one-to-one chat with the app. */
const HIDDEN = 'hidden';
const HIDDEN_IN_CHAT = 'hidden in chat';

/** Returns references to the files. A reference's id is the file's address, which suffices to download it later. */
export function fileRefs({ files, place }: Pick<TeamsMessage, 'files' | 'place'>): readonly FileRef[] {
  const hidden = place.kind === 'direct' ? HIDDEN_IN_CHAT : HIDDEN;
  return files.map(({ name, type, address = hidden }) => ({ id: address, name, type, bytes: 0 }));
}

/**
 * Matches paths of pasted images. When files are downloaded, the bot's token is sent only to these paths of the Bot
 * Connector, whatever address a message contains.
 */
const PASTED = /\/v3\/attachments\/[\w.~-]+\/views\/[\w.~-]+$/;

/**
 * Downloads a file. Rejects with `image-refused` and the reason. Sends the bot's token only to the Bot Connector (S05:
 * foreign hosts that ask for credentials).
 */
export async function openFile(
  { id: address }: FileRef,
  limit: number,
  { connector, hosts }: { readonly connector: Connector; readonly hosts: Hosts },
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (address === HIDDEN || address === HIDDEN_IN_CHAT) {
    throw new BridgeError('image-refused', 'Teams did not send the address of the file.', {
      tellUser: address === HIDDEN ? words.filesOnlyInChats : words.fileNotSent,
    });
  }
  if (!isFile(address, hosts))
    throw refused(
      'The file is stored outside of Teams. The bridge does not fetch it, because it sends its token only to Microsoft.',
    );
  const got = await connector.file(address, limit, signal);
  if (got.kind === 'refused') throw refused(`Teams answered ${got.status} instead of sending the file.`);
  if (got.kind !== 'got') {
    throw refused(
      got.reason === 'too-large'
        ? `The file is larger than ${limit} bytes.`
        : `The file could not be fetched: ${got.reason}.`,
    );
  }
  if (looksLikePage(got.value)) throw refused('Teams answered with a web page instead of the file.');
  return got.value;
}

/**
 * True if the address may be that of an attached file. Checks host and path, because programs can put any address into
 * a message.
 */
function isFile(address: string, hosts: Hosts): boolean {
  const service = hosts.serviceOf(address);
  return service === 'files' || (service === 'connector' && PASTED.test(new URL(address).pathname));
}

function refused(message: string): BridgeError {
  return new BridgeError('image-refused', message);
}
