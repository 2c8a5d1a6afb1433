import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Fault, isTree, type Tree, valueAt } from '../settings/tree.ts';
import { isLoopback } from '../settings/values.ts';
import { databaseNeeds } from './database-setting.ts';
import { nearest } from './faults.ts';
import { defaultPlatform, MAIN } from './platform-setting.ts';

/**
 * Returns faults that concern several settings together. Works on unchecked settings, so that all faults are reported
 * at once.
 * @param ownAgents true if the agents are configured, false if they are the sandbox's
 * @param functions names of the agents whose functions are known
 */
export function crossFaults(tree: Tree, ownAgents: boolean, functions: readonly string[]): readonly Fault[] {
  return [
    ...(tree.platform !== undefined && tree.platforms !== undefined ? [TWO_FORMS] : []),
    ...[...platformsIn(tree), ...modelsIn(tree)].flatMap((server) => addressFaults(server)),
    ...missingFunctions(tree, functions),
    ...unusableNames(tree),
    ...agentPlace(tree, ownAgents),
    ...agentPlatforms(tree),
    ...missingKnowledge(tree),
    ...unknownAgents(tree),
    ...ignoredLiteOptions(tree),
    ...namelessMappings(tree),
    ...twoSetsOfRules(tree),
    ...databaseNeeds(tree, ownAgents),
  ];
}

const TWO_FORMS: Fault = {
  path: ['platform'],
  what: 'is set together with `platforms`',
  cure: 'Move it (or PLATFORM_BASE_URL) to platforms.main.',
};

function platformsIn({ platform, platforms }: Tree) {
  if (!isTree(platforms)) return [{ name: MAIN, path: ['platform'], settings: platform }];
  return Object.entries(platforms).map(([name, settings]) => ({ name, path: ['platforms', name], settings }));
}

/** Interfaces of agents that run without a platform. */
const OWN_INTERFACES: readonly unknown[] = ['openai', 'function'];

const agentsIn = ({ agents }: Tree) => (isTree(agents) ? Object.entries(agents) : []);
const interfaceOf = (agent: unknown): unknown => valueAt(agent, ['interface']);

/** True if an agent runs on a platform. */
export const needsPlatform = (tree: Tree): boolean =>
  agentsIn(tree).some(([, agent]) => !OWN_INTERFACES.includes(interfaceOf(agent)));

/** Returns the servers of language models that agents name. */
const modelsIn = (tree: Tree) =>
  agentsIn(tree)
    .filter(([, settings]) => interfaceOf(settings) === 'openai')
    .map(([name, settings]) => ({ path: ['agents', name], settings }));

function missingFunctions(tree: Tree, functions: readonly string[]): readonly Fault[] {
  const cure = 'Start the bridge with createParley and give it the function, or use another interface.';
  return agentsIn(tree)
    .filter(([name, agent]) => interfaceOf(agent) === 'function' && !functions.includes(name))
    .map(([name]) => ({ path: ['agents', name], what: 'has no function', cure }));
}

/** Returns faults in the address of a platform or model (platform contract GEN-1 and GEN-16). */
function addressFaults({ path: group, settings }: ReturnType<typeof modelsIn>[number]): readonly Fault[] {
  const path = [...group, 'baseUrl'];
  const written = valueAt(settings, ['baseUrl']);
  const url = typeof written === 'string' ? URL.parse(written) : null;
  if (url === null) return [];
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    return [
      { path, what: 'contains a query, a fragment or credentials', cure: 'Give scheme, host and path only.' },
    ];
  }
  const allowed = valueAt(settings, ['allowInsecureHttp']) === true;
  if (url.protocol !== 'http:' || isLoopback(url.hostname) || allowed) return [];
  const cure = `Use https, or set ${group.join('.')}.allowInsecureHttp: true in a network you trust.`;
  return [{ path, what: 'would send credentials over unencrypted http', cure }];
}

/** Refuses a name that zod leaves out of a group without a fault. */
function unusableNames(tree: Tree): readonly Fault[] {
  return ['agents', 'platforms'].flatMap((group) =>
    Object.hasOwn(tree[group] ?? {}, '__proto__')
      ? [{ path: [group], what: 'has an entry named "__proto__"', cure: 'Choose another name.' }]
      : [],
  );
}

function agentPlace(tree: Tree, own: boolean): readonly Fault[] {
  if (hasNoAgents(tree)) {
    return [
      { path: ['agents'], what: 'names no agent', cure: 'Add an entry with its interface and credential.' },
    ];
  }
  if (!own || !needsPlatform(tree)) return [];
  const cure =
    'Set it (or PLATFORM_BASE_URL) to the address of the platform that runs the configured agents.';
  return platformsIn(tree).flatMap(({ path, settings }) =>
    valueAt(settings, ['baseUrl']) === undefined
      ? [{ path: [...path, 'baseUrl'], what: 'is missing', cure }]
      : [],
  );
}

/** Kinds of credentials with which an agent can answer people with their own accounts. */
const ACCOUNT_KINDS: readonly unknown[] = ['client-account', 'client-token'];

