/** `parley/kit`: the types of the kit that channels from outside Parley import. */

import { z } from 'zod';
import type * as kit from '../kit.ts';
import type * as definition from './channel.ts';
import type { Rig, RigBridge } from './rig.ts';

export * from '../kit.ts';
export * from './channel.ts';
export type * from './rig.ts';
export { z };

/** The argument that Parley passes to the function `channel` of a module from outside. */
export type Kit = typeof kit & typeof definition & { readonly z: typeof z };

/**
 * Starts the chat for `parley conform`. The module of the channel exports this function as `conform`. May be called
 * several times in one run, but never while an earlier rig is open.
 */
export type OpenRig = (kit: Kit, bridge: RigBridge) => Rig | Promise<Rig>;
