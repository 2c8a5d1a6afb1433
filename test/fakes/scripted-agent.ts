/** An agent that plays a script: events, pauses, failures, silence. */

import type { Agent, AgentEvent, AgentGateway, ImageFile, Question } from '../../src/core/agents/agent.ts';
import type { Call } from '../../src/core/agents/library.ts';
import type { Clock } from '../../src/core/clock.ts';
import { agentName } from '../../src/core/ids.ts';
import type { Source } from '../../src/core/reply.ts';
import type { BridgeError } from '../../src/errors.ts';

export type Act =
  /** Text appended to the answer so far. */
  | { readonly say: string }
  | { readonly tell: AgentEvent }
  | { readonly pause: number }
  | { readonly fail: BridgeError }
  /** The agent's gateway repeats the request, over a connection that takes this many milliseconds to open. */
  | { readonly repeat: number }
  /** The agent sends nothing more and never ends. */
  | { readonly silence: true };

/** Returns the agent's acts for a question; `nth` is the number of the request, from 1, across all processes. */
export type Script = (question: Question, nth: number) => readonly Act[];

/** Returns the sources of an answer, and the delay before they are available. */
export type SourceScript = (
  answer: { readonly chatRecord?: string | undefined; readonly known: readonly Source[] },
  call: Call,
) => {
  readonly afterMs: number;
  readonly sources: readonly Source[] | BridgeError;
};

export interface Asking {
  readonly at: number;
  readonly process: string;
  readonly question: Question;
  /** Every version of the answer's text, oldest first. */
  readonly texts: string[];
  ended?: 'ended' | 'failed' | 'aborted';
}

export interface ScriptedAgent {
  readonly askings: readonly Asking[];
  readonly uploads: readonly (readonly ImageFile[])[];
  /** Returns the agent for one process. All processes share the script and its record. */
  agent(process: { readonly name: string; readonly clock: Clock }): Agent;
}

export interface ScriptedAgentOptions {
  readonly name: string;
  readonly script: Script;
  readonly sources?: SourceScript;
  readonly seesImages?: boolean;
  readonly memory?: 'session' | 'history';
  readonly canSkipHint?: boolean;
  /** Returns why the platform refuses the account; undefined if it accepts the account. */
  readonly refuses?: (account: string) => BridgeError | undefined;
  /** True if the agent needs the asker's own token in private. */
  readonly asAsker?: true;
}

export function createScriptedAgent(options: ScriptedAgentOptions): ScriptedAgent {
  const {
    name,
    script,
    sources,
    seesImages = false,
    memory = 'session',
    canSkipHint = false,
    refuses,
    asAsker,
  } = options;
  const askings: Asking[] = [];
  const uploads: (readonly ImageFile[])[] = [];
  return {
    askings,
    uploads,
    agent({ name: process, clock }) {
      const gateway: AgentGateway = {
        sees: { images: seesImages },
        takesLanguage: true,
        memory,
        canSkipHint,
        ask(question, signal, guard) {
          const begin = (): Asking => {
            const asking: Asking = { at: clock.now(), process, question, texts: [''] };
            askings.push(asking);
            return asking;
          };
          const repeat = async (connectMs: number) => {
            do {
              await guard.ready();
              await clock.wait(connectMs, signal);
            } while (!guard.maySend());
            begin();
          };
          const asking = begin();
          return play(script(question, askings.length), asking, { clock, signal, repeat });
        },
        async sources(answer, call) {
          if (sources === undefined) return answer.known;
          const told = sources(answer, call);
          await clock.wait(told.afterMs, call.signal);
          if (told.sources instanceof Error) throw told.sources;
          return told.sources;
        },
        uploadImages: async (images) => {
          uploads.push(images);
          return images.map((_, at) => `image-${uploads.length}-${at + 1}`);
        },
        openMedia: async () => ({ type: 'image/png', bytes: new Uint8Array() }),
        admit: async (account) => {
          const error = refuses?.(account);
          if (error !== undefined) throw error;
        },
        check: async () => [],
      };
      const own = { ...(asAsker && { asAsker }) };
      return { name: agentName(name), description: `Plays ${name}.`, interface: 'open', gateway, ...own };
    },
  };
}

interface Playing {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  repeat(connectMs: number): Promise<void>;
}

async function* play(acts: readonly Act[], asking: Asking, playing: Playing): AsyncGenerator<AgentEvent> {
  const { clock, signal, repeat } = playing;
  try {
    for (const act of acts) {
      signal.throwIfAborted();
      if ('pause' in act) await clock.wait(act.pause, signal);
      else if ('silence' in act) await aborted(signal);
      else if ('fail' in act) throw act.fail;
      else if ('repeat' in act) await repeat(act.repeat);
      else yield note(eventOf(act, asking), asking);
    }
    yield { type: 'end' };
    asking.ended = 'ended';
  } finally {
    asking.ended ??= signal.aborted ? 'aborted' : 'failed';
  }
}

function eventOf(act: { readonly say: string } | { readonly tell: AgentEvent }, asking: Asking): AgentEvent {
  return 'tell' in act ? act.tell : { type: 'text', at: asking.texts.at(-1)?.length ?? 0, text: act.say };
}

function note(event: AgentEvent, { texts }: Asking): AgentEvent {
  if (event.type === 'text') texts.push((texts.at(-1) ?? '').slice(0, event.at) + event.text);
  return event;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Returns the text in pieces of this many characters, with a pause before each. */
export function growing(text: string, piece: number, pauseMs: number): readonly Act[] {
  const acts: Act[] = [];
  for (let at = 0; at < text.length; at += piece) {
    acts.push({ pause: pauseMs }, { say: text.slice(at, at + piece) });
  }
  return acts;
}
