import { usage } from './request.ts';

/** A condition as a listing takes it. */
interface WrittenCondition {
  readonly fieldName: string;
  readonly fieldValue: string;
  readonly conditionalType: string;
}

/** Marks of conditions; longer marks first, so that none hides another. */
const MARKS: readonly (readonly [string, string])[] = [
  ['>=', 'greaterOrEqual'],
  ['<=', 'lessOrEqual'],
  ['!=', 'notEqual'],
  ['!~', 'notContains'],
  ['^=', 'startsWith'],
  ['$=', 'endsWith'],
  ['=', 'equal'],
  ['~', 'contains'],
  ['>', 'greater'],
  ['<', 'less'],
];
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^(\w+)\s+not\s+in\s+(.+)$/is, 'notIn'],
  [/^(\w+)\s+in\s+(.+)$/is, 'in'],
  [/^(\w+)\s+not\s+empty$/i, 'notEmpty'],
  [/^(\w+)\s+empty$/i, 'empty'],
];

export const CONDITION_HELP =
  'field=value, field~part, field!~part, field!=value, field^=start, field$=end, field>value, field>=value, field<value, field<=value, "field in a,b", "field not in a,b", "field empty", "field not empty"';

/** Reads `realName~Zhang` and its kin. */
export function conditionOf(text: string): WrittenCondition {
  const trimmed = text.trim();
  const [, field = '', mark = '', value = ''] =
    /^(\w+)\s*(>=|<=|!=|!~|\^=|\$=|=|~|>|<)\s*(.*)$/s.exec(trimmed) ?? [];
  const type = MARKS.find(([written]) => written === mark)?.[1];
  if (type !== undefined) return { fieldName: field, fieldValue: value, conditionalType: type };
  for (const [pattern, conditionalType] of WORDS) {
    const [, fieldName, fieldValue = ''] = pattern.exec(trimmed) ?? [];
    if (fieldName !== undefined) return { fieldName, fieldValue, conditionalType };
  }
  throw usage(`--where: "${text}" is no condition. Write ${CONDITION_HELP}.`);
}
