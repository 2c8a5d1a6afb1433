import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../src/core/agents/agent.ts';
import { BridgeError } from '../../../src/errors.ts';
import { parseBase } from '../../../src/platform/base-url.ts';
import { answerHooks } from '../../../src/platform/gateways/hooks.ts';
import { InlineImages } from '../../../src/platform/gateways/asking.ts';
import { AnswerDecoder } from '../../../src/platform/stream/answer.ts';

function eventsOf(name: string, size: number): readonly AgentEvent[] {
  const bytes = readFileSync(new URL(name, import.meta.url));
  const base = parseBase('https://platform.example', false);
  const refused = (): BridgeError => new BridgeError('platform-refused', 'unexpected');
  const decoder = new AnswerDecoder('text/event-stream', answerHooks(base, refused, () => undefined));
  const images = new InlineImages(base);
  const events: AgentEvent[] = [];
  const add = (event: AgentEvent) => void events.push(...images.after(event, () => decoder.text));
  for (let at = 0; at < bytes.length; at += size) {
    for (const event of decoder.push(bytes.subarray(at, at + size))) add(event);
  }
  for (const event of decoder.finish()) add(event);
  return events;
}

describe.each(['open-knowledge.sse', 'lite-knowledge.sse'])('the recorded stream %s', (name) => {
  it('is decoded into the same events as when it was recorded', async () => {
    const events = eventsOf(name, 65_536);
    await expect(`${JSON.stringify(events, null, 2)}\n`).toMatchFileSnapshot(name.replace('.sse', '.events.json'));
    expect(eventsOf(name, 1)).toEqual(events);
  });
});
