import type { Call } from './call.ts';
import type { Log } from './log.ts';

export function checkArguments(_log: Log, _call: Call): void {}
