/** The bridge and a platform as processes of their own, and the fake Teams that asks them. */

import { type FakeTeams, type FakeTeamsOptions, startFakeTeams } from '../../fakes/teams/index.ts';
import { openProcesses, type Processes } from '../channel/processes.ts';

/** Milliseconds of each call: the latency that the targets are stated for. */
const LATENCY_MS = 80;

export interface House extends Processes {
  readonly teams: FakeTeams;
  close(): Promise<void>;
}

export interface HouseOptions extends FakeTeamsOptions {
  /** False: replies are shown by edits in one-to-one chats, too. */
  readonly streaming?: boolean;
}

/** What was opened is closed again, also when a later part fails to open. */
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
