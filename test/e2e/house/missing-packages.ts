/**
 * Preloaded with `node --import`: packages whose names begin with a name of the variable MISSING_PACKAGES (separated by
 * spaces) cannot be found, as if they were not installed.
 */

import { registerHooks } from 'node:module';

const missing = (process.env.MISSING_PACKAGES ?? '').split(' ').filter((name) => name !== '');

registerHooks({
  resolve(specifier, context, next) {
    if (!missing.some((name) => specifier.startsWith(name))) return next(specifier, context);
    // The text of Node's own ERR_MODULE_NOT_FOUND.
    throw new Error(`Cannot find package '${specifier}' imported from ${context.parentURL}`);
  },
});
