/** What each call does. */

import type { Method } from '../log.ts';
import { refuse } from '../refusal.ts';
import { remove, send, showTyping, update } from './activities.ts';
import type { Answer, Call } from './call.ts';

const methods: Partial<Record<Method, (call: Call) => Answer>> = {
  send,
  typing: showTyping,
  update,
  delete: remove,
};

export const perform = (call: Call): Answer =>
  methods[call.asked.method]?.(call) ?? refuse(404, 'NotFound', 'No such operation.');
