import type { AgentEvent } from '../../core/agents/agent.ts';
import { BridgeError, usage } from '../../errors.ts';
import {
  type AnyOperation,
  type CallOptions,
  completeOrg,
  type Download,
  type Operation,
  type Page,
  type Progress,
  pasted,
} from '../../platform/api.ts';
import type { CommandDeps } from '../channels.ts';
import { createGrowth } from '../print.ts';
import { type Access, type AccessOptions, noteIdentity, withPlatform } from './access.ts';
import { conditionOf } from './conditions.ts';
import { inputsOf } from './inputs.ts';
import { note, print, printContent, printJson, printPiece, replaceNote } from './output.ts';
import { confirm, outside } from './outside.ts';
import { adviceOnArguments, type Given, holdsSecret, requestOf } from './request.ts';
import { safeName, save } from './save.ts';
import { failures, settled } from './settled.ts';
import { show } from './show.ts';

/** Flags of a command that are not fields of its request. */
export interface RunOptions extends AccessOptions {
  /** Path of a file with the request's body; `-` means standard input. */
  readonly file?: string;
  readonly all?: true;
  readonly yes?: true;
  readonly output?: string;
  readonly force?: true;
  readonly wait?: true;
  readonly where?: readonly string[];
}

/** Runs one operation as a command. Resolves with the exit code. */
export async function runOperation(
  operation: AnyOperation,
  given: Given,
  options: RunOptions,
  deps: CommandDeps,
): Promise<number> {
  const body =
    options.file === undefined || operation.body !== 'json'
      ? undefined
      : outside.yaml(await outside.text(options.file), '--file');
  const inputs = inputsOf(operation);
  const written = await requestOf(inputs, given, body, outside);
  const request = pastedRequest(operation, written);
  const named = inputs.filter(({ name, kind }) => kind !== 'secret' && given[name] !== undefined);
  for (const advice of adviceOnArguments(operation, named, request)) note(advice);
  if (options.where !== undefined) request.conditions = options.where.map(conditionOf);
  if (operation.destroys) await confirmDestruction(operation, options);
  return withPlatform(options, deps, (access) => perform(operation, request, access, options));
}

/** Accepts requests as the platform's documentation writes them. */
const pastedRequest = (operation: AnyOperation, written: Given): Record<string, unknown> =>
  Object.assign({}, pasted(operation.request, written));

async function confirmDestruction({ doc }: AnyOperation, { yes }: RunOptions): Promise<void> {
  if (yes || (await confirm(`${doc} Go on?`))) return;
  throw usage('This cannot be undone. Add --yes to confirm.');
}

async function perform(
  operation: AnyOperation,
  request: Record<string, unknown>,
  access: Access,
  options: RunOptions,
): Promise<number> {
  const { client } = access;
  const call: CallOptions = { ...access.call, ...(process.stderr.isTTY && { onProgress: progress }) };
  noteIdentity(operation, access);
  if (operation.answer === 'bytes') {
    return download(await client.download(operation, request, call), operation, options);
  }
  if (operation.answer === 'stream' && request.stream === true && !options.json) {
    await printAnswer(client.ask(operation, request, call));
    return 0;
  }
  if (options.all && operation.shape === 'page') {
    const items: unknown[] = [];
    for await (const page of client.pages(paged(operation), request, call)) items.push(...page.items);
    show({ shape: 'many' }, items, options);
    return 0;
  }
  const full = operation.id === 'updateOrg' ? await completeOrg(client, request, call) : request;
  const result = await client.call(operation, full, call);
  if (operation.id === 'updateOrg') noteSwitchedOff(request, result);
  const final = options.wait ? await settled(operation.id, client, request, result) : result;
  show(operation, final, options);
  if (holdsSecret(operation))
    note('Store the secret now: it is shown only once, and Parley does not keep it.');
  const failed = options.wait ? failures(final) : [];
  for (const failure of failed) note(failure);
  return failed.length === 0 ? 0 : FAULT;
}

/**
 * Warns if the platform switched the organization off. The platform does so if the request does not contain `isEnable`.
 */
function noteSwitchedOff(request: Readonly<Record<string, unknown>>, result: unknown): void {
  const isOff = typeof result === 'object' && result !== null && 'isEnable' in result && !result.isEnable;
  if (isOff && request.isEnable === undefined) {
    note(
      'The platform reports that this organization is switched off. To switch it on, repeat the command with --is-enable.',
    );
  }
}

/** Exit code if the call succeeded but one of its files failed. */
const FAULT = 1;

const PERCENT = 100;

function progress({ sent, total }: Progress): void {
  const done = Math.floor((sent / total) * PERCENT);
  replaceNote(`Uploading ${done} %`, sent === total);
}

async function download(found: Download, { command }: AnyOperation, options: RunOptions): Promise<number> {
  if (options.output === '-') {
    await printContent(found.bytes());
    return 0;
  }
  const path = options.output ?? safeName(found.name, `${command}.bin`);
  const size = await save(found, path, options.force ? 'overwritten' : 'kept');
  if (options.json) printJson({ file: path, bytes: size, type: found.type });
  else print(`${path} (${size} bytes)`);
  return 0;
}

/** Returns the operation, typed as one whose result has pages. Throws `usage` if its result has no pages. */
function paged(operation: AnyOperation): Operation<AnyOperation['request'], Page<unknown>> {
  if (operation.shape !== 'page') throw usage(`${operation.id} has no pages.`);
  return operation as Operation<AnyOperation['request'], Page<unknown>>;
}

/**
 * Prints the text of an answer while it grows. If the agent rewrites the text, prints the whole text again, below a
 * line. Prints the ids of the session and of the chat record on standard error.
 */
async function printAnswer(events: AsyncIterable<AgentEvent>): Promise<void> {
  const growth = createGrowth(printPiece);
  let text = '';
  let rewrites = 0;
  const ids = new Map<string, string>();
  for await (const event of events) {
    if (event.type === 'step') note(`· ${event.step.name}`);
    if (event.type === 'session') ids.set('session', event.session);
    if (event.type === 'record') ids.set('chatRecord', event.chatRecord);
    if (event.type !== 'text') continue;
    if (event.at < text.length) rewrites += 1;
    text = text.slice(0, event.at) + event.text;
    growth(text, rewrites);
  }
  printPiece('\n');
  for (const [name, id] of ids) note(`${name}: ${id}`);
}

export interface TokenOptions extends AccessOptions {
  readonly lite?: true;
}

/** Prints a token and nothing else, so that a shell can capture it. The platform decides for how long it is valid. */
export function printToken(options: TokenOptions, deps: CommandDeps): Promise<number> {
  const [face, credential] = options.lite ? (['lite', 'bearer'] as const) : (['open', 'open'] as const);
  return withPlatform(options, deps, async (access) => {
    const token = await access.client.token(face, access.call);
    if (token === undefined) {
      const message = 'No configured credential yields a token.';
      throw new BridgeError('config-invalid', message, { facts: { credential } });
    }
    noteIdentity({ credential }, access);
    if (options.json) printJson({ token: token.reveal() });
    else print(token.reveal());
    return 0;
  });
}
