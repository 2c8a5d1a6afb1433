/**
 * Finds out who sends a request: anyone, if only this machine can reach the console; otherwise the holder of the token,
 * or a person who has signed in.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type express from 'express';
import type { AdapterHost } from '../../../src/kit.ts';
import { TENANT } from '../chat/inbound.ts';
import type { Viewer } from '../chat/rooms.ts';
import type { ConsolePerson } from '../config.ts';
import { forbidden, HttpRefusal } from '../refusal.ts';
import type { SignInView } from '../wire.ts';
import { readFields, TOKEN_BYTES, token } from './decode.ts';
import type { SignIn } from './sign-in.ts';

export interface Gate {
  /** How people sign in, for the page. */
  readonly kind: SignInView['kind'];
  /** Returns the sender of the request. @throws HttpRefusal 401 if it has no valid cookie */
  viewer(headers: IncomingHttpHeaders): Viewer;
  /** Returns the sign-in of the request. */
  lease(headers: IncomingHttpHeaders): Lease;
  /** Adds the routes of the sign-in, which need no cookie. */
  addRoutes(app: express.Express): void;
}

export interface Lease {
  /** Returns true while the sign-in is valid. An event stream ends once this returns false. */
  isValid(): boolean;
  /**
   * Asks the identity provider whether it still accepts the person, unless it was asked within the last 35 s. Rejects
   * with `HttpRefusal` 401 if not, and with `sign-in-unavailable` if it could not be asked for too long. Absent if people
   * do not sign in with a provider.
   */
  confirm?(): Promise<void>;
}

/** Headers that proxies add. A console without access control accepts no request that came through one. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/** The gate of a console without access control, which only this machine can reach. */
export const openGate: Gate = {
  kind: 'none',
  viewer(headers) {
    if (FORWARDED.every((name) => headers[name] === undefined)) return 'anyone';
    throw forbidden(
      'This console has no sign-in, so it accepts no requests through a proxy. Its operator can set console.signIn or PARLEY_CONSOLE_TOKEN.',
    );
  },
  lease: () => ({ isValid: () => true }),
  addRoutes: () => undefined,
};

/**
 * The gate of a console with a token. The token does not say who has it, so everyone who has it counts as the same
 * person.
 */
export function tokenGate(
  signIn: SignIn,
  person: ConsolePerson,
  { clock, noteAct }: Pick<AdapterHost, 'clock' | 'noteAct'>,
): Gate {
  return {
    kind: 'token',
    viewer({ cookie }) {
      if (signIn.isOpen(cookie)) return person;
      throw new HttpRefusal(401, 'sign-in-needed', 'Please sign in with the token of this console.');
    },
    lease({ cookie }) {
      return { isValid: () => signIn.isOpen(cookie) };
    },
    addRoutes(app) {
      app.post('/sign-in', async (request, response) => {
        const given = await readFields(token, request, clock, TOKEN_BYTES);
        response.setHeader('set-cookie', await signIn.open(given.token, request.ip ?? ''));
        await noteAct({ tenant: TENANT, person: person.id, action: 'sign-in', outcome: 'done' });
        response.status(204).end();
      });
      app.post('/sign-out', (_request, response) => {
        response.setHeader('set-cookie', signIn.forget()).status(204).end();
      });
    },
  };
}

/** Refuses a request in the name of another person. @throws HttpRefusal 403 */
export function checkSpeaker(viewer: Viewer, as: string): void {
  if (viewer === 'anyone' || viewer.id === as) return;
  throw new HttpRefusal(403, 'not-you', `You are signed in as ${viewer.name}. Please reload the page.`);
}
