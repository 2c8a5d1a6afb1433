/** Finds the buttons and menu options of an answer. */

import { isPlain, type Plain, plain, plains, text } from '../../../src/kit/json.ts';
import type { Press } from '../../fakes/slack/interact/acts.ts';

/** Finds a control by its kind, such as `reply:regenerate`, in blocks. Returns undefined if there is none. */
export function controlOf(blocks: unknown, kind: string): Press | undefined {
  const elements = plains(blocks).flatMap((block) => [...plains(block.elements), plain(block.accessory)]);
  for (const element of elements) {
    const actionId = text(element.action_id) ?? '';
    if (actionId === kind || actionId.startsWith(`${kind}:`)) {
      const [option] = plains(element.options);
      return { actionId, ...(option !== undefined && { option }) };
    }
    const option = plains(element.options).find((each) => chosenKind(each) === kind);
    if (isPlain(option)) return { actionId, option };
  }
  return undefined;
}

/** Returns the kind of a menu option, written as the action id of the equivalent button. */
const chosenKind = ({ value }: Plain): string => `reply:${(text(value) ?? '').split(' ', 1)[0]}`;
