import { jsonReply } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import type { Overview } from './overview.ts';
import { overviewPage } from './page.ts';

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** The operator's page and its data; both are for this machine only, because they show keys. */
export const overviewRoutes = (overview: () => Overview): readonly Route[] => [
  {
    id: 'overviewPage',
    method: 'GET',
    path: '/',
    face: 'plain',
    control: true,
    handle: async () => ({ status: 200, headers: HEADERS, body: overviewPage(overview()) }),
  },
  {
    id: 'overview',
    method: 'GET',
    path: '/__sandbox/overview',
    face: 'plain',
    control: true,
    handle: async () => jsonReply(overview()),
  },
];