/** Returns faults in the platforms that agents name. People and rooms have accounts only on the platform `main`. */
function agentPlatforms(tree: Tree): readonly Fault[] {
  const names = platformsIn(tree).map(({ name }) => name);
  const rooms: readonly unknown[] = Array.isArray(tree.rooms) ? tree.rooms : [];
  const refuses = valueAt(tree, ['identity', 'unmapped']) === 'refuse';
  return agentsIn(tree).flatMap(([agent, settings]): readonly Fault[] => {
    if (OWN_INTERFACES.includes(interfaceOf(settings))) return [];
    const named = valueAt(settings, ['platform']);
    const platform = named ?? defaultPlatform(names);
    const path = ['agents', agent, 'platform'];
    if (typeof platform === 'string' && !names.includes(platform)) {
      const what = named === undefined ? 'is missing' : `names "${platform}", which is not configured`;
      return [{ path, what, cure: `Platforms here: ${names.join(', ')}.` }];
    }
    if (platform === MAIN) return [];
    const kind = valueAt(settings, ['credential', 'kind']);
    const hasRoom = (line: unknown) =>
      valueAt(line, ['agent']) === agent && valueAt(line, ['account']) !== undefined;
    const reasons = [
      kind === 'asker' && 'kind: asker',
      refuses && ACCOUNT_KINDS.includes(kind) && 'identity.unmapped: refuse',
      rooms.some(hasRoom) && 'rooms[].account',
    ].filter((each) => each !== false);
    return reasons.map((needs) => ({
      path,
      what: `is not "main", the only platform with accounts of people and rooms, which \`${needs}\` needs`,
      cure: `Run the agent on main, or change \`${needs}\`.`,
    }));
  });
}

/** Refuses a folder without which the sandbox would start, and then know nothing. */
function missingKnowledge(tree: Tree): readonly Fault[] {
  const path = ['sandbox', 'knowledge'];
  const folder = valueAt(tree, path);
  const isSandbox = tree.platforms === undefined && valueAt(tree, ['platform', 'baseUrl']) === undefined;
  if (typeof folder !== 'string' || !isSandbox) return [];
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  const cure = `Give an existing folder. Parley looked for ${resolve(folder)}.`;
  return [{ path, what: `names "${folder}", which is not a folder`, cure }];
}

export function hasNoAgents(tree: Tree): boolean {
  const agents = tree.agents;
  return agents === undefined || agents === null || (isTree(agents) && Object.keys(agents).length === 0);
}

function unknownAgents(tree: Tree): readonly Fault[] {
  const known = isTree(tree.agents) ? Object.keys(tree.agents) : [];
  const rooms = Array.isArray(tree.rooms) ? tree.rooms : [];
  const paths = [['defaultAgent'], ...rooms.map((_, index) => ['rooms', String(index), 'agent'])];
  return paths.flatMap((path) => {
    const agent = valueAt(tree, path);
    if (typeof agent !== 'string' || known.includes(agent)) return [];
    const near = nearest(agent, known);
    const cure = near === undefined ? `Agents here: ${known.join(', ')}.` : `Did you mean "${near}"?`;
    return [{ path, what: `names the agent "${agent}", which is not configured`, cure }];
  });
}

/** Refuses settings of a room that only the lite interface has, if the room's agent has the Open API. */
function ignoredLiteOptions(tree: Tree): readonly Fault[] {
  const agents = isTree(tree.agents) ? tree.agents : {};
  const usual = tree.defaultAgent ?? Object.keys(agents)[0];
  const rooms: readonly unknown[] = Array.isArray(tree.rooms) ? tree.rooms : [];
  return rooms.flatMap((line, index) => {
    const agent = valueAt(line, ['agent']) ?? usual;
    if (typeof agent !== 'string' || valueAt(agents, [agent, 'interface']) !== 'open') return [];
    return ['workspaceIds', 'layoutMode']
      .filter((name) => valueAt(line, [name]) !== undefined)
      .map((name) => ({
        path: ['rooms', String(index), name],
        what: `has no effect on "${agent}", whose interface is \`open\``,
        cure: 'Name an agent with `lite-key` or `lite-token` for the room, or remove it.',
      }));
  });
}

/** Refuses `access` and `files` beside a rules file, so that nobody has to guess which of them counts. */
function twoSetsOfRules(tree: Tree): readonly Fault[] {
  if (tree.rules === undefined) return [];
  const what = 'is set together with `rules`, but the rules file alone decides who may do what';
  const cures = {
    access: 'Remove it, and write lines such as { allow: ask, who: guest } in the rules file.',
    files: 'Remove it, and write a line such as { allow: save-files, who: member } in the rules file.',
  };
  return Object.entries(cures).flatMap(([name, cure]) =>
    tree[name] === undefined ? [] : [{ path: [name], what, cure }],
  );
}

function namelessMappings(tree: Tree): readonly Fault[] {
  const table = valueAt(tree, ['identity', 'table']);
  return (Array.isArray(table) ? table : []).flatMap((line, index) => {
    if (!isTree(line) || line.person !== undefined || line.email !== undefined) return [];
    const path = ['identity', 'table', String(index)];
    return [{ path, what: 'names no person', cure: 'Give person or email.' }];
  });
}
