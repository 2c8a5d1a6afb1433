/** `parley/kit` as channels from outside Parley import it, with the types of rigs. */

import type * as kit from './argument.ts';
import type { Rig, RigBridge } from './rig.ts';

export * from '../kit.ts';
export * from './front.ts';
export type * from './rig.ts';

/** Both parts of the kit: the argument that Parley passes if `channel`, which a module from outside exports, is a function. */
export type Kit = typeof kit;

/**
 * Starts the chat for `parley conform`. The module of the channel exports this function as `conform`. May be called
 * several times in one run, but never while an earlier rig is open.
 */
export type OpenRig = (kit: Kit, bridge: RigBridge) => Rig | Promise<Rig>;
