import { asFields } from '../http/json.ts';
import { type CallLog, callsReply } from '../http/log.ts';
import type { Route } from '../http/operation.ts';
import { jsonReply, Refusal } from '../http/reply.ts';
import { changeOptions, type Options } from '../options.ts';
import type { Faults } from './faults.ts';

interface ControlDeps {
  readonly faults: Faults;
  readonly options: Options;
  readonly log: CallLog;
  readonly reindex: () => Promise<unknown>;
}

/** The routes that steer the sandbox: faults, options, inspection. Loopback only; documented in docs/sandbox.md. */
export function controlRoutes({ faults, options, log, reindex }: ControlDeps): readonly Route[] {
  const control = (method: Route['method'], path: string, handle: Route['handle']): Route => ({
    id: `control ${method} ${path}`,
    method,
    path,
    face: 'plain',
    control: true,
    handle,
  });
  const shown = () => jsonReply({ options: { ...options, adminToken: '***' } });
  return [
    control('GET', '/__sandbox/faults', async () => jsonReply({ faults: faults.list() })),
    control('POST', '/__sandbox/faults', async (call) =>
      jsonReply({ fault: faults.add(await call.fields()) }),
    ),
    control('DELETE', '/__sandbox/faults', async () => jsonReply({ removed: faults.remove(undefined) })),
    control('DELETE', '/__sandbox/faults/{id}', async (call) =>
      jsonReply({ removed: faults.remove(call.params.id) }),
    ),
    control('GET', '/__sandbox/options', async () => shown()),
    control('POST', '/__sandbox/options', async (call) => {
      changeOptions(options, asFields(await call.fields()) ?? {});
      return shown();
    }),
    control('POST', '/__sandbox/reindex', async () => jsonReply({ documents: await reindex() })),
    control('GET', '/__inspect/calls', async () => callsReply(inspected(log, options))),
    control('DELETE', '/__inspect/calls', async () => {
      log.clear();
      return jsonReply({ calls: [] });
    }),
  ];
}

function inspected(log: CallLog, options: Options): readonly unknown[] {
  if (!options.inspect) throw new Refusal(404, 404, 'Inspection is off: set the option inspect to true.');
  return log.list();
}
