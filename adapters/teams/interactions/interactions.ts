/** Everything around answers in Teams: buttons, forms, thumbs and reactions. */

import type { Invoked } from '../activity.ts';
import type { Surfaces } from '../inbound/dispatch.ts';
import { threadOf, toPerson } from '../inbound/intake.ts';
import type { InvokeAnswer } from '../receive/http.ts';
import { feedbackForm } from '../render/forms.ts';
import { answerOf, dialog, NOTED, refused, said, type Told } from './answers.ts';
import type { Scene, SurfaceDeps } from './deps.ts';
import { askFeedback, takeFeedback, takeReaction, verdictIn, verdictOf } from './feedback.ts';
import { press } from './press.ts';
import { words } from './words.ts';

/** Nobody is kept waiting longer before a button; what takes longer goes on behind. */
const ANSWER_MS = 1_500;

export function createSurfaces(deps: SurfaceDeps): Surfaces {
  return {
    async invoke(invoked) {
      const scene = sceneOf(invoked, deps);
      switch (invoked.name) {
        case 'adaptiveCard/action':
          return pressed(scene, invoked);
        case 'message/fetchTask':
          return opened(scene, invoked);
        case 'message/submitAction':
          return submitted(scene, invoked);
        default:
          return undefined;
      }
    },
    noteRoom: (place, person) =>
      deps.background.run('where people met the bridge', () => deps.sharedRooms.note(place, person)),
    left: (tenant, room) => deps.sharedRooms.left(tenant, room),
    async react(reacted) {
      const verdict = verdictOf(reacted);
      const { place, by, id, message } = reacted;
      const scene: Scene = { place, by, key: id, message, deps };
      if (verdict !== undefined) deps.background.run('a reaction', () => takeReaction(scene, verdict));
    },
  };
}

function sceneOf({ place, by, id, message }: Invoked, deps: SurfaceDeps): Scene {
  return { place, by, key: `${by.id}-${id}`, message, deps };
}

async function pressed(scene: Scene, { value, id }: Invoked): Promise<InvokeAnswer> {
  if (id === '') return answerOf(refused(words.stale));
  const told = await soon(scene, () => press(scene, value));
  return answerOf(told);
}

/** Waits as long as people do; of what is refused after that they are told beside. */
async function soon(scene: Scene, work: () => Promise<Told>): Promise<Told> {
  const { deps, place, by } = scene;
  const done = Promise.withResolvers<Told>();
  let late = false;
  deps.background.run('a press', async () => {
    const told = await work().catch((err: unknown) => {
      deps.host.log.warn({ err }, 'a press did not work');
      return refused(words.trouble);
    });
    done.resolve(told);
    if (!late || told.kind !== 'refused') return;
    const sender = toPerson(by, deps.config.tenant);
    await deps.notes.tell({ thread: threadOf(place), sender }, told.sentence);
  });
  const first = await within(done.promise, scene);
  late = first === undefined;
  return first ?? said(words.moment);
}

async function within<Value>(work: Promise<Value>, { deps }: Scene): Promise<Value | undefined> {
  const over = new AbortController();
  const tooLong = deps.host.clock.wait(ANSWER_MS, over.signal).then(
    () => undefined,
    () => undefined,
  );
  return Promise.race([work, tooLong]).finally(() => over.abort());
}

async function opened(scene: Scene, { value }: Invoked): Promise<InvokeAnswer | undefined> {
  const verdict = verdictIn(value);
  if (verdict === undefined) return undefined;
  const form = Promise.withResolvers<InvokeAnswer>();
  scene.deps.background.run('feedback', async () => {
    form.resolve(await askFeedback(scene, verdict));
  });
  return (await within(form.promise, scene)) ?? dialog(words.feedbackTitle, feedbackForm(verdict));
}

async function submitted(scene: Scene, { value }: Invoked): Promise<InvokeAnswer | undefined> {
  const verdict = verdictIn(value);
  if (verdict === undefined) return undefined;
  const done = Promise.withResolvers<void>();
  scene.deps.background.run('feedback', () => takeFeedback(scene, verdict, value).finally(done.resolve));
  await within(done.promise, scene);
  return NOTED;
}
