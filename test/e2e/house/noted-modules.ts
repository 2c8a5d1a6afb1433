/**
 * Preloaded with `node --import`: prints the address of each module that the process loads from a channel's folder or
 * from a package.
 */

import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, next) {
    if (/\/(adapters|node_modules)\//.test(url)) process.stderr.write(`loaded ${url}\n`);
    return next(url, context);
  },
});
