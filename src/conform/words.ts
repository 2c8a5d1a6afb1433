/** The report of a run in words. */

import type { CheckResult, Report } from './report.ts';

const signs = { pass: 'pass       ', fail: 'FAIL       ', 'not-checked': 'not checked' } as const;
const INDENT = ' '.repeat(15);

/**
 * Returns the lines of the report for one check. `command` is the command to repeat; `--only` and the seed are added to
 * it.
 */
export function linesOf(result: CheckResult, command: string): readonly string[] {
  const { id, status, proves, why = '', expected, found, seed, page, logged = [] } = result;
  const first = `  ${signs[status]}  ${id}: ${proves}.`;
  if (status === 'pass') return [first];
  if (status === 'not-checked') return [first, ...indented(`Not checked, because ${why}.`)];
  const repeat = seed === undefined ? '' : ` --seed ${seed} --runs 1`;
  return [
    first,
    ...indented(why),
    ...(expected === undefined ? [] : indented(`Expected: ${expected}`)),
    ...(found === undefined ? [] : indented(`Found: ${found}`)),
    ...logged.flatMap((line) => indented(`The channel logged: ${line}`)),
    ...indented(`Rule: ${page}`),
    ...indented(`To repeat: ${command} --only ${id}${repeat}`),
  ];
}

const indented = (text: string): readonly string[] => text.split('\n').map((line) => `${INDENT}${line}`);

/** Returns the last line of the report. */
export function summary({ title, checks, seed }: Report): string {
  const count = (status: CheckResult['status']) => checks.filter((each) => each.status === status).length;
  const failed = count('fail');
  const numbers = `${count('pass')} passed, ${failed} failed, ${count('not-checked')} not checked (seed ${seed})`;
  return `${title} ${failed === 0 ? 'conforms as far as it was checked' : 'does not conform'}: ${numbers}.`;
}
