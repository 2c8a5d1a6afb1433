/** Follows the requests of a transport, for traces. */

import type { Base } from './base-url.ts';
import type { Transport, WireAnswer, WireRequest } from './transport.ts';

/** One request that is followed. */
interface RequestTrace {
  /** Value of the header `traceparent` (W3C Trace Context). */
  readonly traceparent: string;
  /** Called with the status of the response. */
  answered(status: number): void;
  /** Called once the body was read or is not needed, or with the reason if no whole response arrived. May be repeated. */
  end(thrown?: unknown): void;
}

/** Called before a request is sent. Returns undefined if the request is not followed. */
export type TraceRequest = (request: WireRequest) => RequestTrace | undefined;

/** @param sendsContext true if requests to the platform's own origin carry `traceparent`; no other requests do */
export function traced(
  transport: Transport,
  trace: TraceRequest,
  base: Base,
  sendsContext: boolean,
): Transport {
  return {
    async send(request) {
      const span = trace(request);
      if (span === undefined) return transport.send(request);
      const isTold = sendsContext && new URL(request.url).origin === base.origin;
      const headers = { ...request.headers, ...(isTold && { traceparent: span.traceparent }) };
      try {
        return followed(await transport.send({ ...request, headers }), span);
      } catch (thrown) {
        span.end(thrown);
        throw thrown;
      }
    },
    close: () => transport.close(),
  };
}

function followed(answer: WireAnswer, span: RequestTrace): WireAnswer {
  span.answered(answer.status);
  return {
    ...answer,
    async *bytes(limit) {
      try {
        yield* answer.bytes(limit);
      } catch (thrown) {
        span.end(thrown);
        throw thrown;
      } finally {
        span.end();
      }
    },
    discard() {
      answer.discard();
      span.end();
    },
  };
}
