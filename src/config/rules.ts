import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Fault, isTree, type Tree, valueAt } from '../settings/tree.ts';
import { isLoopback } from '../settings/values.ts';
import { databaseNeeds } from './database-setting.ts';
import { nearest } from './faults.ts';

/**
 * Returns faults that concern several settings together. Works on unchecked settings, so that all faults are reported
 * at once.
 * @param ownAgents true if the agents are configured, false if they are the sandbox's
 */
export function crossFaults(tree: Tree, ownAgents: boolean): readonly Fault[] {
  return [
    ...platformAddress(tree),
    ...agentPlace(tree, ownAgents),
    ...missingKnowledge(tree),
    ...unknownAgents(tree),
    ...namelessMappings(tree),
    ...twoSetsOfRules(tree),
    ...databaseNeeds(tree, ownAgents),
  ];
}

/** Returns faults in the platform's address (platform contract GEN-1 and GEN-16). */
function platformAddress(tree: Tree): readonly Fault[] {
  const path = ['platform', 'baseUrl'];
  const written = valueAt(tree, path);
  const url = typeof written === 'string' ? URL.parse(written) : null;
  if (url === null) return [];
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    return [
      { path, what: 'contains a query, a fragment or credentials', cure: 'Give scheme, host and path only.' },
    ];
  }
  const allowed = valueAt(tree, ['platform', 'allowInsecureHttp']) === true;
  if (url.protocol !== 'http:' || isLoopback(url.hostname) || allowed) return [];
  const cure = 'Use https, or set platform.allowInsecureHttp: true in a network you trust.';
  return [{ path, what: 'would send credentials over unencrypted http', cure }];
}

function agentPlace(tree: Tree, own: boolean): readonly Fault[] {
  if (hasNoAgents(tree)) {
    return [
      { path: ['agents'], what: 'names no agent', cure: 'Add an entry with its interface and credential.' },
    ];
  }
  const path = ['platform', 'baseUrl'];
  if (!own || valueAt(tree, path) !== undefined) return [];
  const cure =
    'Set it (or PLATFORM_BASE_URL) to the address of the platform that runs the configured agents.';
  return [{ path, what: 'is missing', cure }];
}

/** Refuses a folder without which the sandbox would start, and then know nothing. */
function missingKnowledge(tree: Tree): readonly Fault[] {
  const path = ['sandbox', 'knowledge'];
  const folder = valueAt(tree, path);
  if (typeof folder !== 'string' || valueAt(tree, ['platform', 'baseUrl']) !== undefined) return [];
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
