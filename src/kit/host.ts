/** The types of the port between the bridge and channels, with the requests of Node's HTTP server. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ChannelAdapter as Adapter } from '../core/channel/adapter.ts';
import type { Handler, AdapterHost as Host } from '../core/channel/host.ts';

/** The bridge's services for a channel, which `start` of its adapter receives. Requests are those of `node:http`. */
export type AdapterHost = Host<IncomingMessage, ServerResponse>;
/** The parts of the host that presses, forms and commands need. */
export type InteractionHost = Pick<
  AdapterHost,
  | 'intake'
  | 'agents'
  | 'refusal'
  | 'pressRefusal'
  | 'noteAct'
  | 'corrections'
  | 'reply'
  | 'sourceLink'
  | 'state'
  | 'secrets'
  | 'clock'
  | 'log'
>;
/** The connection of one chat platform to the bridge. Requests are those of `node:http`. */
export type ChannelAdapter = Adapter<IncomingMessage, ServerResponse>;
export type HttpHandler = Handler<IncomingMessage, ServerResponse>;
