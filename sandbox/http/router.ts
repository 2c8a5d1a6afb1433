import type { Call } from './call.ts';
import type { Face, Reply } from './reply.ts';

export const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;

/** One served operation. `{name}` members of the path become parameters; `id` is what faults and inspection name. */
export interface Route {
  readonly id: string;
  readonly method: (typeof METHODS)[number];
  readonly path: string;
  readonly face: Face;
  /** True for control routes: they are answered to the loopback address only and never faulted. */
  readonly control?: true;
  readonly handle: (call: Call) => Promise<Reply>;
}

export interface Found {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

export type Lookup = Found | 'unknown' | 'wrong-method';

interface Compiled {
  readonly route: Route;
  readonly segments: readonly string[];
}

/** Exact, case-sensitive paths; static routes win over routes with parameters (platform contract GEN-11). */
export function createRouter(routes: readonly Route[]): (method: string, path: string) => Lookup {
  const table = routes
    .map((route): Compiled => ({ route, segments: trimSlash(route.path).split('/').slice(1) }))
    .sort((a, b) => parameters(a) - parameters(b));
  return (method, path) => {
    const segments = trimSlash(path).split('/').slice(1);
    let pathKnown = false;
    for (const { route, segments: pattern } of table) {
      const params = match(pattern, segments);
      if (params === undefined) continue;
      if (route.method === method) return { route, params };
      pathKnown = true;
    }
    return pathKnown ? 'wrong-method' : 'unknown';
  };
}

const parameters = (compiled: Compiled): number =>
  compiled.segments.filter((segment) => segment.startsWith('{')).length;

const trimSlash = (path: string): string =>
  path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;

function match(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (!expected.startsWith('{')) {
      if (expected !== segment) return undefined;
      continue;
    }
    const value = decode(segment);
    if (value === undefined || value === '') return undefined;
    params[expected.slice(1, -1)] = value;
  }
  return params;
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
