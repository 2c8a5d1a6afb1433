/**
 * Files that people attached to messages. A question contains only a description of each file; a file is downloaded
 * when it is needed.
 */

import { cappedFetch, looksLikePage, plain, timeLimit } from '../../../src/kit/ladder.ts';
import { BridgeError, type FileRef, type Message, type Quote } from '../../../src/kit.ts';
import type { Read, Reads } from '../api/calls.ts';
import { isSlackAddress } from '../api/post.ts';
import type { Workspaces } from '../api/workspace.ts';
import { decodeFile } from '../receive/decode.ts';
import type { SlackFile } from '../receive/events.ts';

/** Maximum redirects of one download; all stay on the same host. */
const MAX_REDIRECTS = 3;
/** Maximum duration of a download, in milliseconds. */
const OPEN_MS = 60_000;

/**
 * Returns a reference to the file. Its id contains all that a later download needs: workspace, Slack's id, and the
 * address if known.
 */
export function fileRef({ id, name, type, bytes, url, words }: SlackFile, tenant: string): FileRef {
  const key = [tenant, id, ...(url === undefined ? [] : [url])].join(' ');
  return { id: key, name, type, bytes, ...(words?.kind === 'preview' && { preview: words.text }) };
}

/** Returns the files that an agent can get, and the descriptions of all others. */
export function passedOn(files: readonly SlackFile[], tenant: string) {
  const omitted = files.flatMap(({ closed, words }) => {
    if (closed === undefined) return [];
    if (words === undefined) return [closed];
    return words.isCut ? [`the rest of ${closed}`] : [];
  });
  const passed = files.filter(({ closed }) => closed === undefined);
  return { files: passed.map((each) => fileRef(each, tenant)), omitted };
}

interface FileDeps {
  readonly workspaces: Workspaces;
  readonly calls: Reads;
  readonly apiUrl: string;
}

/**
 * Downloads a file. Rejects with `image-refused` and the reason. Sends the bot's token to Slack's own hosts only (S05:
 * foreign hosts that ask for credentials).
 */
export async function openFile(
  file: FileRef,
  limit: number,
  { workspaces, calls, apiUrl }: FileDeps,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const [tenant = '', id = '', given] = file.id.split(' ');
  const workspace = await workspaces.ofTenant(tenant);
  if (workspace === undefined)
    throw refused(`The app is no longer installed in the workspace ${tenant} of the file.`);
  const { token } = workspace;
  // Events contain no addresses of files of other organizations.
  const read: Read = (method, args) => calls.read(workspace, method, args, signal);
  const address = given ?? (await askFile(id, read))?.url;
  if (address === undefined) throw refused(`Slack sent no address for the file ${id}.`);
  const within = AbortSignal.any([signal, timeLimit(OPEN_MS)]);
  return contentOf(await download(address, { token, apiUrl, limit }, within), limit);
}

async function askFile(id: string, read: Read) {
  return decodeFile(plain((await read('files.info', { file: id })).file));
}

/**
 * Reads the files of which the event contains only the ids
 * (https://docs.slack.dev/apis/slack-connect/#check_file_info). Their words become quotes, because others may have
 * written them.
 */
export async function withFiles(message: Message, reading: Read): Promise<Message> {
  const read = await Promise.all(
    message.files.map(({ id, type }) =>
      type === '' ? askFile(id.split(' ')[1] ?? '', reading).catch(() => undefined) : undefined,
    ),
  );
  const found = read.flatMap((file) => file ?? []);
  const { files, omitted } = passedOn(found, message.thread.tenant);
  const quotes = found.flatMap(({ name, closed, words }): Quote[] =>
    closed === undefined || words === undefined ? [] : [{ author: name, text: words.text, kind: 'file' }],
  );
  return {
    ...message,
    quoted: [...message.quoted, ...quotes],
    files: [...message.files.filter((_, at) => read[at] === undefined), ...files],
    omitted: [...(message.omitted ?? []), ...omitted],
  };
}

async function download(
  address: string,
  { token, apiUrl, limit }: { token: string; apiUrl: string; limit: number },
  signal: AbortSignal,
): Promise<Response> {
  let url = trusted(address, apiUrl);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const response = await cappedFetch(limit)(url, {
      headers: { authorization: `Bearer ${token}` },
      redirect: 'manual',
      signal,
    }).catch((cause: unknown) => {
      throw refused(`The file could not be fetched from ${url.host}.`, cause);
    });
    const next = response.headers.get('location');
    if (response.ok) return response;
    await response.body?.cancel();
    if (response.status < 300 || response.status >= 400 || next === null) {
      throw refused(`Slack answered ${response.status} instead of sending the file.`);
    }
    const following = trusted(new URL(next, url).href, apiUrl);
    if (following.host !== url.host) throw refused('Slack sent the download to another host.');
    url = following;
  }
  throw refused(`The file's address redirects more than ${MAX_REDIRECTS} times.`);
}

function trusted(address: string, apiUrl: string): URL {
  if (isSlackAddress(address, apiUrl)) return new URL(address);
  throw refused(
    'The file is stored outside of Slack. The bridge does not fetch it, because it sends its token only to Slack.',
  );
}

/** Returns the file. Refuses a web page: without the scope `files:read`, Slack answers 200 with its sign-in page. */
async function contentOf(response: Response, limit: number): Promise<Uint8Array> {
  const bytes = await response.bytes().catch((cause: unknown) => {
    throw refused(`The file is larger than ${limit} bytes, or Slack did not send all of it.`, cause);
  });
  if (looksLikePage(bytes)) {
    throw refused('Slack sent a web page instead of the file. Give the app the scope files:read.');
  }
  return bytes;
}

function refused(message: string, cause?: unknown): BridgeError {
  return new BridgeError('image-refused', message, cause === undefined ? {} : { cause });
}
