/** Preloaded by `node --import`: prints the name of each module of Microsoft's SDK that the process loads. */

import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, next) {
    if (url.includes('/node_modules/botframework')) process.stderr.write(`loaded ${url}\n`);
    return next(url, context);
  },
});
