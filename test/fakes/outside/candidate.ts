/** The example channel of docs/channels.md with its rig, as `parley conform` loads them. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Candidate } from '../../../src/conform/stage.ts';
import * as kit from '../../../src/kit/argument.ts';
import type { Kit, OpenRig } from '../../../src/kit/package.ts';
import { fenced } from '../../docs/pages.ts';
import { page, type Writer, writeMyChat } from './my-chat.ts';

export interface Plant {
  /** Texts in the code of the channel, each with its replacement. Each text must occur in the code. */
  readonly replace?: readonly (readonly [string, string])[];
  readonly writer?: Writer;
}

export const project = { folder: new URL('../../../', import.meta.url).pathname, version: '0.1.0' };

/** Writes the example channel and its rig into the folder. Returns the path of the module. */
export function writeRigged(folder: string, { replace = [], writer = 'own' }: Plant = {}): string {
  const module = writeMyChat(folder, writer, replace);
  writeFileSync(join(folder, 'my-chat/rig.js'), fenced(page, 'js my-chat/rig.js'));
  return module;
}

export async function candidateIn(folder: string, plant: Plant = {}): Promise<Candidate> {
  const module = writeRigged(folder, plant);
  const { channel } = (await import(pathToFileURL(module).href)) as { channel(given: Kit): kit.Channel };
  const { conform } = (await import(pathToFileURL(join(folder, 'my-chat/rig.js')).href)) as {
    conform: OpenRig;
  };
  return { channel: channel(kit), openRig: conform, kit, project };
}
