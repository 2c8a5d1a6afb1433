/** Returns Node's arguments in the command of `npm start`, so that benches run the bridge as users do. */

import { readFileSync } from 'node:fs';

const ROOT = new URL('../../', import.meta.url).pathname;
const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { scripts: { start: string } };

export const startCommand: readonly string[] = scripts.start
  .split(' ')
  .slice(1)
  .map((argument) => (argument.endsWith('.js') ? ROOT + argument : argument));
