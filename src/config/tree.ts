/** Plain trees of settings, as a YAML file gives them. */

export type Tree = Readonly<Record<string, unknown>>;

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function valueAt(tree: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)];
    return isTree(value) && Object.hasOwn(value, key) ? value[String(key)] : undefined;
  }, tree);
}

/** A copy with one value set; what is not a group of settings on the way stays as it is, for the schema to refuse. */
export function withValue(tree: Tree, path: readonly string[], value: unknown): Tree {
  const [key, ...rest] = path;
  if (key === undefined) return tree;
  if (rest.length === 0) return { ...tree, [key]: value };
  const inner = tree[key] ?? {};
  return isTree(inner) ? { ...tree, [key]: withValue(inner, rest, value) } : tree;
}

/** The names that a JSON schema allows at a place of a tree; of several branches those that fit the tree's fixed words. */
export function keysAt(schema: unknown, tree: unknown, path: readonly PropertyKey[]): readonly string[] {
  const groups = path.reduce<readonly Tree[]>(
    (found, key, index) =>
      found
        .flatMap((group) => below(group, key))
        .flatMap((g) => branches(g, valueAt(tree, path.slice(0, index + 1)))),
    branches(schema, tree),
  );
  return [
    ...new Set(groups.flatMap((group) => (isTree(group.properties) ? Object.keys(group.properties) : []))),
  ];
}

function below(group: Tree, key: PropertyKey): readonly unknown[] {
  const named = valueAt(group, ['properties', key]);
  return [named, group.items, group.additionalProperties].filter((next) => isTree(next)).slice(0, 1);
}

function branches(schema: unknown, value: unknown): readonly Tree[] {
  if (!isTree(schema)) return [];
  const inner = schema.oneOf ?? schema.anyOf;
  return Array.isArray(inner)
    ? inner.flatMap((branch) => branches(branch, value))
    : fits(schema, value)
      ? [schema]
      : [];
}

function fits(schema: Tree, value: unknown): boolean {
  const properties = isTree(schema.properties) ? schema.properties : {};
  return Object.entries(properties).every(([key, property]) => {
    const fixed = isTree(property) ? property.const : undefined;
    return fixed === undefined || valueAt(value, [key]) === fixed;
  });
}
