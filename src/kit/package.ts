/** `parley/kit`: the types of the kit that Parley passes to channels from outside. */

import { z } from 'zod';
import type * as kit from '../kit.ts';
import type * as definition from './channel.ts';

export * from '../kit.ts';
export * from './channel.ts';
export { z };

/** The argument of a module's function `channel`. */
export type Kit = typeof kit & typeof definition & { readonly z: typeof z };
