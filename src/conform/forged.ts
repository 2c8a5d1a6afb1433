/** Checks that requests which do not come from the chat, or name another reply, have no effect. */

import { laneOf } from '../core/message.ts';
import { answered, missing, press, pressed, threadOf } from './actions.ts';
import type { Check } from './check.ts';
import { inTime, seen } from './limits.ts';
import type { Received, Stage } from './stage.ts';
import { expectSame, NotChecked } from './violation.ts';

/** Time, in milliseconds, after which a check concludes that a request has no effect. */
const QUIET_MS = 300;
/** Headers that contain no proof of where a request comes from. */
const HARMLESS = ['accept', 'content-type', 'user-agent'];

export const forged: readonly Check[] = [
  {
    id: 'intake.forged',
    proves: 'A question that arrives without the chat’s secret does not reach the bridge',
    async run(stage) {
      const question = stage.question();
      const forgery = stage.question({ thread: question.thread });
      const requests = await requestsOf(stage, async () => {
        await inTime('"say"', () => stage.rig.say(question));
        await stage.eventsOf(question);
      });
      for (const request of requests.filter(({ body }) => body.includes(question.key))) {
        const body = request.body.replaceAll(question.key, forgery.key);
        await stage.send(withoutSecret({ ...request, body }, stage.secrets));
      }
      const events = await stage.eventsOf(forgery, QUIET_MS);
      expectSame(
        'A request without the secret asked a question in the name of a person.',
        events.map(({ event }) => event.kind),
        [],
      );
    },
  },
  {
    id: 'actions.forged',
    proves: 'A press without the chat’s secret, or on a reply of another thread, has no effect',
    missing,
    async run(stage) {
      const [action] = pressed(stage);
      if (action === undefined) return;
      const play = await answered(stage, action);
      const other = await answered(stage, action);
      const requests = await requestsOf(stage, () => press(stage, play, action, 'ada'));
      const before = stage.host.taken.length;
      for (const request of requests) await stage.send(withoutSecret(request, stage.secrets));
      await seen(() => (stage.host.taken.length > before ? true : undefined), QUIET_MS);
      const kinds = () => stage.host.taken.slice(before).map(({ event }) => event.kind);
      expectSame('A press without the secret reached the bridge.', kinds(), []);
      for (const request of requests)
        await stage.send({ ...request, body: request.body.replaceAll(play.turn.id, other.turn.id) });
      const elsewhere = laneOf(other.turn.message.thread);
      const isElsewhere = () =>
        stage.host.taken.slice(before).find(({ event }) => laneOf(threadOf(event)) === elsewhere);
      await seen(isElsewhere, QUIET_MS);
      expectSame(
        'A press named the reply of another thread, and reached the bridge as a press in that thread.',
        isElsewhere()?.event.kind,
        undefined,
      );
    },
  },
];

/** Returns the requests that the chat sends while the work runs. */
async function requestsOf(stage: Stage, work: () => Promise<unknown>): Promise<readonly Received[]> {
  if (stage.secrets.length === 0) throw new NotChecked('the settings of the rig contain no secret');
  const requests = (await stage.recorded(work)).filter(({ body }) => body !== '');
  if (requests.length === 0) throw new NotChecked('the chat sends no requests to the channel');
  return requests;
}

/** Returns the request as somebody would send it who knows everything but the secrets. */
function withoutSecret(request: Received, secrets: readonly string[]): Received {
  const bare = (text: string): string =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, 'x'.repeat(secret.length)), text);
  const headers = Object.entries(request.headers).filter(([name]) => HARMLESS.includes(name));
  return {
    ...request,
    path: bare(request.path),
    body: bare(request.body),
    headers: Object.fromEntries(headers),
  };
}
