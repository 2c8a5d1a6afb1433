import type { z } from 'zod';
import type { Channel, Environment } from '../kit/channel.ts';
import { type Fault, type Tree, valueAt, withValue } from '../settings/tree.ts';
import { faultsOf, keysAt, UNKNOWN } from './faults.ts';
import { jsonSchema, wholeSchema } from './schema.ts';

/**
 * Maximum depth of nested choices that are tried. There are two: an agent's interface, and the kind of its
 * credential.
 */
const DEPTH = 2;

/** Returns all faults that the schema finds in a tree, including faults behind a missing choice. */
export function schemaFaults(
  tree: Tree,
  environment: Environment,
  channels: readonly Channel[],
): readonly Fault[] {
  const schema = wholeSchema(environment, channels);
  return faultsAt([], { schema, tree, names: jsonSchema(channels), depth: DEPTH });
}

interface Search {
  readonly schema: z.ZodType;
  readonly tree: Tree;
  /** The JSON schema, for the settings' names. */
  readonly names: object;
  readonly depth: number;
}

function faultsAt(place: readonly PropertyKey[], search: Search): readonly Fault[] {
  const { schema, tree, names, depth } = search;
  const look = {
    keysAt: (path: readonly PropertyKey[]) => keysAt(names, tree, path),
    valueAt: (path: readonly PropertyKey[]) => valueAt(tree, path),
  };
  const issues = (schema.safeParse(tree).error?.issues ?? []).filter(({ path }) => isUnder(path, place));
  return issues.flatMap((issue) => [
    ...faultsOf(issue, look),
    ...(issue.code === 'invalid_union' && depth > 0 ? hiddenBehind(issue, search) : []),
  ]);
}

/**
 * Returns the faults behind a missing or unknown choice (such as `interface`), which makes Zod skip the rest
 * of the group. Each option is tried. A setting that is wrong with every option is a fault, reported for the
 * option that knows most of the given names.
 */
function hiddenBehind(issue: z.core.$ZodIssueInvalidUnion, search: Search): readonly Fault[] {
  const options = 'options' in issue && Array.isArray(issue.options) ? issue.options : [];
  const path = issue.path.map(String);
  const tried = options.map((option) => {
    const tree = withValue(search.tree, path, option);
    return faultsAt(path.slice(0, -1), { ...search, tree, depth: search.depth - 1 });
  });
  const strange = (faults: readonly Fault[]) => faults.filter(({ what }) => what === UNKNOWN).length;
  const [likeliest = []] = tried.toSorted(
    (one, other) => strange(one) - strange(other) || one.length - other.length,
  );
  const isSame = (one: Fault) => (other: Fault) => one.path.join('.') === other.path.join('.');
  return likeliest.filter((fault) => tried.every((faults) => faults.some(isSame(fault))));
}

const isUnder = (path: readonly PropertyKey[], place: readonly PropertyKey[]): boolean =>
  place.every((key, at) => path[at] === key);
