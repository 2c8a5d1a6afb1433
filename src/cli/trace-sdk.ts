/** OpenTelemetry's SDK for traces, from optional packages. */

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Log } from '../core/log.ts';
import { BridgeError } from '../errors.ts';
import { traceIds } from '../observe/trace-ids.ts';
import type { Environment } from '../settings/secret.ts';

/**
 * Registers an SDK that exports to a collector, for the whole process. Returns a function that exports what is left,
 * and closes the exporter. The packages read the variables of the exporter and of the resource; this file reads the
 * others. Throws `config-invalid` if a variable has a value that Parley cannot use.
 * @param version Parley's own version
 */
export function startSdk(environment: Environment, log: Log, version: string): () => Promise<void> {
  const own = resourceFromAttributes({
    'service.name': 'parley',
    'service.version': version,
    'service.instance.id': randomUUID(),
    'host.name': hostname(),
    'process.pid': process.pid,
  });
  const provider = new TracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    idGenerator: traceIds,
    // Turns have no parent, so the decision for a turn counts for all of its spans, in every process.
    sampler: new ParentBasedSampler({ root: samplerIn(environment) }),
    spanProcessors: [processorFor(environment, log)],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  return () => provider.shutdown();
}

function samplerIn(environment: Environment): Sampler {
  const { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share } = environment;
  const ratios = new Map([
    ['always_on', 1],
    ['always_off', 0],
    ['traceidratio', Number(share || 1)],
  ]);
  const ratio = ratios.get((name || 'always_on').trim().replace('parentbased_', '')) ?? Number.NaN;
  if (ratio >= 0 && ratio <= 1) return new TraceIdRatioBasedSampler(ratio);
  throw new BridgeError(
    'config-invalid',
    'OTEL_TRACES_SAMPLER must be always_on, always_off or traceidratio, also after parentbased_, and OTEL_TRACES_SAMPLER_ARG a number from 0 to 1.',
  );
}

/**
 * Returns a queue of limited length, which drops spans when it is full, so that turns never wait for the collector. The
 * defaults are those of the specification of OpenTelemetry ("Batch Span Processor").
 */
function processorFor(environment: Environment, log: Log): BatchSpanProcessor {
  const limit = (name: string, usual: number): number => {
    const given = Number(environment[`OTEL_BSP_${name}`]);
    return given > 0 ? given : usual;
  };
  return new BatchSpanProcessor({
    exporter: withLog(new OTLPTraceExporter(), log),
    scheduledDelayMillis: limit('SCHEDULE_DELAY', 5_000),
    exportTimeoutMillis: limit('EXPORT_TIMEOUT', 30_000),
    maxQueueSize: limit('MAX_QUEUE_SIZE', 2_048),
    maxExportBatchSize: limit('MAX_EXPORT_BATCH_SIZE', 512),
  });
}

/** Logs when an export fails after a success, and when it succeeds after a failure, instead of each failure. */
function withLog(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = result.code !== 0;
        const facts = { cause: result.error?.message };
        if (failed && !isFailing) log.warn(facts, NOT_EXPORTED);
        if (!failed && isFailing) log.info({}, 'Traces reach the collector again.');
        isFailing = failed;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}

const NOT_EXPORTED =
  'Traces do not reach the collector, so they are dropped; answers are not affected. Check OTEL_EXPORTER_OTLP_ENDPOINT.';
