/** Small valid values of the core's types; each property can be overridden. */

import type { Agent, AgentGateway } from '../../src/core/agents/agent.ts';
import type { AgentCard } from '../../src/core/channel/host.ts';
import { agentName, type TurnId, turnId } from '../../src/core/ids.ts';
import type { Message, Person, ThreadRef } from '../../src/core/message.ts';
import { laneOf } from '../../src/core/message.ts';
import type { Source } from '../../src/core/reply.ts';
import type { Claim } from '../../src/core/stores/inbox.ts';
import type { Turn } from '../../src/core/turn.ts';

export function thread(over: Partial<ThreadRef> = {}): ThreadRef {
  return { channel: 'memory', tenant: 'acme', room: 'general', key: 't1', kind: 'room', ...over };
}

export function person(over: Partial<Person> = {}): Person {
  return { id: 'ada', name: 'Ada', standing: 'member', ...over };
}

export function message(over: Partial<Message> = {}): Message {
  return {
    id: 'm1',
    thread: thread(),
    sender: person(),
    text: 'How long is the warranty?',
    quoted: [],
    files: [],
    sentAt: 0,
    revision: 0,
    ...over,
  };
}

export function turn(over: Partial<Turn> = {}): Turn {
  const said = over.message ?? message();
  return {
    id: turnId('turn-1'),
    origin: { kind: 'message', key: said.id, revision: 0 },
    lane: laneOf(said.thread),
    message: said,
    keptAt: 0,
    attempt: 1,
    phase: 'new',
    state: 'running',
    ...over,
  };
}

export function claim(over: Partial<Claim> = {}): Claim {
  return { turn: turn(), owner: 'one', text: '', until: 10_000, ...over };
}

export function source(over: Partial<Source> = {}): Source {
  return { key: 'manual.pdf', title: 'Manual', kind: 'document', fragments: [], ...over };
}

/** An agent whose gateway has only the given methods. */
export function agent(name: string, gateway: Partial<AgentGateway> = {}): Agent {
  return {
    name: agentName(name),
    description: `Knows about ${name}.`,
    interface: 'open',
    gateway: {
      sees: { images: false },
      takesLanguage: true,
      memory: 'session',
      ask: () => unused('ask'),
      sources: () => unused('sources'),
      uploadImages: () => unused('uploadImages'),
      openMedia: () => unused('openMedia'),
      check: () => unused('check'),
      ...gateway,
    },
  };
}

function unused(what: string): never {
  throw new Error(`${what} was not expected here.`);
}

/** Returns ids t-1, t-2, … in order. */
export function countedIds(): () => TurnId {
  let made = 0;
  return () => {
    made += 1;
    return turnId(`t-${made}`);
  };
}

/** Two sample agent cards. */
export const agentCards: readonly AgentCard[] = ['knowledge', 'sales'].map((name) => ({
  name: agentName(name),
  description: name,
  ...(name === 'knowledge' && { icon: ':books:' }),
  seesImages: false,
}));
