/** npm ends its shell by the signal it gets, and the shell tells nobody: what it ran would go on for ever. */

import type { Clock } from '../core/clock.ts';

/** How often it is looked whether the parent is still there. */
const LOOK_EVERY_MS = 500;
/** The scripts of package.json that run a bridge. */
const SCRIPTS: readonly (string | undefined)[] = ['start', 'parley'];

export interface ParentWatch {
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The id of the parent as it is now. */
  parent(): number;
  /** Called once, when it is no longer the one that it was. */
  gone(): void;
}

/** Watches only where npm runs one of our own scripts: anybody else may mean to leave it running. */
export function watchParent({ clock, environment, parent, gone }: ParentWatch): { stop(): Promise<void> } {
  const over = new AbortController();
  const watch = async (): Promise<void> => {
    const first = parent();
    while (parent() === first) {
      await clock.wait(LOOK_EVERY_MS, over.signal).catch(() => undefined);
      if (over.signal.aborted) return;
    }
    gone();
  };
  const watching = isOurScript(environment) ? watch() : Promise.resolve();
  return {
    stop() {
      over.abort();
      return watching;
    },
  };
}

/** npm documentation of "scripts", "package.json vars" and "current lifecycle event". */
function isOurScript({
  npm_lifecycle_event: script,
  npm_package_name: name,
}: ParentWatch['environment']): boolean {
  return name === 'parley' && SCRIPTS.includes(script);
}
