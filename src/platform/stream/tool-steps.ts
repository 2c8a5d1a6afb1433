import type { Step } from '../../core/reply.ts';
import { tryJson } from '../json.ts';
import { type Fields, isFields, textOf } from '../shapes.ts';
import { passagesIn, RESULT_LISTS } from '../sources.ts';

/** Limits of one tool result; the rest is dropped. */
const MAX_STEPS = 20;
const MAX_NAME_CHARS = 200;
const MAX_DETAIL_CHARS = 4000;

const NAMES = ['tool', 'tool_name', 'toolName', 'pluginName', 'name', 'title'];
const UNNAMED = 'Tool';

/**
 * Turns tool results without passages, such as a calculation, into finished steps. A repeated result has the same id, so
 * it stays one step. Results with passages become sources instead.
 */
export function toolSteps(payload: unknown): readonly Step[] {
  const opened = typeof payload === 'string' ? (tryJson(payload) ?? payload) : payload;
  const results = Array.isArray(opened) ? opened : [opened];
  return results.slice(0, MAX_STEPS).flatMap(stepOf);
}

function stepOf(result: unknown): Step[] {
  if (isEmpty(result) || passagesIn(result).length > 0) return [];
  const written = isFields(result) ? textOf(result, NAMES) : undefined;
  const name = (written ?? UNNAMED).slice(0, MAX_NAME_CHARS).toWellFormed();
  const detail = textIn(result).slice(0, MAX_DETAIL_CHARS).toWellFormed();
  return [{ id: JSON.stringify(['tool', name, detail]), name, state: 'done', detail }];
}

const textIn = (result: unknown): string => (typeof result === 'string' ? result : JSON.stringify(result));

/** True if there is no result to show, such as a search without hits. */
function isEmpty(result: unknown): boolean {
  if (result === undefined || result === null || result === '') return true;
  if (Array.isArray(result)) return result.length === 0;
  return isFields(result) && (Object.keys(result).length === 0 || foundNone(result));
}

const foundNone = (result: Fields): boolean =>
  RESULT_LISTS.some((name) => Array.isArray(result[name]) && result[name].length === 0);
