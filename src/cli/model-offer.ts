/**
 * Offers the sandbox a language model that the person already has: OpenAI's with the key in OPENAI_API_KEY, or an Ollama
 * on this machine. The model gets the questions and passages of the documents, so it is used only if the person says
 * yes. The answer is stored, so the question is asked once.
 */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';

import type { Config } from '../config/schema.ts';
import { cappedFetch } from '../kit/capped-fetch.ts';
import type { Environment } from '../kit/channel.ts';
import { Secret } from '../secret.ts';

type Model = NonNullable<Config['sandbox']['model']>;

export interface OfferDeps {
  /** Folder in which the answer is stored. */
  readonly data: string;
  readonly environment: Environment;
  /** True if a person can answer the question. */
  readonly onTerminal: boolean;
  /** Asks a yes-or-no question. Resolves to undefined if it gets no answer. */
  ask(question: string): Promise<boolean | undefined>;
}

export const OFFER_RECORD = 'model-offer.json';
/** Address of OpenAI's interface: https://platform.openai.com/docs/api-reference. OPENAI_BASE_URL names another. */
const OPENAI = 'https://api.openai.com/v1';
/** A small model is enough to put passages into sentences. OPENAI_MODEL names another. */
const OPENAI_MODEL = 'gpt-4o-mini';
/** Address of Ollama: https://docs.ollama.com/api. OLLAMA_HOST names another. */
const OLLAMA = 'http://127.0.0.1:11434';
/** Maximum time to find an Ollama on this machine, in milliseconds, and maximum bytes of its list of models. */
const OLLAMA_MS = 300;
const OLLAMA_BYTES = 1024 * 1024;

const offer = z.object({ use: z.boolean(), baseUrl: z.url(), name: z.string().min(1) });
type Offer = Omit<z.infer<typeof offer>, 'use'>;

/** Returns the model that the person has accepted, now or earlier; undefined if there is none. */
export async function offeredModel(deps: OfferDeps): Promise<Model | undefined> {
  const { data, environment, onTerminal, ask } = deps;
  const file = join(data, OFFER_RECORD);
  const stored = await readOffer(file);
  if (stored !== undefined) return stored.use ? withKey(stored, environment) : undefined;
  const found = onTerminal ? (ofEnvironment(environment) ?? (await ofOllama(environment))) : undefined;
  if (found === undefined) return undefined;
  const { name, baseUrl } = found;
  const use = await ask(
    `Shall ${name} at ${new URL(baseUrl).host} write the sandbox's answers? It gets the questions and passages of the documents.`,
  );
  if (use === undefined) return undefined;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify({ use, baseUrl, name })}\n`, { mode: 0o600 });
  return use ? withKey(found, environment) : undefined;
}

async function readOffer(file: string) {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return offer.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function ofEnvironment({
  OPENAI_API_KEY,
  OPENAI_BASE_URL,
  OPENAI_MODEL: model,
}: Environment): Offer | undefined {
  const baseUrl = OPENAI_BASE_URL || OPENAI;
  const isWeb = /^https?:$/.test(URL.parse(baseUrl)?.protocol ?? '');
  return OPENAI_API_KEY && isWeb ? { baseUrl, name: model || OPENAI_MODEL } : undefined;
}

/** Returns the first model of an Ollama on this machine. */
async function ofOllama({ OLLAMA_HOST }: Environment): Promise<Offer | undefined> {
  const origin = OLLAMA_HOST ? `http://${OLLAMA_HOST.replace(/^https?:\/\//, '')}` : OLLAMA;
  const tags = z.object({ models: z.array(z.object({ name: z.string().min(1) })) });
  try {
    const answer = await cappedFetch(OLLAMA_BYTES, OLLAMA_MS)(`${origin}/api/tags`);
    const [first] = tags.parse(await answer.json()).models;
    return first && { baseUrl: `${origin}/v1`, name: first.name };
  } catch {
    return undefined;
  }
}

/** Adds the key. It is read at each start, and goes only to the address for which the person has said yes. */
function withKey({ baseUrl, name }: Offer, environment: Environment): Model {
  const own = ofEnvironment(environment)?.baseUrl === baseUrl;
  return { baseUrl, name, ...(own && { key: new Secret(environment.OPENAI_API_KEY ?? '') }) };
}
