/**
 * The act that lets Slack validate every block and view that the bridge sent. `blocks.validate` needs no token:
 * https://docs.slack.dev/reference/methods/blocks.validate
 */

import {
  cappedFetch,
  count,
  type LiveAct,
  type LiveCall,
  LiveFault,
  type LiveStage,
  type Plain,
  plain,
  plains,
  readJson,
  text,
  timeLimit,
  toolAct,
} from '../../../src/kit/ladder.ts';
import type { SlackConfig } from '../config.ts';

/** Most payloads that are validated; Slack's page states a special rate limit, without a number. */
const MOST_PAYLOADS = 60;
const REQUEST_MS = 10_000;
/** Longest accepted pause after a 429, in seconds. */
const MOST_PAUSE_S = 60;
const TOO_MANY = 429;
/** Most refused payloads that the sentence names. */
const MOST_NAMED = 5;
const request = cappedFetch();

export const blocksAct = ({ apiUrl }: SlackConfig, calls: readonly LiveCall[]): LiveAct =>
  toolAct(
    'blocks',
    'Slack finds every block and view valid that Parley sent (blocks.validate)',
    'mention',
    async (stage) => {
      const payloads = [...new Set(calls.flatMap(payloadOf))].slice(0, MOST_PAYLOADS);
      const refused: string[] = [];
      for (const payload of payloads) refused.push(...(await validate(stage, payload, apiUrl)));
      stage.measure('payloads validated', payloads.length);
      stage.measure('payloads refused', refused.length);
      if (payloads.length === 0) throw new LiveFault('Parley sent no blocks.');
      if (refused.length === 0) return;
      const named = refused.slice(0, MOST_NAMED).join('; ');
      throw new LiveFault(`Slack refuses ${refused.length} of ${payloads.length} payloads: ${named}.`);
    },
  );

/** Returns the blocks or the view of a call as the body of a validation. `message` takes no text, says the SDK's type. */
function payloadOf({ args: { blocks, view } }: LiveCall): readonly string[] {
  const [name, value] = view === undefined ? ['blocks', blocks] : ['view', view];
  return value === undefined
    ? []
    : [new URLSearchParams({ [String(name)]: JSON.stringify(value) }).toString()];
}

/** Resolves with where and why Slack refuses the payload; with an empty list if it is valid. Waits once after a 429. */
async function validate(stage: LiveStage, body: string, apiUrl: string): Promise<readonly string[]> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  for (let tried = 1; ; tried++) {
    const signal = timeLimit(REQUEST_MS);
    const init = { method: 'POST', headers, body, redirect: 'manual', signal } as const;
    const response = await request(new URL('blocks.validate', apiUrl), init).catch(() => undefined);
    if (response === undefined) throw new LiveFault('Slack could not be reached for blocks.validate.');
    if (response.status !== TOO_MANY || tried > 1) return faultsIn(plain(readJson(await response.text())));
    const pause = count(Number(response.headers.get('retry-after'))) ?? 1;
    stage.measure('Retry-After of blocks.validate, s', pause);
    await stage.clock.wait(Math.min(pause, MOST_PAUSE_S) * 1_000, stage.signal);
  }
}

function faultsIn({ ok, errors, error }: Plain): readonly string[] {
  if (ok === true) return [];
  const faults = plains(errors);
  if (faults.length > 0) return [faults.slice(0, 2).map(faultOf).join(', ')];
  throw new LiveFault(`blocks.validate failed: ${codeIn(error)}.`);
}

/** A pointer consists of indexes and names of fields, never of text. */
const faultOf = ({ pointer, code }: Plain): string => `${text(pointer) ?? 'unknown place'} ${codeIn(code)}`;

const codeIn = (code: unknown): string => /^\w+$/.exec(text(code) ?? '')?.[0] ?? 'unknown error';
