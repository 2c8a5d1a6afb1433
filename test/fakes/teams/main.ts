/** Runs the fake as a separate process: node test/fakes/teams/main.ts --port 4000 --latency 80 */

import { parseArgs } from 'node:util';
import { serveUntilEnded } from '../own-process.ts';
import { startFakeTeams } from './index.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    latency: { type: 'string', default: '80' },
    limits: { type: 'string', default: 'documented' },
    tenants: { type: 'string', default: '1' },
    'deliver-to': { type: 'string' },
    'whole-messages': { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
  },
});

const target = values['deliver-to'];
const fake = await startFakeTeams({
  port: Number(values.port),
  latencyMs: Number(values.latency),
  limits: { off: values.limits === 'off' },
  tenants: Array.from({ length: Number(values.tenants) }, () => ({})),
  textBesideCards: values['whole-messages'] ? 'together' : 'split',
  seed: Number(values.seed),
  ...(target === undefined ? {} : { deliverTo: target }),
});

serveUntilEnded(fake);
