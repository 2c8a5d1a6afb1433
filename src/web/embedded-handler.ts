import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Handles a request, as in Express and `node:http`. Calls `next` if nothing of the bridge is at the address; without
 * `next`, answers 404.
 */
export type EmbeddedHandler = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void;
