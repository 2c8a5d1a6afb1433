/** Starts the bridge and a platform as separate processes, and the fake Teams, through which the questions come. */

import { type FakeTeams, type FakeTeamsOptions, startFakeTeams } from '../../fakes/teams/index.ts';
import { openProcesses, type Processes } from '../channel/processes.ts';

/** Milliseconds that each call to Teams takes; the targets assume this value. */
const LATENCY_MS = 80;

export interface House extends Processes {
  readonly teams: FakeTeams;
  close(): Promise<void>;
}

export interface HouseOptions extends FakeTeamsOptions {
  /** False if replies in one-to-one chats are shown by edits instead of streams. */
  readonly streaming?: boolean;
  /** Further variables of the bridge. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Starts all parts. If one fails to start, those already started are closed. */
export async function openHouse(given: HouseOptions = {}): Promise<House> {
  const { streaming = true, variables = {}, ...options } = given;
  const opened = new AsyncDisposableStack();
  try {
    const teams = opened.adopt(await startFakeTeams({ latencyMs: LATENCY_MS, ...options }), (it) =>
      it.close(),
    );
    const processes = await openProcesses(opened, {
      // The YAML parser also accepts JSON.
      line: `teams: { streaming: ${streaming}, services: ${JSON.stringify(teams.services)} }`,
      environment: {
        MICROSOFT_APP_ID: teams.app.id,
        MICROSOFT_APP_TENANT_ID: teams.tenant().id,
        MICROSOFT_APP_PASSWORD: [...teams.app.secrets][0] ?? '',
        ...variables,
      },
    });
    teams.deliverTo(`${processes.bridge}/api/messages`);
    return { ...processes, teams, close: () => opened.disposeAsync() };
  } catch (thrown) {
    await opened.disposeAsync();
    throw thrown;
  }
}
