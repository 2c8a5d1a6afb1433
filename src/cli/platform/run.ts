import type { AgentEvent } from '../../core/agents/agent.ts';
import { BridgeError } from '../../errors.ts';
import {
  type AnyOperation,
  type CallOptions,
  completeOrg,
  type Operation,
  type Page,
  type Progress,
} from '../../platform/api.ts';
import type { Secret } from '../../secret.ts';
import type { House } from '../channels.ts';
import { createGrowth } from '../print.ts';
import { type Access, type AccessOptions, identityText, withPlatform } from './access.ts';
import { conditionOf } from './conditions.ts';
import { inputsOf } from './inputs.ts';
import { grow, note, pour, print, printJson, replaceNote } from './output.ts';
import { confirm, outside } from './outside.ts';
import { adviceOnArguments, type Given, holdsSecret, requestOf, usage } from './request.ts';
import { safeName, save } from './save.ts';
import { failures, settled } from './settled.ts';
import { show } from './show.ts';

/** Flags beside the members of the request. */
export interface RunOptions extends AccessOptions {
  readonly json?: true;
  /** A file with the body; `-` is the standard input. */
  readonly file?: string;
  readonly all?: true;
  readonly yes?: true;
  readonly output?: string;
  readonly force?: true;
  readonly wait?: true;
  readonly where?: readonly string[];
}

/** Runs one operation as a command; resolves with the exit code. */
export async function runOperation(
  operation: AnyOperation,
  given: Given,
  options: RunOptions,
  house: House,
): Promise<number> {
  const body =
    options.file === undefined || operation.body !== 'json'
      ? undefined
      : outside.yaml(await outside.text(options.file), '--file');
  const inputs = inputsOf(operation);
  const request = await requestOf(inputs, given, body, outside);
  const written = inputs.filter(({ name, kind }) => kind !== 'secret' && given[name] !== undefined);
  for (const advice of adviceOnArguments(operation, written, request)) note(advice);
  if (options.where !== undefined) request.conditions = options.where.map(conditionOf);
  if (operation.destroys) await sure(operation, options);
  return withPlatform(options, house, (access) => perform(operation, request, { access, options }));
}

async function sure({ doc }: AnyOperation, { yes }: RunOptions): Promise<void> {
  if (yes || (await confirm(`${doc} Go on?`))) return;
  throw usage('This cannot be undone. Add --yes to do it.');
}

interface Running {
  readonly access: Access;
  readonly options: RunOptions;
}

async function perform(
  operation: AnyOperation,
  request: Record<string, unknown>,
  { access, options }: Running,
): Promise<number> {
  const call = callOptions(options);
  const { client } = access;
  noteIdentity(operation, access, options);
  const json = options.json === true;
  if (operation.answer === 'bytes') return download(operation, request, { access, options });
  if (operation.answer === 'stream' && request.stream === true && !json) {
    await tell(client.ask(operation, request, call));
    return 0;
  }
  if (options.all && operation.shape === 'page') {
    const items: unknown[] = [];
    for await (const page of client.pages(paged(operation), request, call)) items.push(...page.items);
    show({ shape: 'many' }, items, { json });
    return 0;
  }
  const full = operation.id === 'updateOrg' ? await completeOrg(client, request, call) : request;
  const result = await client.call(operation, full, call);
  if (operation.id === 'updateOrg') noteSwitchedOff(request, result);
  const shown = options.wait ? await settled(operation.id, { client, request, result }) : result;
  show(operation, shown, { json });
  if (holdsSecret(operation)) note('The secret is shown this once and not stored.');
  const failed = options.wait ? failures(shown) : [];
  for (const failure of failed) note(failure);
  return failed.length === 0 ? 0 : FAULT;
}

/** Printed on standard error, so that a pipe gets only the result. */
export function noteIdentity(
  operation: Pick<AnyOperation, 'credential'>,
  { identity }: Access,
  { as }: AccessOptions,
): void {
  const text = identityText(operation, identity, as);
  if (text !== undefined) note(text);
}

/** Warns if the platform switched the organization off because the request did not contain `isEnable`. */
function noteSwitchedOff(request: Readonly<Record<string, unknown>>, result: unknown): void {
  const isOff = typeof result === 'object' && result !== null && 'isEnable' in result && !result.isEnable;
  if (isOff && request.isEnable === undefined) {
    note(
      'The platform reports that this organization is switched off. To switch it on, repeat the command with --is-enable.',
    );
  }
}

/** The call was made, and yet not all is well. */
const FAULT = 1;

function callOptions(options: RunOptions): CallOptions {
  return {
    ...(options.as !== undefined && { account: options.as }),
    ...(process.stderr.isTTY && { onProgress: progress }),
  };
}

const PERCENT = 100;

function progress({ sent, total }: Progress): void {
  const done = Math.floor((sent / total) * PERCENT);
  replaceNote(`Uploading ${done} %`, sent === total);
}

async function download(
  operation: AnyOperation,
  request: Record<string, unknown>,
  { access, options }: Running,
): Promise<number> {
  const found = await access.client.download(operation, request, callOptions(options));
  if (options.output === '-') {
    await pour(found.bytes());
    return 0;
  }
  const path = options.output ?? safeName(found.name, `${operation.command}.bin`);
  const size = await save(found, path, options.force ? 'overwritten' : 'kept');
  if (options.json) printJson({ file: path, bytes: size, type: found.type });
  else print(`${path} (${size} bytes)`);
  return 0;
}

/** Only what answers with pages is asked for them; the list of all operations does not say which. */
function paged(operation: AnyOperation): Operation<AnyOperation['request'], Page<unknown>> {
  if (operation.shape !== 'page') throw usage(`${operation.id} has no pages.`);
  return operation as Operation<AnyOperation['request'], Page<unknown>>;
}

/** Prints the text as it grows. After a rewrite, prints the whole text again under a rule. The ids go to standard error. */
async function tell(events: AsyncIterable<AgentEvent>): Promise<void> {
  const growth = createGrowth(grow);
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
  grow('\n');
  for (const [name, id] of ids) note(`${name}: ${id}`);
}

export interface TokenOptions extends AccessOptions {
  readonly lite?: true;
  readonly json?: true;
}

/** Prints a token and nothing else, so that a shell can take it; it is good for as long as the platform says. */
export function printToken(options: TokenOptions, house: House): Promise<number> {
  return withPlatform(options, house, async (access) => {
    const { client } = access;
    const account = options.as === undefined ? {} : { account: options.as };
    const token: Secret | undefined = await client.token(options.lite ? 'lite' : 'open', account);
    if (token === undefined) {
      const setting = options.lite ? 'platform.credentials.lite' : 'platform.credentials.open';
      throw new BridgeError('config-invalid', `There is no credential that gives a token. Set ${setting}.`);
    }
    noteIdentity({ credential: options.lite ? 'bearer' : 'open' }, access, options);
    if (options.json) printJson({ token: token.reveal() });
    else print(token.reveal());
    return 0;
  });
}
