/** Agents that a server with OpenAI's chat completions answers. */

import type OpenAI from 'openai';
import { z } from 'zod';
import type { AgentEvent, AgentGateway, AskingGuard, Finding, Question } from '../core/agents/agent.ts';
import { verdictOf } from '../core/agents/breaker.ts';
import { boundedHistory } from '../core/agents/history.ts';
import type { Clock } from '../core/clock.ts';
import { asBridgeError, BridgeError } from '../errors.ts';
import { delayBefore, questionText, RETRY } from '../platform/index.ts';
import type { Secret } from '../secret.ts';
import { endOf, failureIn, type Server } from './openai-failure.ts';
import { safeFetch } from './openai-wire.ts';
import { claimQuestion, gatewayOf } from './own-gateway.ts';

export interface OpenAIOptions {
  readonly baseUrl: string;
  readonly model: string;
  readonly key?: Secret | undefined;
  readonly system?: string | undefined;
  readonly temperature?: number | undefined;
  readonly seesImages: boolean;
  readonly historyChars: number;
}

export interface OwnPorts {
  readonly clock: Clock;
  /** Returns a random number of at least 0 and less than 1. */
  readonly random: () => number;
}

/** Maximum time until the headers of a response arrive, in milliseconds. */
const FIRST_BYTE_MS = 110_000;
/** Maximum time of a request that finds out whether the server responds, in milliseconds. */
const PROBE_MS = 10_000;

export function openaiGateway(name: string, options: OpenAIOptions, ports: OwnPorts): AgentGateway {
  const server: Server = { name, ...options };
  let client: Promise<OpenAI> | undefined;
  const connect = () => {
    client ??= makeClient(server);
    return client;
  };
  return {
    ...gatewayOf(name, ports, async function* (question, signal, guard) {
      const openai = await connect();
      const asking: Asking = { openai, options, server, question, signal, guard, ports };
      yield* untilAnswered(asking);
    }),
    sees: { images: options.seesImages },
    memory: 'history',
    check: async (signal) => [await checkModel(await connect(), server, signal)],
    answers: async () => {
      try {
        await (await connect()).models.list({ timeout: PROBE_MS });
        return true;
      } catch (thrown) {
        const error = failureIn(thrown, server, false, 0);
        // A server that answers with something else than a list of models is not down.
        return error.code === 'platform-protocol' || verdictOf(error) === 'answers';
      }
    },
  };
}

/** Everything that the package would read from the environment is set, because it belongs to other programs. */
async function makeClient(server: Server): Promise<OpenAI> {
  const { default: Client } = await import('openai').catch((cause: unknown) => {
    const cure = 'Install Parley without --omit=optional, or run npm install openai.';
    const what = `The agent "${server.name}" needs the optional package openai, which is not installed.`;
    throw new BridgeError('config-invalid', `${what} ${cure}`, { cause });
  });
  return new Client({
    // `safeFetch` sets the key, so that a key in a file may change.
    apiKey: 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: server.baseUrl,
    timeout: FIRST_BYTE_MS,
    maxRetries: 0,
    logLevel: 'off',
    fetch: safeFetch(server),
  });
}

interface Asking {
  readonly openai: OpenAI;
  readonly options: OpenAIOptions;
  readonly server: Server;
  readonly question: Question;
  readonly signal: AbortSignal;
  readonly guard: AskingGuard;
  readonly ports: OwnPorts;
}

/** Asks again after passing errors (faults F01, F02, F15), until a part of the answer has arrived. */
async function* untilAnswered(asking: Asking): AsyncGenerator<string | AgentEvent, void, undefined> {
  const { server, signal, guard, ports } = asking;
  const began = ports.clock.now();
  for (let tries = 1; ; tries += 1) {
    await claimQuestion(guard);
    let hasBegun = false;
    try {
      for await (const part of attempt(asking)) {
        hasBegun = true;
        yield part;
      }
      return;
    } catch (thrown) {
      signal.throwIfAborted();
      const error = failureIn(thrown, server, hasBegun, ports.clock.now());
      const elapsedMs = ports.clock.now() - began;
      const tried = { rule: RETRY.chat, tries, elapsedMs, random: ports.random };
      const delay = hasBegun ? undefined : delayBefore(error, tried);
      if (delay === undefined) throw error;
      await ports.clock.wait(delay, signal);
    }
  }
}

