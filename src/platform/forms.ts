import type { BridgeError } from '../errors.ts';
import type { Alternative, Described, Method } from './operation.ts';
import type { Wiring } from './wiring.ts';

/** One form in which a server may know an operation. */
export interface Form {
  readonly method: Method;
  readonly path: string;
  /** Whether it is worth trying after this failure of the form before it. */
  follows(error: BridgeError): boolean;
}

/** The forms of an operation, the one that the server took before at first (platform contract ADM-1, ADM-3, ADM-5). */
export function formsOf(wiring: Wiring, operation: Described): readonly Form[] {
  const path = wiring.paths[operation.id] ?? prefixed(operation.path, wiring);
  const documented: Form = { method: operation.method, path, follows: () => false };
  const settled = path !== operation.path;
  const others = settled
    ? (operation.alternatives ?? []).filter((other) => other.path === undefined)
    : (operation.alternatives ?? []);
  const forms = [documented, ...others.map((other) => formOf(documented, other))];
  const known = forms[wiring.forms.get(operation.id) ?? 0];
  return known === undefined || known === documented ? forms : [known];
}

const formOf = (documented: Form, { on, method, path }: Alternative): Form => ({
  method: method ?? documented.method,
  path: path ?? documented.path,
  follows: ({ facts }) =>
    on.includes(Number(facts.httpStatus)) && !(facts.httpStatus === 404 && facts.enveloped === true),
});

/** The lite administration under the prefix that the deployment is known to use (platform contract ADM-1). */
function prefixed(path: string, { deployment }: Wiring): string {
  const { liteAdminPrefix } = deployment;
  return liteAdminPrefix !== undefined && path.startsWith('/lite_api/') ? liteAdminPrefix + path : path;
}

/** Keeps which form succeeded; only what succeeded is remembered. */
export function remember(wiring: Wiring, operation: Described, form: Pick<Form, 'method' | 'path'>): void {
  if (operation.alternatives === undefined || wiring.forms.has(operation.id)) return;
  const index = formsOf(wiring, operation).findIndex(
    ({ method, path }) => method === form.method && path === form.path,
  );
  wiring.forms.set(operation.id, index);
}
