import type { z } from 'zod';
import type { Channel, Environment } from '../kit/channel.ts';
import { type Fault, type Tree, withValue } from '../settings/tree.ts';
import { check, faultsOf, UNKNOWN } from './faults.ts';
import { wholeSchema } from './schema.ts';

/**
 * Maximum number of nested choices for which every option is tried. Two exist: an agent's interface, and the kind of
 * its credential.
 */
const DEPTH = 2;

/**
 * Returns all faults that the schema finds in the settings, including those in groups that zod skips because a choice
 * is missing.
 */
export function schemaFaults(
  tree: Tree,
  environment: Environment,
  channels: readonly Channel[],
): readonly Fault[] {
  const schema = wholeSchema(environment, channels);
  return faultsAt([], { schema, tree, depth: DEPTH });
}

interface Search {
  readonly schema: z.ZodType;
  readonly tree: Tree;
  readonly depth: number;
}

function faultsAt(place: readonly PropertyKey[], search: Search): readonly Fault[] {
  const { schema, tree, depth } = search;
  const issues = (check(schema, tree).error?.issues ?? []).filter(({ path }) => isUnder(path, place));
  return issues.flatMap((issue) => [
    ...faultsOf(issue, tree),
    ...(issue.code === 'invalid_union' && depth > 0 ? hiddenBehind(issue, search) : []),
  ]);
}

/**
 * Returns the faults in a group that zod skipped because a choice such as `interface` is missing or unknown. Every
 * option of the choice is tried. A setting that is wrong with every option is a fault. The fault's text comes from the
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
