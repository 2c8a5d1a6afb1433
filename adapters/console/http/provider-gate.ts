/** The routes and cookies of a console where people sign in with an OpenID Connect provider. */

import type { IncomingHttpHeaders } from 'node:http';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { clientOf, createAttempts, createSeldom, createSome } from '../../../src/kit/ladder.ts';
import { type AdapterHost, BridgeError } from '../../../src/kit.ts';
import { TENANT } from '../chat/inbound.ts';
import type { SignedInPeople } from '../chat/people.ts';
import type { Pending, Provider } from '../identity/provider.ts';
import type { Recheck } from '../identity/recheck.ts';
import type { Seal } from '../identity/seal.ts';
import { SESSION_MS, type Sessions } from '../identity/sessions.ts';
import { HttpRefusal } from '../refusal.ts';
import { begunSignIns } from './begun.ts';
import { readBody } from './body.ts';
import { cookie } from './cookie.ts';
import type { Gate } from './gate.ts';

/**
 * Limits for the form with a logout token: its bytes, and the milliseconds until it has arrived. Used tokens are
 * stored for `LOGOUT_IDS_MS` milliseconds, to refuse their second use.
 */
const LOGOUT = { bytes: 16 * 1024, ms: 5_000, what: 'logout token' };
const LOGOUT_IDS_MS = 10 * 60_000;

export interface ProviderGateDeps {
  readonly provider: Provider;
  readonly sessions: Sessions;
  readonly recheck: Recheck;
  readonly people: SignedInPeople;
  readonly seal: Seal;
  readonly host: AdapterHost;
  /** True if the public address is https. */
  readonly secure: boolean;
}

/** Maximum failures of sign-ins and logouts that are logged in a minute. Outsiders can cause any number of them. */
const LOGGED_FAILURES = 20;

const pendingSchema = z.object({ state: z.string(), nonce: z.string(), verifier: z.string() });

/** Why a sign-in failed. The page shows a sentence for each. */
export type SignInFailure = 'expired' | 'refused' | 'unavailable';

export function providerGate(deps: ProviderGateDeps): Gate {
  const { people, sessions, recheck } = deps;
  const memory = createMemory(deps);
  const { session } = memory;
  const sessionOf = (headers: IncomingHttpHeaders) => {
    const id = session.read(headers);
    return id === undefined ? undefined : sessions.use(id);
  };
  return {
    kind: 'provider',
    viewer(headers) {
      const person = people.find(sessionOf(headers)?.person ?? '');
      if (person) return person;
      throw signInNeeded();
    },
    lease(headers) {
      const { key = '', person = '' } = sessionOf(headers) ?? {};
      return {
        isValid: () => sessions.isOpen(key),
        async confirm() {
          if (!(await recheck.isAccepted(person))) throw signInNeeded();
        },
      };
    },
    addRoutes(app) {
      app.get('/sign-in/start', (request, response) => begin(deps, memory, request, response));
      app.get('/sign-in/callback', (request, response) => finish(deps, memory, request, response));
      app.post('/sign-in/logout', (request, response) => logOut(deps, memory, request, response));
      app.post('/sign-out', async (request, response) => {
        const id = session.read(request.headers);
        const person = sessionOf(request.headers)?.person;
        if (id !== undefined) await sessions.end(id);
        if (person !== undefined && sessions.of({ person }).length === 0) await recheck.end(person);
        response.setHeader('set-cookie', session.clear()).status(204).end();
      });
    },
  };
}

const signInNeeded = (): HttpRefusal => new HttpRefusal(401, 'sign-in-needed', 'Please sign in.');

async function begin(
  deps: ProviderGateDeps,
  { begun, logFailure }: Memory,
  request: Request,
  response: Response,
): Promise<void> {
  try {
    const { address, pending } = await deps.provider.begin();
    response.setHeader('set-cookie', await begun.begin(pending, request.headers));
    response.redirect(302, address.href);
  } catch (thrown) {
    fail(response, thrown, logFailure);
  }
}

type Memory = ReturnType<typeof createMemory>;

function createMemory({ host, seal, secure }: ProviderGateDeps) {
  const { clock } = host;
  return {
    session: cookie('parley_session', 'Strict', SESSION_MS, secure),
    // The browser must send these cookies when it comes back from the provider's page, so they are `Lax`.
    begun: begunSignIns(['parley_sign_in', 'Lax'], pendingSchema, {
      ...{ seal, clock, secure },
      used: host.state,
    }),
    /** Limits the codes that are sent to the provider. Anyone can begin a sign-in and make up a code. */
    attempts: createAttempts(clock),
    /** Sign-ins whose codes the provider is checking, by state. They resolve with the id of the session. */
    exchanges: new Map<string, Promise<string>>(),
    /** Stores that a logout token was used. Resolves with false if it was used before, perhaps at another replica. */
    useLogout: (jti: string) =>
      host.state.change(
        `used logout ${seal.digest(jti)}`,
        (before) => (before === undefined ? true : undefined),
        LOGOUT_IDS_MS,
        'nobody',
      ),
    /** Limits log lines that outsiders can cause. */
    seldom: createSeldom(clock),
    logFailure: failureLog(host),
  };
}

