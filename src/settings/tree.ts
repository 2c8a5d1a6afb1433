/** Settings as read from a YAML file, not checked yet, and the faults that are found in them. */

import type { ErrorCode } from '../errors.ts';

export type Tree = Readonly<Record<string, unknown>>;

/** One fault of the configuration. */
export interface Fault {
  /** Path of the setting from the top of the configuration. */
  readonly path: readonly PropertyKey[];
  /** Shown instead of the setting's name, for a fault that does not concern a setting. */
  readonly subject?: string;
  /** What is wrong, as the end of a sentence that begins with the setting's name. */
  readonly what: string;
  readonly cure: string;
  readonly code?: ErrorCode;
}

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the value at a path in settings that were not checked yet; undefined if there is none.
 * @example
 * ```ts
 * valueAt({ server: { ports: [80, 443] } }, ['server', 'ports', 1]); // 443
 * ```
 */
export function valueAt(tree: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)];
    return isTree(value) && Object.hasOwn(value, key) ? value[String(key)] : undefined;
  }, tree);
}

/**
 * Returns a copy of the settings with one value set. If the path leads through a value that is not a group, returns
 * the settings unchanged; the schema then refuses that value.
 */
export function withValue(tree: Tree, path: readonly string[], value: unknown): Tree {
  const [key, ...rest] = path;
  if (key === undefined) return tree;
  if (rest.length === 0) return { ...tree, [key]: value };
  const inner = tree[key] ?? {};
  return isTree(inner) ? { ...tree, [key]: withValue(inner, rest, value) } : tree;
}
