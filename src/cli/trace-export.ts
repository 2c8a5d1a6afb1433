/** Exports traces if the variables of OpenTelemetry ask for it, as in other programs that use its SDK. */

import { type Clock, within } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { asBridgeError, BridgeError } from '../errors.ts';
import { withPackages } from '../kit/optional-package.ts';
import type { Environment } from '../settings/secret.ts';

/** Maximum time to export the last spans when the process ends, in milliseconds. */
const FLUSH_MS = 3_000;

/**
 * Registers the SDK, if traces are to be exported. If that is not possible, logs the reason, and the bridge runs without
 * traces. Resolves with a function that exports what is left and stops.
 * @param version Parley's own version
 */
export async function exportTraces(
  environment: Environment,
  log: Log,
  clock: Clock,
  version: string,
): Promise<() => Promise<void>> {
  const stopped = async () => undefined;
  try {
    if (!wantsExport(environment)) return stopped;
    const { startSdk } = await withPackages('The export of traces', () => import('./trace-sdk.ts'));
    const shutdown = startSdk(environment, log, version);
    return async () => {
      // A failure was logged by then, and it must not change the exit code.
      const flushed = shutdown().catch(() => undefined);
      await within(flushed, FLUSH_MS, clock);
    };
  } catch (thrown) {
    log.error({}, `Traces are not exported: ${asBridgeError(thrown).message}`);
    return stopped;
  }
}

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
/** The protocol that the exporter speaks. */
const PROTOCOL = 'http/protobuf';

/**
 * True if the variables name an endpoint or `OTEL_TRACES_EXPORTER=otlp`; otherwise, Parley calls no collector. Throws
 * `config-invalid` if a variable has a value that Parley cannot use.
 */
export function wantsExport(environment: Environment): boolean {
  const given = (name: string) => environment[name]?.trim() ?? '';
  if (given('OTEL_SDK_DISABLED').toLowerCase() === 'true') return false;
  const hasEndpoint = ENDPOINTS.some((name) => given(name) !== '');
  const exporter = given('OTEL_TRACES_EXPORTER') || (hasEndpoint ? 'otlp' : 'none');
  if (exporter === 'none') return false;
  if (exporter !== 'otlp') throw invalid('OTEL_TRACES_EXPORTER must be otlp or none.');
  const { OTEL_EXPORTER_OTLP_PROTOCOL: usual, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: own } = environment;
  if ((own || usual || PROTOCOL) !== PROTOCOL)
    throw invalid(
      `OTEL_EXPORTER_OTLP_PROTOCOL must be ${PROTOCOL}, which collectors usually accept at port 4318.`,
    );
  return true;
}

const invalid = (fault: string): BridgeError => new BridgeError('config-invalid', fault);
