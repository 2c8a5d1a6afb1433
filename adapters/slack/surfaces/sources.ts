/** Everything that an answer drew on, page by page. */

import type { ModalView } from '@slack/types';
import type { ReplyRef } from '../../../src/kit/reply-ref.ts';
import { sourcesOf } from '../../../src/kit/sources.ts';
import type { SlackAction, SlackView } from '../receive/events.ts';
import { actionValue, readActionValue } from '../render/actions.ts';
import { admit } from './admit.ts';
import { notice } from './blocks.ts';
import { openView, updateView } from './open-view.ts';
import { linksOf, type Scene } from './parts.ts';
import { type Press, replyOf } from './press.ts';
import { sourcesView } from './sources-view.ts';
import { words } from './words.ts';

const TITLE = 'Sources';

export function pressSources(scene: Scene, { reply }: Press): Promise<void> {
  return openView(scene, { title: TITLE, prepare: () => viewFor(scene, reply, 0) });
}

async function viewFor(scene: Scene, reply: ReplyRef, page: number): Promise<ModalView> {
  const admission = await admit(scene);
  return admission.kind === 'refused' ? notice(TITLE, admission.tellUser) : viewOf(scene, reply, page);
}

async function viewOf(scene: Scene, reply: ReplyRef, page: number): Promise<ModalView> {
  const document = await replyOf(scene, reply);
  if (document === undefined) return notice(TITLE, words.stale);
  const sources = sourcesOf(document, { linkOf: linksOf(scene, reply) });
  if (sources.length === 0) return notice(TITLE, words.noSources);
  return sourcesView(sources, { title: TITLE, page, carry: (detail) => actionValue(reply, detail) });
}

/** Another page of an open form. */
export async function turnPage(scene: Scene, action: SlackAction, view: SlackView): Promise<void> {
  const read = readActionValue(action.value);
  const page = Number(read?.detail);
  if (read === undefined || !Number.isSafeInteger(page)) return;
  await updateView(scene, view.id, await viewFor(scene, read.reply, page));
}
