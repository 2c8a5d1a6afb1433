/** Invokes: requests for which the person waits, and whose response Teams shows. */

import type { Delivery } from '../deliver/deliver.ts';
import { isJson, type Json } from '../read.ts';
import type { Message } from '../shapes.ts';
import { newActivityId } from '../world.ts';
import { around } from './activity.ts';
import type { Act } from './change.ts';

export interface Invoked {
  readonly delivery: Delivery;
  /** The app's response; undefined if it was an error or did not arrive. */
  readonly answer: Promise<Json | undefined>;
}

/** @param judge returns the faults of the response, which are recorded as violations */
export function invoke(
  act: Act,
  fields: { readonly name: string; readonly value: Json },
  judge: (answer: Json) => readonly string[],
): Invoked {
  const { scene, person, conversation, message } = act;
  const { log, world } = scene.server;
  const delivery = scene.deliver({
    type: 'invoke',
    id: `f:${newActivityId(world.clock, conversation)}`,
    ...around(scene, { person, conversation, message }),
    replyToId: message.id,
    ...fields,
  });
  const answer = delivery.done.then((attempt) => {
    if (attempt?.status !== 200) return undefined;
    const read = bodyOf(attempt.body);
    const faults = read === undefined ? ['the answer is no JSON object'] : judge(read);
    if (faults.length > 0) log.violations.push({ method: fields.name, messages: faults, asked: read ?? {} });
    return read;
  });
  return { delivery, answer };
}

function bodyOf(body: string): Json | undefined {
  if (body === '') return {};
  try {
    const value: unknown = JSON.parse(body);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the cards that one person sees. After a press, the response can replace a message's card for that person
 * only.
 */
export const viewOf = ({ views, shown }: Message, aadObjectId: string): readonly Json[] => {
  const own = views.get(aadObjectId);
  return own === undefined ? shown.attachments.map(({ content }) => content).filter(isJson) : [own];
};
