/** Connections to other machines, for channels whose libraries do not use `fetch`. */

export { outgoingAgent, webSocketAgent } from '../outgoing.ts';
