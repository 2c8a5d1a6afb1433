/** The fake as a separate process: node test/fakes/slack/main.ts --port 4000 --latency 80 */

import { parseArgs } from 'node:util';
import { serveUntilEnded } from '../own-process.ts';
import { startFakeSlack } from './index.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    latency: { type: 'string', default: '80' },
    limits: { type: 'string', default: 'window' },
    workspaces: { type: 'string', default: '1' },
    'deliver-to': { type: 'string' },
    'no-echoes': { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
  },
});

const target = values['deliver-to'];
const fake = await startFakeSlack({
  port: Number(values.port),
  latencyMs: Number(values.latency),
  limits:
    values.limits === 'off' ? { off: true } : { mode: values.limits === 'bucket' ? 'bucket' : 'window' },
  workspaces: Array.from({ length: Number(values.workspaces) }, () => ({})),
  echoes: !values['no-echoes'],
  seed: Number(values.seed),
  ...(target === undefined ? {} : { deliverTo: target }),
});

serveUntilEnded(fake);
