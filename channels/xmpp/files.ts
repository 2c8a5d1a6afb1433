/** Files: uploads to the server (XEP-0363), and downloads of what people shared. */

import { BridgeError, type FileRef } from 'parley/kit';
import { cappedFetch, looksLikePage } from 'parley/kit/ladder';
import { discover, domainOf, NS } from './protocol.ts';
import type { Connection } from './stream/connection.ts';
import { unavailable } from './stream/wire.ts';
import { childOf, childrenOf, childText, type Element, element, textOf } from './stream/xml.ts';

/** Maximum milliseconds for an upload, and for a download. Parley gives up a call that posts something after 30 s. */
const UPLOAD_MS = 20_000;
const DOWNLOAD_MS = 50_000;
/** Maximum bytes of the response to an upload. */
const RESPONSE_BYTES = 65_536;
/** Headers that an upload may set (XEP-0363, section 4). */
const HEADERS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'expires']);

export type Uploads = ReturnType<typeof createUploads>;

/**
 * @param domain domain of the account
 * @param members domains whose people are members
 */
export function createUploads(connection: Connection, domain: string, members: readonly string[]) {
  let service: ReturnType<typeof findService> | undefined;
  /** Hosts to which the account's server has sent uploads. */
  const hosts = new Set<string>();
  const slot = async (name: string, bytes: number, type: string, signal: AbortSignal) => {
    service ??= findService(connection, domain, signal);
    const found = await service.catch((thrown: unknown) => {
      service = undefined;
      throw thrown;
    });
    if (found === undefined) return undefined;
    const wanted = element('request', NS.upload, { filename: name, size: `${bytes}`, 'content-type': type });
    const answer = await connection.request('get', found.address, wanted, signal);
    const given = childOf(answer, 'slot', NS.upload);
    const put = childOf(given, 'put', NS.upload);
    const address = childOf(given, 'get', NS.upload)?.attrs.url;
    if (put?.attrs.url === undefined || address === undefined)
      throw unavailable('The XMPP server gave no address for an upload.');
    hosts.add(new URL(address).host);
    return { ...found, url: put.attrs.url, headers: headersOf(put), download: address };
  };
  /** Asks for a place for a small file; nothing is uploaded. */
  const look = (signal: AbortSignal) => slot('look', 1, 'text/plain', signal);
  return {
    /** Uploads the bytes and resolves with the address from which people load them. */
    async put(bytes: Uint8Array, type: string, name: string, signal: AbortSignal): Promise<string> {
      const place = await slot(fileName(name, type), bytes.byteLength, type, signal);
      if (place === undefined) throw unavailable('The XMPP server accepts no uploads.');
      const headers = { 'content-type': type, ...place.headers };
      const request = { method: 'PUT', body: Buffer.from(bytes), headers, signal };
      const response = await cappedFetch(RESPONSE_BYTES, UPLOAD_MS)(place.url, request);
      await response.body?.cancel();
      if (!response.ok) throw unavailable(`The XMPP server answered an upload with ${response.status}.`);
      return place.download;
    },
    /**
     * Looks for the upload service, and resolves with its address, its limit and the `url` of an upload; undefined if
     * there is no service. Rejects with `StanzaError` if the service refuses.
     */
    look,
    /** Downloads a file that a person shared. Rejects with `image-refused`. */
    async open({ id }: FileRef, limit: number, signal: AbortSignal): Promise<Uint8Array> {
      const url = URL.parse(id);
      if (url === null) throw refused('The address of the file is invalid.');
      // The address of a slot tells which host keeps the uploads of the account's server.
      if (hosts.size === 0) await look(signal).catch(() => undefined);
      if (!isServed(url, hosts, members))
        throw refused('The file is not on the XMPP server. The bridge loads files from nowhere else.');
      return download(url, limit, signal).catch((thrown: unknown) => {
        signal.throwIfAborted();
        throw thrown instanceof BridgeError ? thrown : refused(`The file could not be loaded: ${thrown}`);
      });
    },
  };
}

/**
 * Looks for the upload service among the server's own services (XEP-0030). `limit`: the maximum size of a file in bytes;
 * undefined if the service names none.
 */
async function findService(connection: Connection, domain: string, signal: AbortSignal) {
  const answer = await connection.request('get', domain, element('query', NS.discoItems), signal);
  const items = childrenOf(childOf(answer, 'query', NS.discoItems), 'item', NS.discoItems);
  for (const address of [domain, ...items.flatMap(({ attrs }) => attrs.jid ?? [])]) {
    const info = await discover(address, connection, signal).catch(() => undefined);
    if (info?.features.has(NS.upload)) return { address, limit: limitIn(info.query) };
  }
  return undefined;
}

/** Returns the maximum size that the service names in a form (XEP-0363, section 4). */
function limitIn(query: Element | undefined): number | undefined {
  const fields = childrenOf(query, 'x', NS.form).flatMap((form) => childrenOf(form, 'field', NS.form));
  const named = fields.find(({ attrs }) => attrs.var === 'max-file-size');
  const limit = Number(childText(named, 'value'));
  return Number.isSafeInteger(limit) && limit > 0 ? limit : undefined;
}

/** Returns the headers of an upload. A line break in a header could add another one (XEP-0363, section 4). */
function headersOf(put: Element): Readonly<Record<string, string>> {
  const given = childrenOf(put, 'header', NS.upload);
  const allowed = given.filter(({ attrs }) => HEADERS.has((attrs.name ?? '').toLowerCase()));
  const line = (each: Element) => textOf(each).replace(/[\r\n]/g, '');
  return Object.fromEntries(allowed.map((each) => [each.attrs.name ?? '', line(each)]));
}

/** Returns a file name with the extension of the type. Clients recognize an image by the extension in its address. */
function fileName(name: string, type: string): string {
  const ending = /^image\/(png|jpeg|gif|webp)$/.exec(type)?.[1] ?? 'bin';
  const bare = name.replace(/\.\w{1,5}$/, '').replace(/[^\p{L}\p{N}._-]+/gu, '-');
  return `${bare.slice(0, 60) || 'image'}.${ending}`;
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
  const response = await cappedFetch(limit, DOWNLOAD_MS)(url, { signal });
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (!response.ok) throw refused(`The server answered ${response.status} instead of sending the file.`);
  if (looksLikePage(bytes)) throw refused('The server sent a web page instead of the file.');
  return bytes;
}

const refused = (message: string): BridgeError => new BridgeError('image-refused', message);
