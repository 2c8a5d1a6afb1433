/** The settings `access` and `files` as rules: the rules in force if no rules file is configured. */

import { type CompiledRules, compileRules } from '../core/access/compile.ts';
import type { Rule, RuleAction } from '../core/access/rules.ts';
import type { Config } from './schema.ts';

/** Returns the rules that `access` and `files` stand for. */
export function rulesOfSettings({ access, files }: Pick<Config, 'access' | 'files'>): CompiledRules {
  const saving: readonly RuleAction[] = files === 'upload' ? ['save-files'] : [];
  const rule = (who: string, place: string, ...more: readonly RuleAction[]): Rule => ({
    effect: 'allow',
    actions: ['ask', 'search', 'share', ...saving, ...more],
    who: [who],
    place,
  });
  const rules = [
    rule('member', 'the default of access', 'make-rooms'),
    rule('unproven', 'the default of access'),
    ...(access.guests ? [rule('guest', 'access.guests')] : []),
    ...(access.external ? [rule('external', 'access.external')] : []),
    ...(access.bots ? [rule('bot', 'access.bots')] : []),
  ];
  return compileRules({ rules, quotas: [], groups: new Map() });
}
