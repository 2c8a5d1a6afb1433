import { rulesOfSettings } from '../../src/config/shorthand.ts';
import { compileRules } from '../../src/core/access/compile.ts';
import { createPermissions, type Permissions } from '../../src/core/access/permissions.ts';
import type { Rule } from '../../src/core/access/rules.ts';
import { words } from '../../src/core/words.ts';
import type { AdapterHost } from '../../src/kit.ts';

interface Allowed {
  readonly guests?: boolean;
  readonly external?: boolean;
  readonly bots?: boolean;
  readonly files?: 'off' | 'upload';
  /** People who may correct answers, which only a rules file can allow. */
  readonly correct?: readonly string[];
}

/** The permissions that the settings `access` and `files` give. */
export function permissionsOf(allowed: Allowed = {}, agents: readonly string[] = []): Permissions {
  const { files = 'off', correct = [], ...others } = allowed;
  const access = { guests: false, external: false, bots: false, ...others };
  const { set } = rulesOfSettings({ access, files });
  const mayCorrect: Rule = { effect: 'allow', actions: ['correct'], who: correct, place: 'rules.yaml:9' };
  const rules = compileRules({ ...set, rules: [...set.rules, ...(correct.length > 0 ? [mayCorrect] : [])] });
  return createPermissions(() => rules, agents);
}

/** Refuses every press of these people, as if the rules did not let them ask the agent of the answer. */
export const refusingPresses =
  (barred: ReadonlySet<string>, agent = 'knowledge'): AdapterHost['pressRefusal'] =>
  async ({ id }) =>
    barred.has(id) ? words.mayNotPress(agent) : undefined;
