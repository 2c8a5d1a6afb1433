import type { CallLog } from '../http/log.ts';
import { control, type Route } from '../http/operation.ts';
import { jsonReply, Refusal } from '../http/reply.ts';
import { changeOptions, type Options } from '../options.ts';
import type { FaultRules } from './faults.ts';

/**
 * Routes that control the sandbox: faults, options and inspection. They answer only to the loopback address;
 * docs/sandbox.md describes them.
 * @param routes the routes of the platform, which rules of faults may name
 */
export function controlRoutes(
  faults: FaultRules,
  options: Options,
  log: CallLog,
  routes: readonly Route[],
): readonly Route[] {
  const optionsReply = () => jsonReply({ options: { ...options, adminToken: '***' } });
  return [
    control('GET /__sandbox/faults', () => jsonReply({ faults: faults.list() })),
    control('POST /__sandbox/faults', async (call) =>
      jsonReply({ fault: faults.add(await call.fields(), routes) }),
    ),
    control('DELETE /__sandbox/faults', () => jsonReply({ removed: faults.remove(undefined) })),
    control('DELETE /__sandbox/faults/{id}', (call) => jsonReply({ removed: faults.remove(call.params.id) })),
    control('GET /__sandbox/options', optionsReply),
    control('POST /__sandbox/options', async (call) => {
      changeOptions(options, await call.fields());
      return optionsReply();
    }),
    control('GET /__inspect/calls', () => {
      if (!options.inspect) throw new Refusal(404, 404, 'Inspection is off: set the option inspect to true.');
      return jsonReply({ calls: log.list() });
    }),
    control('DELETE /__inspect/calls', () => {
      log.clear();
      return jsonReply({ calls: [] });
    }),
  ];
}
