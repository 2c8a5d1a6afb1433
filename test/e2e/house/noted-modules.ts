/** Preloaded by `node --import`: prints the address of each module of a channel or of a package that the process loads. */

import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, next) {
    if (/\/(adapters|node_modules)\//.test(url)) process.stderr.write(`loaded ${url}\n`);
    return next(url, context);
  },
});
