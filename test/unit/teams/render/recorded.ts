/** Replays recorded streams of the platform. Returns the reply document after each event. */

import { readFileSync } from 'node:fs';
import type { AgentEvent } from '../../../../src/core/agents/agent.ts';
import { begin, finish, fold, withAgent } from '../../../../src/core/live-reply/compose.ts';
import { change } from '../../../../src/core/reply.ts';
import { agentName } from '../../../../src/kit/ladder.ts';
import { type ReplyDocument, turnId } from '../../../../src/kit.ts';

const read = (path: string) =>
  JSON.parse(readFileSync(new URL(`../../../recorded/${path}`, import.meta.url), 'utf8'));

const first = (): ReplyDocument => withAgent(begin(turnId('turn-1')), agentName('knowledge'), undefined);

function each<Step>(steps: readonly Step[], next: (document: ReplyDocument, step: Step) => ReplyDocument) {
  let document = first();
  return [document, ...steps.map((step) => (document = next(document, step)))];
}

function ofPlatform(name: string): readonly ReplyDocument[] {
  const events: readonly AgentEvent[] = read(`platform/${name}.events.json`);
  const grown = each(events, fold);
  return [...grown, finish(grown.at(-1) ?? first())];
}

const ofConsole = (): readonly ReplyDocument[] =>
  each<Partial<ReplyDocument>>(read('console/reply.json').documents, change);

export const streams: Readonly<Record<string, readonly ReplyDocument[]>> = {
  'open-knowledge': ofPlatform('open-knowledge'),
  'lite-knowledge': ofPlatform('lite-knowledge'),
  console: ofConsole(),
};

export const lastOf = (name: string): ReplyDocument => streams[name]?.at(-1) ?? first();
