/**
 * Loaded before every test file (vitest.config.ts): refuses connections to other machines, whichever client opens them.
 * It intercepts sockets, not requests as nock does, because nock delays requests whose bodies are sent in parts.
 * Several files may share a process, so it replaces the function only once.
 */

import { Socket } from 'node:net';

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|\[?::1\]?)$/;

const { connect } = Socket.prototype;

if (connect.name !== guarded.name) Socket.prototype.connect = guarded;

function guarded(this: Socket, ...args: unknown[]): Socket {
  const host = hostOf(args);
  if (host === undefined || LOOPBACK.test(host)) return Reflect.apply(connect, this, args);
  // Destroys the socket only after the caller received it, as with a real failure.
  process.nextTick(() => this.destroy(new Error(`Disallowed net connect for "${host}"`)));
  return this;
}

/**
 * Returns the host of a connection; undefined for a local socket path. `net.connect` passes its arguments as one list.
 */
function hostOf([first, second]: readonly unknown[]): string | undefined {
  const [target, host] = Array.isArray(first) ? first : [first, second];
  if (typeof target === 'number') return typeof host === 'string' ? host : 'localhost';
  const { path, host: named }: Readonly<Record<string, unknown>> = Object(target);
  if (typeof target === 'string' || typeof path === 'string') return undefined;
  return typeof named === 'string' ? named : 'localhost';
}
