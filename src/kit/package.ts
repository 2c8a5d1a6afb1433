/** `parley/kit`: the types of the kit that channels from outside Parley import. */

import { z } from 'zod';
import type * as kit from '../kit.ts';
import type * as definition from './channel.ts';

export * from '../kit.ts';
export * from './channel.ts';
export { z };

/** The argument that Parley passes to the function `channel` of a module from outside. */
export type Kit = typeof kit & typeof definition & { readonly z: typeof z };