const text = z.string().nullish();
const tool = z.object({ index: z.number().nullish(), function: z.object({ name: text }).nullish() });
const delta = z.object({ content: text, refusal: text, tool_calls: z.array(tool).nullish() });
/** The parts of a chunk that are used. A chunk without them only shows that the server is alive. */
const chunk = z.object({
  choices: z.array(z.object({ delta: delta.nullish(), finish_reason: text })).nullish(),
});

async function* attempt(asking: Asking): AsyncGenerator<string | AgentEvent, void, undefined> {
  const { openai, options, server, question, signal } = asking;
  const { model, temperature } = options;
  const stream = await openai.chat.completions.create(
    {
      model,
      stream: true,
      messages: messagesFor(question, options),
      ...(temperature !== undefined && { temperature }),
    },
    { signal },
  );
  let end: string | undefined;
  for await (const given of stream) {
    const { data } = chunk.safeParse(given);
    const [choice] = data?.choices ?? [];
    end = choice?.finish_reason ?? end;
    for (const { index, function: called } of choice?.delta?.tool_calls ?? []) {
      if (!called?.name) continue;
      const step = {
        id: `tool-${index ?? called.name}`,
        name: called.name.slice(0, 200),
        state: 'done',
      } as const;
      yield { type: 'step', step };
    }
    yield (choice?.delta?.content ?? '') + (choice?.delta?.refusal ?? '');
  }
  const remark = endOf(end, server);
  if (remark !== undefined) yield { type: 'remark', remark };
}

type Message = OpenAI.Chat.Completions.ChatCompletionMessageParam;

function messagesFor(question: Question, { system, historyChars }: OpenAIOptions): Message[] {
  const { language, images } = question;
  const rules = [system, language && `Answer in the language ${language}.`].filter(Boolean).join('\n\n');
  const earlier = boundedHistory(question.history, historyChars).flatMap((exchange): Message[] => [
    { role: 'user', content: exchange.question },
    { role: 'assistant', content: exchange.answer },
  ]);
  const content = questionText(question);
  const parts = [
    { type: 'text', text: content } as const,
    ...images.map((url) => ({ type: 'image_url', image_url: { url } }) as const),
  ];
  return [
    ...(rules === '' ? [] : [{ role: 'system', content: rules } as const]),
    ...earlier.filter((message) => message.content !== ''),
    { role: 'user', content: images.length === 0 ? content : parts },
  ];
}

/** Maximum number of models that a finding names. */
const NAMED = 10;

async function checkModel(openai: OpenAI, server: Server, signal: AbortSignal): Promise<Finding> {
  const what = 'model';
  const { name, model, baseUrl } = server;
  try {
    const { data } = await openai.models.list({ signal });
    const ids = z
      .array(z.object({ id: z.string() }))
      .catch([])
      .parse(data)
      .map(({ id }) => id);
    if (ids.includes(model)) return { what, ok: true, detail: `${baseUrl} has ${model}` };
    const cure = `Set agents.${name}.model to one of its models: ${ids.slice(0, NAMED).join(', ') || 'it names none'}.`;
    return { what, ok: false, detail: `${baseUrl} has no model "${model}". ${cure}` };
  } catch (thrown) {
    signal.throwIfAborted();
    const error = asBridgeError(failureIn(thrown, server, false, 0));
    if (error.facts.httpStatus !== 404) return { what, ok: false, detail: error.message };
    const detail = 'not tested: the server lists no models, so the first question shows if it has this one.';
    return { what, ok: true, tested: false, detail };
  }
}