/**
 * Completes a sign-in. Only the browser that began a sign-in can complete it, so that an attacker cannot sign another
 * person in with the attacker's own code.
 */
async function finish(
  deps: ProviderGateDeps,
  memory: Memory,
  request: Request,
  response: Response,
): Promise<void> {
  const { session, begun, seldom, logFailure, exchanges } = memory;
  const { host } = deps;
  const { state } = request.query;
  const pending = await begun.find(typeof state === 'string' ? state : '', request.headers);
  if (pending === undefined) {
    seldom('expired', () =>
      host.log.warn(
        { code: 'sign-in-refused' },
        'The console refused a sign-in, for one of these reasons: the browser did not start it, it was already used, or it took longer than 10 minutes. The person can sign in again.',
      ),
    );
    return comeBack(response, 'expired');
  }
  try {
    // A person may reload the page while the provider checks the code, which works only once.
    const exchange = exchanges.get(pending.state) ?? exchangeCode(deps, memory, pending, request);
    const id = await exchange;
    response.setHeader('set-cookie', [begun.clear(pending.state), session.set(id)]);
    comeBack(response);
  } catch (thrown) {
    if (await begun.isUsed(pending.state)) response.setHeader('set-cookie', begun.clear(pending.state));
    // Limit how often refused sign-ins are recorded, because outsiders can cause them.
    if (thrown instanceof BridgeError && thrown.code === 'sign-in-refused')
      seldom('refused', () => void host.noteAct({ tenant: TENANT, action: 'sign-in', outcome: 'refused' }));
    fail(response, thrown, logFailure);
  }
}

/** Begins a session for the person whom the provider names for the code. Resolves with the session's id. */
async function exchangeCode(
  { provider, sessions, recheck, people, host }: ProviderGateDeps,
  { attempts, begun, exchanges, session }: Memory,
  pending: Pending,
  request: Request,
): Promise<string> {
  const end = attempts(clientOf(request.ip ?? ''));
  if (end === undefined)
    throw new BridgeError(
      'sign-in-unavailable',
      'The console did not pass a sign-in on to the identity provider, because too many sign-ins are under way or have failed within a minute.',
    );
  const exchange = provider.finish(queryOf(request), pending).then(async ({ person, sid, refreshToken }) => {
    await people.put(person);
    await recheck.begin(person.id, refreshToken);
    const before = session.read(request.headers);
    if (before !== undefined) await sessions.end(before);
    const id = await sessions.begin(person.id, sid);
    host.log.info({ person: person.id }, 'A person signed in to the console');
    await host.noteAct({ tenant: TENANT, person: person.id, action: 'sign-in', outcome: 'done' });
    return id;
  });
  exchanges.set(pending.state, exchange);
  try {
    const id = await exchange;
    end(false);
    return id;
  } catch (thrown) {
    // A refusal without a cause concerns the claims of a person whose code was right, or no code was sent.
    end(!(thrown instanceof BridgeError && thrown.code === 'sign-in-refused' && thrown.cause === undefined));
    throw thrown;
  } finally {
    exchanges.delete(pending.state);
    await begun.use(pending.state);
  }
}

/** Ends the sessions that the provider names (OpenID Connect Back-Channel Logout 1.0). */
async function logOut(
  { provider, sessions, host }: ProviderGateDeps,
  { useLogout, logFailure }: Memory,
  request: Request,
  response: Response,
): Promise<void> {
  const form = new URLSearchParams((await readBody(request, LOGOUT, host.clock)).toString('utf8'));
  try {
    const logout = await provider.readLogout(form.get('logout_token') ?? '');
    if (!(await useLogout(logout.jti)))
      throw new BridgeError('sign-in-refused', 'A logout token was used twice.');
    host.log.info(
      { sessions: await sessions.endAll(logout) },
      'The identity provider ended sessions of the console',
    );
    response.status(200).end();
  } catch (thrown) {
    logFailure(thrown);
    const status = thrown instanceof BridgeError && thrown.code === 'sign-in-refused' ? 400 : 503;
    response.status(status).json({ error: 'invalid_request' });
  }
}

function fail(response: Response, thrown: unknown, logFailure: Memory['logFailure']): void {
  logFailure(thrown);
  const outage = !(thrown instanceof BridgeError) || thrown.code === 'sign-in-unavailable';
  comeBack(response, outage ? 'unavailable' : 'refused');
}

function failureLog({ log, clock }: AdapterHost): (thrown: unknown) => void {
  const some = createSome(clock, LOGGED_FAILURES);
  return (thrown) => {
    const code = thrown instanceof BridgeError ? thrown.code : 'internal';
    some(
      () => log.warn({ code }, thrown instanceof Error ? thrown.message : String(thrown)),
      () => log.warn({ code }, 'Further failures of sign-ins within the same minute are not logged'),
    );
  };
}

/** Sends the browser to the page. The address is fixed, so no request can choose where a sign-in ends. */
function comeBack(response: Response, failure?: SignInFailure): void {
  response.redirect(303, failure === undefined ? '../../' : `../../?sign-in=${failure}`);
}

function queryOf({ originalUrl }: Request): string {
  const from = originalUrl.indexOf('?');
  return from < 0 ? '' : originalUrl.slice(from);
}
