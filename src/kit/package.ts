/** `parley/kit` as channels from outside Parley import it: both parts of the kit, and the types of rigs. */

import type * as kit from '../kit.ts';
import type * as ladder from './ladder.ts';
import type { Rig, RigBridge } from './rig.ts';

export * from '../kit.ts';
export * from './ladder.ts';
export type * from './rig.ts';

/** The argument that Parley passes if `channel`, which a module from outside exports, is a function. */
export type Kit = typeof kit & typeof ladder;

/**
 * Starts the chat for `parley conform`. The module of the channel exports this function as `conform`. May be called
 * several times in one run, but never while an earlier rig is open.
 */
export type OpenRig = (kit: Kit, bridge: RigBridge) => Rig | Promise<Rig>;
