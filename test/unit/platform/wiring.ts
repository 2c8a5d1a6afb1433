/** The client's internal parts, for tests that replace its transport. */

import { parseBase } from '../../../src/platform/base-url.ts';
import { AUTH_PATTERN } from '../../../src/platform/failure.ts';
import { defaultTimeouts } from '../../../src/platform/limits.ts';
import { ReadPace } from '../../../src/platform/stream/read-pace.ts';
import type { Transport, WireAnswer } from '../../../src/platform/transport.ts';
import { documentedDeployment } from '../../../src/platform/wire/deployment.ts';
import type { Wiring } from '../../../src/platform/wiring.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

export function wiringOf(send: Transport['send'], over: Partial<Wiring> = {}): Wiring {
  const clock = createVirtualClock();
  return {
    base: parseBase('https://platform.example/app', false),
    transport: { send, close: async () => undefined },
    timeouts: defaultTimeouts,
    clock,
    reads: new ReadPace(clock),
    random: () => 0,
    paths: {},
    deployment: documentedDeployment,
    forms: new Map(),
    maxUploadBytes: 0,
    schemes: { wanted: 'auto', known: new Map() },
    authPattern: AUTH_PATTERN,
    locale: 'en-US',
    called: () => undefined,
    ...over,
  };
}

/** Returns a response of a simulated transport. */
export function answerOf(
  content: Uint8Array | string,
  { status = 200, headers = {} }: Partial<Pick<WireAnswer, 'status' | 'headers'>> = {},
): WireAnswer {
  return {
    ...{ operation: 'o', status, headers, discard: () => undefined },
    async *bytes() {
      yield Buffer.from(content);
    },
  };
}
