import type { Seal } from '../../../adapters/console/identity/seal.ts';
import { type Session, type SessionStore, Sessions } from '../../../adapters/console/identity/sessions.ts';
import type { Clock } from '../../../src/kit.ts';

/** Opens sessions that are stored in the map. */
export async function openSessions(stored: Map<string, Session>, seal: Seal, clock: Clock) {
  const rows = {
    sessions: async () => [...stored.values()].toReversed(),
    saveSession: async (session: Session) => void stored.set(session.key, session),
    dropSession: async (key: string) => void stored.delete(key),
  };
  const store: SessionStore = {
    rows,
    change: (work) => work({ rows, publish: (event) => sessions.apply(event) }),
  };
  const sessions: Sessions = new Sessions(store, seal, clock, (error) => {
    throw error;
  });
  await sessions.load();
  return sessions;
}
