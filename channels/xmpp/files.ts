/** Files: uploads to the server (XEP-0363), and downloads of what people shared. */

import { BridgeError, type FileRef, timeLimit } from 'parley/kit';
import { looksLikePage } from 'parley/kit/ladder';
import { domainOf, NS } from './protocol.ts';
import type { Connection } from './stream/connection.ts';
import { childOf, childrenOf, childText, type Element, element, elementsOf, textOf } from './stream/xml.ts';

/** Maximum milliseconds for one upload or download. */
const TRANSFER_MS = 60_000;
/** Headers that an upload may set (XEP-0363, section 4). */
const HEADERS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'expires']);

interface Upload {
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly name: string;
}

export type Uploads = ReturnType<typeof createUploads>;

export interface UploadService {
  readonly address: string;
  /** Maximum size of a file in bytes; undefined if the service names none. */
  readonly limit: number | undefined;
  /** An address to which a file could be uploaded. */
  readonly url: string;
}

/**
 * @param domain domain of the account
 * @param members domains whose people are members
 */
export function createUploads(connection: () => Connection, domain: string, members: readonly string[]) {
  let service: Promise<Service | undefined> | undefined;
  /** Hosts to which the account's server has sent uploads. */
  const hosts = new Set<string>();
  const serviceOf = (signal: AbortSignal): Promise<Service | undefined> => {
    service ??= findService(connection(), domain, signal).catch((thrown: unknown) => {
      service = undefined;
      throw thrown;
    });
    return service;
  };
  const slot = async (name: string, bytes: number, type: string, signal: AbortSignal) => {
    const to = (await serviceOf(signal))?.address;
    if (to === undefined) throw new BridgeError('channel-unavailable', 'The XMPP server accepts no uploads.');
    const wanted = element('request', NS.upload, { filename: name, size: `${bytes}`, 'content-type': type });
    const answer = childOf(await connection().request('get', to, wanted, signal), 'slot', NS.upload);
    const put = answer && childOf(answer, 'put', NS.upload);
    const address = answer && childOf(answer, 'get', NS.upload)?.attrs.url;
    if (put?.attrs.url === undefined || address === undefined)
      throw new BridgeError('channel-unavailable', 'The XMPP server gave no address for an upload.');
    hosts.add(new URL(address).host);
    return { put, address, to: put.attrs.url };
  };
  return {
    /** Uploads the bytes and resolves with the address from which people load them. */
    async put({ bytes, type, name }: Upload, signal: AbortSignal) {
      const { put, address, to } = await slot(fileName(name, type), bytes.byteLength, type, signal);
      const response = await fetch(to, {
        method: 'PUT',
        body: Buffer.from(bytes),
        headers: { 'content-type': type, ...headersOf(put) },
        redirect: 'error',
        signal: AbortSignal.any([signal, timeLimit(TRANSFER_MS)]),
      });
      await response.body?.cancel();
      if (response.ok) return address;
      throw new BridgeError(
        'channel-unavailable',
        `The XMPP server answered an upload with ${response.status}.`,
      );
    },
    /**
     * Looks for the upload service and asks it for a place for a small file; nothing is uploaded. Resolves with
     * undefined if there is no service. Rejects with `StanzaError` if the service refuses.
     */
    async look(signal: AbortSignal) {
      const found = await serviceOf(signal);
      return found && { ...found, url: (await slot('look', 1, 'text/plain', signal)).to };
    },
    /** Downloads a file that a person shared. Rejects with `image-refused`. */
    async open({ id }: FileRef, limit: number, signal: AbortSignal) {
      const url = URL.canParse(id) ? new URL(id) : undefined;
      if (url === undefined) throw refused('The address of the file is invalid.');
      // The address of a slot tells which host keeps the uploads of the account's server. The request uploads nothing.
      if (hosts.size === 0) await slot('look', 1, 'text/plain', signal).catch(() => undefined);
      if (!isServed(url, hosts, members))
        throw refused('The file is not on the XMPP server. The bridge loads files from nowhere else.');
      return download(url, limit, signal);
    },
  };
}

type Service = Omit<UploadService, 'url'>;

/** Looks for the upload service among the server's own services (XEP-0030). */
async function findService(
  connection: Connection,
  domain: string,
  signal: AbortSignal,
): Promise<Service | undefined> {
  const answer = await connection.request('get', domain, element('query', NS.discoItems), signal);
  const items = childOf(answer, 'query', NS.discoItems);
  const addresses =
    items === undefined
      ? []
      : childrenOf(items, 'item', NS.discoItems).flatMap(({ attrs }) => attrs.jid ?? []);
  for (const address of [domain, ...addresses]) {
    const info = await connection
      .request('get', address, element('query', NS.discoInfo), signal)
      .catch(() => undefined);
    const query = info && childOf(info, 'query', NS.discoInfo);
    const features = query === undefined ? [] : childrenOf(query, 'feature', NS.discoInfo);
    if (query !== undefined && features.some(({ attrs }) => attrs.var === NS.upload))
      return { address, limit: limitIn(query) };
  }
  return undefined;
}

/** Returns the maximum size that the service names in a form (XEP-0363, section 4). */
function limitIn(query: Element): number | undefined {
  const fields = childrenOf(query, 'x', NS.form).flatMap((form) => childrenOf(form, 'field', NS.form));
  const named = fields.find(({ attrs }) => attrs.var === 'max-file-size');
  const limit = Number(named && childText(named, 'value'));
  return Number.isSafeInteger(limit) && limit > 0 ? limit : undefined;
}

function headersOf(put: Element): Readonly<Record<string, string>> {
  const allowed = elementsOf(put).filter(
    ({ name, attrs }) => name === 'header' && HEADERS.has((attrs.name ?? '').toLowerCase()),
  );
  // A line break in a header could add another header (XEP-0363, section 4).
  return Object.fromEntries(
    allowed.map((each) => [each.attrs.name ?? '', textOf(each).replace(/[\r\n]/g, '')]),
  );
}

/** Returns a file name with the extension of the type. Clients recognize an image by the extension in its address. */
function fileName(name: string, type: string): string {
  const ending = /^image\/(png|jpeg|gif|webp)$/.exec(type)?.[1] ?? 'bin';
  const bare = name
    .replace(/\.\w{1,5}$/, '')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .slice(0, 60);
  return `${bare || 'image'}.${ending}`;
}

/**
 * True if the server of the account or of a member serves the file. Other hosts are never asked, because a message may
 * contain any address, also one in the bridge's own network (attack S06).
 */
function isServed(url: URL, hosts: ReadonlySet<string>, members: readonly string[]): boolean {
  if (hosts.has(url.host)) return url.protocol === 'https:' || url.protocol === 'http:';
  const isMember = members.some(
    (domain) => url.hostname === domain || url.hostname.endsWith(`.${domainOf(domain)}`),
  );
  return isMember && url.protocol === 'https:';
}

async function download(url: URL, limit: number, signal: AbortSignal): Promise<Uint8Array> {
  const within = AbortSignal.any([signal, timeLimit(TRANSFER_MS)]);
  const response = await fetch(url, { redirect: 'error', signal: within }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw refused('The file could not be loaded.', cause);
  });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw refused(`The server answered ${response.status} instead of sending the file.`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > limit) throw refused(`The file is larger than ${limit} bytes.`);
    chunks.push(chunk);
  }
  const whole = Buffer.concat(chunks);
  if (looksLikePage(whole)) throw refused('The server sent a web page instead of the file.');
  return whole;
}

const refused = (message: string, cause?: unknown): BridgeError =>
  new BridgeError('image-refused', message, { cause });
