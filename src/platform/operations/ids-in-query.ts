import { asList } from '../shapes.ts';
import type { Deployment } from '../wire/deployment.ts';
import type { WireParts } from '../wire/parts.ts';

/** The ids of a deletion where the deployment reads them: as the body, or repeated in the query (platform contract WSP-4). */
export function idsInQuery(parts: WireParts, { idsIn }: Deployment): WireParts {
  if (idsIn === 'body') return parts;
  const ids = (asList(parts.json) ?? []).map((id) => JSON.stringify(id));
  return { path: parts.path, query: { ...parts.query, ids } };
}
