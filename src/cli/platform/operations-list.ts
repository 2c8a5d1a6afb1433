import { operations } from '../../platform/api.ts';
import { show } from './show.ts';

/** One operation as lists show it. */
export interface ListedOperation {
  readonly id: string;
  readonly capability: string;
  readonly command: string;
  readonly method: string;
  readonly path: string;
  readonly credential: string;
  readonly doc: string;
}

/** Every operation with its command, in the order of the platform's documents. */
export const listedOperations: readonly ListedOperation[] = operations.map(
  ({ id, capability, command, method, path, credential, doc }) => ({
    id,
    capability,
    command: `${capability} ${command}`,
    method,
    path,
    credential,
    doc,
  }),
);

export async function listOperations({ json }: { readonly json?: true }): Promise<number> {
  if (json) show({ shape: 'many' }, listedOperations, { json: true });
  else {
    const rows = listedOperations.map(({ command, method, path, credential }) => ({
      command,
      method,
      path,
      credential,
    }));
    show({ shape: 'many' }, rows, { json: false });
  }
  return 0;
}
