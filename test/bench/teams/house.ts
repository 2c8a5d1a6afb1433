/** The bridge, a platform and the fake Teams, each in its own process. */

import { type FakeTeams, type FakeTeamsOptions, startFakeTeams } from '../../fakes/teams/index.ts';
import { openProcesses, type Processes } from '../channel/processes.ts';

/** Latency of each call in milliseconds, as the targets assume. */
const LATENCY_MS = 80;

export interface House extends Processes {
  readonly teams: FakeTeams;
  close(): Promise<void>;
}

export interface HouseOptions extends FakeTeamsOptions {
  /** False: replies in one-to-one chats are edits too. */
  readonly streaming?: boolean;
}

/** Closes the opened parts, also if a later part fails to open. */
export async function openHouse({ streaming = true, ...options }: HouseOptions = {}): Promise<House> {
  const opened = new AsyncDisposableStack();
  try {
    const teams = opened.adopt(await startFakeTeams({ latencyMs: LATENCY_MS, ...options }), (it) =>
      it.close(),
    );
    const processes = await openProcesses(opened, {
      // JSON is YAML.
      line: `teams: { streaming: ${streaming}, services: ${JSON.stringify(teams.services)} }`,
      environment: {
        MICROSOFT_APP_ID: teams.app.id,
        MICROSOFT_APP_TENANT_ID: teams.tenant().id,
        MICROSOFT_APP_PASSWORD: [...teams.app.secrets][0] ?? '',
      },
    });
    teams.deliverTo(`${processes.bridge}/api/messages`);
    return { ...processes, teams, close: () => opened.disposeAsync() };
  } catch (thrown) {
    await opened.disposeAsync();
    throw thrown;
  }
}
