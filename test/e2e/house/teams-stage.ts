/** The whole bridge with the embedded sandbox and a strict fake Teams. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Conversation, FakeTeams } from '../../fakes/teams/index.ts';
import { type AppSettings, appPackage } from '../../fakes/teams-app.ts';
import { type ParleyInside, runInside } from './parley-inside.ts';
import { type DataFolder, makeDataFolder } from './running-parley.ts';

export interface Stage {
  readonly parley: ParleyInside;
  readonly folder: string;
  /** Output of all bridges so far. */
  output(): string;
  restart(): Promise<ParleyInside>;
  close(): Promise<void>;
}

/**
 * @param settings settings of Teams
 * @param more further settings of the configuration
 * @param variables further environment variables
 */
export async function openStage(
  fake: FakeTeams,
  settings: AppSettings & object = {},
  more: object = {},
  variables: Readonly<Record<string, string>> = {},
): Promise<Stage> {
  const data: DataFolder = await makeDataFolder();
  fake.upload(appPackage(fake.app.id, settings));
  const config = join(data.path, 'parley.yaml');
  // The YAML parser also accepts JSON.
  writeFileSync(config, JSON.stringify({ ...more, teams: { services: fake.services, ...settings } }));
  const environment = {
    PARLEY_CONFIG: config,
    MICROSOFT_APP_ID: fake.app.id,
    MICROSOFT_APP_TENANT_ID: fake.tenant().id,
    MICROSOFT_APP_PASSWORD: [...fake.app.secrets][0] ?? '',
    ...variables,
  };
  const start = async () => {
    const parley = await runInside(data, environment);
    fake.deliverTo(`${parley.url}/api/messages`);
    return parley;
  };
  let running = await start();
  let before = '';
  return {
    parley: running,
    folder: data.path,
    output: () => before + running.output(),
    async restart() {
      await running.stop();
      before += running.output();
      running = await start();
      return running;
    },
    async close() {
      await running.stop();
      await data.remove();
    },
  };
}

/** Returns the texts of the app's messages in a thread. Leaves out cards, which are separate messages. */
export const shown = (fake: FakeTeams, place: Conversation, root?: string): readonly string[] =>
  fake
    .screen(place)
    .filter((seen) => seen.by === 'app' && (root === undefined || seen.root === root))
    .map(({ text }) => text)
    .filter((text) => text !== '');
