/** Options of `npm run test:faults`. */

import { parseArgs } from 'node:util';
import type { ServerName } from '../../fakes/xmpp/servers.ts';

export interface LoadOptions {
  /** The XMPP server of a run through XMPP; absent for a run through Slack and Teams. */
  readonly server?: ServerName;
  /** Number of questions. */
  readonly events: number;
  readonly seed: number;
  readonly engine: 'sqlite' | 'postgres';
  readonly replicas: number;
  /** True if PostgreSQL has a synchronous standby, and its faults are failovers. */
  readonly failover?: boolean;
  /** File for the history. */
  readonly save?: string;
  /** Folder for the logs of the bridge processes. */
  readonly logs?: string;
  /** Maximum questions in progress. */
  readonly atOnce: number;
}

export const USAGE = `Usage: npm run test:faults -- [options]
  --channel NAME    slack-and-teams, which are fakes, or xmpp (default slack-and-teams)
  --server NAME     with xmpp: the real server, prosody or ejabberd (default prosody)
  --events N        number of questions (default 300)
  --seed S          seed of the load and of the faults (default: from the clock)
  --engine NAME     sqlite or postgres (default sqlite)
  --replicas R      number of bridge processes, with postgres only (default 1)
  --failover        with postgres: a synchronous standby, and failovers in place of other faults of PostgreSQL
  --at-once N       maximum questions in progress (default 60)
  --save FILE       write the history of the run to this file
  --logs FOLDER     write the log of each bridge process to this folder
  --judge FILE      judge a saved history; no bridge is started
`;

export class UsageError extends Error {}

export function readOptions(
  args: readonly string[],
): { readonly judge: string } | { readonly run: LoadOptions } {
  const { values } = parseArgs({
    args: [...args],
    options: {
      channel: { type: 'string', default: 'slack-and-teams' },
      server: { type: 'string' },
      events: { type: 'string', default: '300' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      engine: { type: 'string', default: 'sqlite' },
      replicas: { type: 'string', default: '1' },
      failover: { type: 'boolean', default: false },
      'at-once': { type: 'string', default: '60' },
      save: { type: 'string' },
      logs: { type: 'string' },
      judge: { type: 'string' },
    },
  });
  if (values.judge !== undefined) return { judge: values.judge };
  const { engine, failover } = values;
  if (engine !== 'sqlite' && engine !== 'postgres') throw new UsageError('--engine: sqlite or postgres.');
  const server = serverOf(values);
  if (server !== undefined && engine !== 'sqlite')
    throw new UsageError('--engine: runs through XMPP need sqlite.');
  const replicas = positive('--replicas', values.replicas);
  if (engine === 'sqlite' && replicas > 1) throw new UsageError('--replicas: needs --engine postgres.');
  if (engine === 'sqlite' && failover) throw new UsageError('--failover: needs --engine postgres.');
  return {
    run: {
      ...{ engine, failover },
      replicas,
      events: positive('--events', values.events),
      seed: positive('--seed', values.seed),
      atOnce: positive('--at-once', values['at-once']),
      ...(server !== undefined && { server }),
      ...(values.save !== undefined && { save: values.save }),
      ...(values.logs !== undefined && { logs: values.logs }),
    },
  };
}

interface Chosen {
  readonly channel: string;
  readonly server?: string | undefined;
}

function serverOf({ channel, server }: Chosen): ServerName | undefined {
  if (channel === 'slack-and-teams' && server === undefined) return undefined;
  if (channel !== 'xmpp')
    throw new UsageError(
      channel === 'slack-and-teams'
        ? '--server: needs --channel xmpp.'
        : '--channel: slack-and-teams or xmpp.',
    );
  if (server !== undefined && server !== 'prosody' && server !== 'ejabberd')
    throw new UsageError('--server: prosody or ejabberd.');
  return server ?? 'prosody';
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new UsageError(`${name}: a whole number above 0.`);
  return value;
}
