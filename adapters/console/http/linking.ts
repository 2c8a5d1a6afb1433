/** The routes of the page on which a signed-in person confirms a link between their account and an id in another channel. */

import type express from 'express';
import type { CodeAnswer, LinkPages } from '../../../src/kit/ladder.ts';
import type { Person, ThreadRef } from '../../../src/kit.ts';
import { CHANNEL, TENANT, toPerson } from '../chat/inbound.ts';
import { HttpRefusal } from '../refusal.ts';
import type { LinkView } from '../wire.ts';
import type { Served } from './acts.ts';
import { readFields, token } from './decode.ts';
import type { Gate } from './gate.ts';

/**
 * Place of the page for the access rules. The page belongs to no room; it counts as a direct message, because only one
 * signed-in person uses it.
 */
export const PLACE: ThreadRef = { channel: CHANNEL, tenant: TENANT, room: '', key: '', kind: 'direct' };

/** Adds the routes if people sign in and may link themselves. */
export function addLinking(app: express.Express, { gate, host }: Pick<Served, 'gate' | 'host'>): void {
  const { linkPages } = host;
  if (linkPages === undefined || gate.kind !== 'provider') return;
  const on = (path: string, use: LinkPages['show']): void => {
    app.post(path, async (request, response) => {
      const given = await readFields(token, request, host.clock);
      response.json(viewOf(await use(given.token, signedInPerson(gate, request), PLACE)));
    });
  };
  on('/link', linkPages.show);
  on('/link/confirm', linkPages.confirm);
}

/** @throws HttpRefusal 401 if nobody has signed in */
export function signedInPerson(gate: Gate, { headers }: express.Request): Person {
  const viewer = gate.viewer(headers);
  if (viewer !== 'anyone') return toPerson(viewer);
  throw new HttpRefusal(401, 'sign-in-needed', 'Please sign in.');
}

export function viewOf(answer: CodeAnswer): LinkView {
  if (answer.kind === 'refused') throw new HttpRefusal(409, 'link-refused', answer.text);
  const { claimant, account, days } = answer;
  const { channel, title, tenant, person, name } = claimant;
  return { channel, title, tenant, person, name, account, days };
}
