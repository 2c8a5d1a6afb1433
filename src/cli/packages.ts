/** Says what to write if the configuration is that of a Parley which still contained a channel that is a package now. */

import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { stringify } from 'yaml';
import type { OutsideChannel, Written } from '../config/load.ts';
import { type Fault, isTree } from '../settings/tree.ts';
import { projectFolder } from './project.ts';

/** A channel that Parley once contained, and that is a package of its own now. */
export interface ChannelPackage {
  /** The channel's name, which was also the key of its settings. */
  readonly name: string;
  readonly title: string;
  /** Its environment variables. They still set its settings. */
  readonly variables: readonly string[];
  /** The setting that may contain a secret, which no message shows. */
  readonly secret: string;
  /** The package's folder in Parley's repository. */
  readonly folder: string;
}

/** Returns the settings without those of packages that no entry of `channels` loads, and a fault for each of these. */
export function withoutPackages(
  written: Written,
  packages: readonly ChannelPackage[],
  loaded: readonly OutsideChannel[],
): { readonly written: Written; readonly left: readonly Fault[] } {
  const { content, environment } = written;
  const left: Fault[] = [];
  let { tree } = content;
  for (const each of packages.filter(({ name }) => !loaded.some(({ channel }) => channel.name === name))) {
    const { [each.name]: own, ...others } = tree;
    const variable = each.variables.find((name) => environment[name] ?? environment[`${name}_FILE`]);
    if (own === undefined && variable === undefined) continue;
    tree = others;
    const why = own === undefined ? `, although ${variable} is set` : '';
    const what = `is not a part of Parley any more${why}: ${each.title} is a package of its own`;
    left.push({ path: [each.name], what, cure: cureOf(each, own, written.file) });
  }
  return { written: { ...written, content: { ...content, tree } }, left };
}

function cureOf({ secret, folder }: ChannelPackage, own: unknown, file = 'parley.yaml'): string {
  const inClone = join(projectFolder(), folder);
  const isClone = existsSync(inClone);
  const path = isClone ? relative(dirname(resolve(file)), inClone) : folder;
  const settings = isTree(own) ? { ...own } : undefined;
  if (typeof settings?.[secret] === 'string') settings[secret] = `(the ${secret} that is here now)`;
  const entry = { module: path.startsWith('.') ? path : `./${path}`, ...(settings && { settings }) };
  const lines = stringify({ channels: [entry] }, { indentSeq: true }).trimEnd();
  const copy = `Copy the folder ${folder} of Parley's repository beside ${file}, and run npm install in it. `;
  const place = own === undefined ? `to ${file}` : 'in its place';
  return `${isClone ? '' : copy}Write these lines ${place}; if there is a list of channels already, add the entry to it:\n${lines.replace(/^/gm, '    ')}`;
}
