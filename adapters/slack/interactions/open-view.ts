/** Forms: opened while Slack still lets us, filled when what they show is there. */

import type { ModalView } from '@slack/types';
import { plain, text } from '../../../src/kit/json.ts';
import { notice } from './blocks.ts';
import type { Scene } from './deps.ts';
import { words } from './words.ts';

/** Slack lets a form be opened for 3 s after the press; the call itself takes part of them. */
const OPEN_WITHIN_MS = 800;

export interface Opening {
  readonly title: string;
  /** Above a form that is open already. */
  readonly onTop?: true;
  prepare(): Promise<ModalView>;
}

/** Resolves when the form shows what it should. */
export async function openView(scene: Scene, opening: Opening): Promise<void> {
  const { by, workspace, deps } = scene;
  if (by.trigger === undefined) return;
  const { title, onTop } = opening;
  const wanted = opening.prepare().catch((err: unknown) => {
    deps.host.log.warn({ err, tenant: workspace.tenant }, 'a form could not be made');
    return notice(title, words.trouble);
  });
  const ready = await withinTime(wanted, scene);
  const method = onTop ? 'views.push' : 'views.open';
  const view = ready ?? notice(title, words.moment);
  const opened = await deps.calls.call(workspace, method, { trigger_id: by.trigger, view });
  if (!opened.ok || ready !== undefined) return;
  const id = text(plain(opened.answer.view).id);
  if (id !== undefined) await updateView(scene, id, await wanted);
}

function withinTime(wanted: Promise<ModalView>, { deps }: Scene): Promise<ModalView | undefined> {
  const over = new AbortController();
  const late = deps.host.clock.wait(OPEN_WITHIN_MS, over.signal).then(
    () => undefined,
    () => undefined,
  );
  return Promise.race([wanted, late]).finally(() => over.abort());
}

export async function updateView({ workspace, deps }: Scene, id: string, view: ModalView): Promise<void> {
  await deps.calls.call(workspace, 'views.update', { view_id: id, view });
}
