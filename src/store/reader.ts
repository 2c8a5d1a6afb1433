import type { StoreStatus } from '../core/stores/status.ts';
import type { Engine } from './engine.ts';

/**
 * Reads a store beside the bridge's own work: with a connection of its own, which no question waits for, and which is
 * opened when it is first used.
 */
export interface Reader extends Pick<Engine, 'read' | 'now' | 'wraps'> {
  status(): Promise<StoreStatus>;
  close(): Promise<void>;
}
