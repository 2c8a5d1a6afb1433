/** Turns the options of a program that embeds Parley into settings as a file would contain them. */

import type { AgentFunction } from '../agents/function-agent.ts';
import { reasonOf } from '../bridge/guarded.ts';
import { processEnvironment } from '../config/environment.ts';
import { type ConfigFile, noFile } from '../config/file.ts';
import { type OutsideChannel, readSettings, type Written } from '../config/load.ts';
import { type Channel, type Fault, isChannel, isTree, type Tree, valueAt } from '../kit/channel.ts';
import { definition, inUse, tryOut } from './outside.ts';

/** A channel of Parley, or one of `defineChannel`, with its settings. */
export interface ChannelWithSettings {
  readonly channel: Channel;
  readonly settings?: object;
}

interface Embedding {
  /** The settings of the file. */
  readonly read: Written;
  /** The settings of the file with the options. */
  readonly written: Written;
  /** The functions of agents, by name. */
  readonly functions: ReadonlyMap<string, AgentFunction>;
  readonly outside: readonly OutsideChannel[];
  readonly faults: readonly Fault[];
}

/** Never throws: what is wrong with the options is in `faults`, or left for the check of the settings. */
export function writtenOptions(options: Tree, registered: readonly Channel[]): Embedding {
  const { file, store, server, agents = {}, channels = [], ...others } = options;
  const isFile = typeof file === 'string';
  const environment = isFile ? processEnvironment() : {};
  const read: Written = isFile ? readSettings({ environment, file }) : { environment, content: CODE };
  const { tree } = read.content;
  const { functions, settings } = agentsIn(agents, tree.agents);
  const place = { host: EVERY_HOST, ...(isTree(tree.server) && tree.server), ...(isTree(server) && server) };
  const base = { ...tree, ...others, server: place, agents: settings, ...storeOf(store) };
  const found = channelsIn(Array.isArray(channels) ? channels : [channels], base, registered);
  const usual = isFile
    ? []
    : registered.filter(({ on, name }) => on === 'unless-disabled' && !(name in found.tree));
  const off = Object.fromEntries(usual.map(({ name }) => [name, { enabled: false }]));
  return {
    read,
    written: { ...read, content: { ...read.content, tree: { ...found.tree, ...off } } },
    functions,
    outside: found.outside,
    faults: found.faults,
  };
}

const CODE: ConfigFile = { ...noFile, placeOf: () => 'createParley' };
/**
 * The server of the embedder may be open to every machine. With this host, the console needs a token or a sign-in, unless
 * the settings name another host.
 */
const EVERY_HOST = '0.0.0.0';

function storeOf(store: unknown): Tree {
  if (store === undefined) return {};
  const isDatabase = typeof store === 'string' && /^postgres(?:ql)?:\/\//.test(store);
  return isDatabase ? { database: { url: store } } : { data: store };
}

const isFunction = (value: unknown): value is AgentFunction => typeof value === 'function';

/** Puts the functions aside; in the settings, their agents have the interface `function`. */
function agentsIn(given: unknown, inFile: unknown) {
  const functions = new Map<string, AgentFunction>();
  if (!isTree(given)) return { functions, settings: given };
  const entries = Object.entries(given).map(([name, agent]): [string, unknown] => {
    const { ask, ...card } = isFunction(agent) ? { ask: agent } : isTree(agent) ? agent : {};
    if (!isFunction(ask)) return [name, agent];
    functions.set(name, ask);
    const known = valueAt(inFile, [name]);
    return [name, { ...(isTree(known) && known), ...card, interface: 'function' }];
  });
  return { functions, settings: { ...(isTree(inFile) && inFile), ...Object.fromEntries(entries) } };
}

/** Adds the settings of the channels: those of Parley by name, all others as entries of `channels`. */
function channelsIn(given: readonly unknown[], base: Tree, registered: readonly Channel[]) {
  const entries: unknown[] = Array.isArray(base.channels) ? [...base.channels] : [];
  const outside: OutsideChannel[] = [];
  const faults: Fault[] = [];
  let tree: Tree = base;
  for (const entry of given) {
    const { channel, settings = {} } = isChannel(entry) ? { channel: entry } : isTree(entry) ? entry : {};
    const index = entries.push({ module: 'createParley', settings }) - 1;
    if (!isChannel(channel)) faults.push({ path: ['channels', index], ...NO_CHANNEL });
    else if (!registered.includes(channel)) {
      const known = [...registered, ...outside.map((each) => each.channel)];
      const fault = faultIn(channel, index, known, { ...tree, channels: entries });
      if (fault === undefined) outside.push({ channel, index });
      else faults.push(fault);
    } else if (Object.hasOwn(tree, channel.name)) {
      faults.push({ path: [channel.name], what: 'is configured twice', cure: 'Remove one of the two.' });
    } else tree = { ...tree, [channel.name]: settings };
  }
  return { tree: { ...tree, channels: entries }, outside, faults };
}

const NO_CHANNEL = {
  what: 'is no channel',
  cure: 'Give a channel of Parley such as slack({ … }), what defineChannel returns, or { channel, settings }.',
};

/** Returns why a channel of the embedder cannot be used. Its code may throw, because nothing has checked its types. */
function faultIn(channel: Channel, index: number, known: readonly Channel[], tree: Tree): Fault | undefined {
  const used = inUse(channel, index, known, tree);
  if (used !== undefined) return used;
  const path = ['channels', index];
  const cure = `Correct the definition of the channel "${channel.name}".`;
  const [issue] = definition.safeParse(channel).error?.issues ?? [];
  if (issue !== undefined)
    return { path, what: `has a fault in ${issue.path.join('.')}: ${issue.message}`, cure };
  try {
    const settings = valueAt(tree, ['channels', index, 'settings']);
    tryOut(channel, { ...tree, [channel.name]: settings }, {});
    return undefined;
  } catch (thrown) {
    return { path, what: `fails: ${reasonOf(thrown).replace(/\.$/, '')}`, cure };
  }
}
