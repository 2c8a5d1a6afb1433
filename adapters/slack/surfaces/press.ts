/** A press on a button of a reply. */

import type { ThreadRef } from '../../../src/kit.ts';
import type { SlackAction } from '../receive/events.ts';
import type { ReadAction } from '../render/actions.ts';
import type { Scene } from './parts.ts';

export interface Press extends ReadAction {
  readonly action: SlackAction;
  readonly thread: ThreadRef;
}

/** Unique for a person and a press; no space, so that it can be part of a thread's key. */
export function pressKey({ by }: Pick<Scene, 'by'>, { ts }: SlackAction): string {
  return `${by.user}-${ts}`;
}
