import { usage } from '../../errors.ts';

/**
 * Patterns of conditions. Their groups are the field and the value. `>=` comes before `>`, because the first match
 * counts.
 */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/^(\w+)\s*>=\s*(.*)$/s, 'greaterOrEqual'],
  [/^(\w+)\s*<=\s*(.*)$/s, 'lessOrEqual'],
  [/^(\w+)\s*!=\s*(.*)$/s, 'notEqual'],
  [/^(\w+)\s*!~\s*(.*)$/s, 'notContains'],
  [/^(\w+)\s*\^=\s*(.*)$/s, 'startsWith'],
  [/^(\w+)\s*\$=\s*(.*)$/s, 'endsWith'],
  [/^(\w+)\s*=\s*(.*)$/s, 'equal'],
  [/^(\w+)\s*~\s*(.*)$/s, 'contains'],
  [/^(\w+)\s*>\s*(.*)$/s, 'greater'],
  [/^(\w+)\s*<\s*(.*)$/s, 'less'],
  [/^(\w+)\s+not\s+in\s+(.+)$/is, 'notIn'],
  [/^(\w+)\s+in\s+(.+)$/is, 'in'],
  [/^(\w+)\s+not\s+empty$/i, 'notEmpty'],
  [/^(\w+)\s+empty$/i, 'empty'],
];

export const CONDITION_HELP =
  'field=value, field~part, field!~part, field!=value, field^=start, field$=end, field>value, field>=value, field<value, field<=value, "field in a,b", "field not in a,b", "field empty", "field not empty"';

/** Parses a condition such as `realName~Zhang`. */
export function conditionOf(text: string) {
  for (const [pattern, conditionalType] of PATTERNS) {
    const [, fieldName, fieldValue = ''] = pattern.exec(text.trim()) ?? [];
    if (fieldName !== undefined) return { fieldName, fieldValue, conditionalType };
  }
  throw usage(`--where: "${text}" is not a condition. Write ${CONDITION_HELP}.`);
}
