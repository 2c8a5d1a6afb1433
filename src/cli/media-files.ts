import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeDirectory } from '../bridge/agents.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import type { AgentGateway } from '../core/agents/agent.ts';
import { imageTypeOf } from '../core/agents/image.ts';
import type { Log } from '../core/log.ts';
import type { Media, ReplyDocument } from '../core/reply.ts';
import { createPlatform } from '../platform/index.ts';
import type { Found } from './answer/ending.ts';

/** Pictures kept for a look; the oldest go first. */
const KEPT = 100;

/** A terminal shows no pictures: they are put into files of the data folder, and files are named by their link. */
export async function saveMedia(
  document: ReplyDocument,
  config: Config,
  log: Log,
): Promise<readonly Found[]> {
  if (document.media.length === 0) return [];
  const platform = createPlatform(config.platform, {
    clock: systemClock,
    log,
    random: Math.random,
    called: () => undefined,
  });
  try {
    const { agent } = document;
    const gateway =
      agent === undefined ? undefined : makeDirectory(config, platform).agents.get(agent)?.gateway;
    const folder = await makeRoom(resolve(config.data, 'media'), document.media.length);
    const begin = join(folder, systemClock.now().toString(36));
    return await Promise.all(
      document.media.map((media, index) => find(media, { document, gateway, file: `${begin}-${index + 1}` })),
    );
  } finally {
    await platform.close();
  }
}

/** The folder, with the oldest pictures gone; names begin with the time, so they sort by age. */
async function makeRoom(folder: string, wanted: number): Promise<string> {
  await mkdir(folder, { recursive: true });
  const names = (await readdir(folder)).toSorted();
  const old = names.slice(0, Math.max(0, names.length + wanted - KEPT));
  await Promise.all(old.map((name) => rm(join(folder, name), { force: true })));
  return folder;
}

interface Finding {
  readonly document: ReplyDocument;
  readonly gateway: AgentGateway | undefined;
  /** Where the picture goes, without its ending. */
  readonly file: string;
}

async function find(media: Media, { document, gateway, file }: Finding): Promise<Found> {
  const { kind, name, link, ref } = media;
  if (link !== undefined || kind === 'file' || gateway === undefined) {
    return { kind, name, ...(link !== undefined && { at: link }) };
  }
  const { account } = document;
  const call = { signal: new AbortController().signal, ...(account !== undefined && { account }) };
  const bytes = (await gateway.openMedia(ref, call).catch(() => undefined))?.bytes;
  const type = bytes === undefined ? undefined : imageTypeOf(bytes);
  if (bytes === undefined || type === undefined) return { kind, name };
  const path = `${file}.${type.replace('image/', '')}`;
  await writeFile(path, bytes);
  return { kind, name, at: pathToFileURL(path).href };
}
