import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { PortTaken } from './http/listen.ts';
import { type RunningSandbox, type SandboxSettings, startSandbox } from './index.ts';

const USAGE = `Usage: parley sandbox [options]
  --port N          port to listen on (default 3001)
  --host ADDRESS    address to listen on (default 127.0.0.1)
  --data DIR        folder of the database (default .parley/sandbox)
  --memory          keep nothing on disk
  --knowledge DIR   folder to answer from instead of the shipped documents; may be repeated
  --base-path PATH  path in front of every route
  --public-url URL  address in the links that it writes (default: the address it listens on)
  --inspect         record requests for /__inspect/calls
Environment: SANDBOX_MODEL_URL, SANDBOX_MODEL_KEY, SANDBOX_MODEL for an OpenAI-compatible model.
`;

/** Exit codes (sysexits): wrong usage, service unavailable, cannot create a file. */
const EXIT = { usage: 64, unavailable: 69, cannotCreate: 73 } as const;

function readSettings(): SandboxSettings {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '3001' },
      host: { type: 'string', default: '127.0.0.1' },
      data: { type: 'string' },
      memory: { type: 'boolean', default: false },
      knowledge: { type: 'string', multiple: true },
      'base-path': { type: 'string', default: '' },
      'public-url': { type: 'string' },
      inspect: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) throw new Usage();
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Usage(`--port must be 0 to 65535, not ${values.port}.`);
  const model = modelFromEnvironment();
  return {
    port,
    host: values.host,
    memory: values.memory,
    basePath: values['base-path'],
    options: { inspect: values.inspect },
    ...(values['public-url'] === undefined ? {} : { publicUrl: publicUrl(values['public-url']) }),
    ...(values.data === undefined ? {} : { data: values.data }),
    ...(values.knowledge === undefined
      ? {}
      : { knowledge: values.knowledge.map(existing), withGuides: true }),
    ...(model === undefined ? {} : { model }),
  };
}

function publicUrl(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  throw new Usage(`--public-url must be an http or https address, not ${text}.`);
}

function existing(path: string): string {
  if (existsSync(path)) return path;
  throw new Usage(`--knowledge: there is no folder ${path}.`);
}

class Usage extends Error {}

function modelFromEnvironment(): SandboxSettings['model'] {
  const { SANDBOX_MODEL_URL: url, SANDBOX_MODEL: model, SANDBOX_MODEL_KEY: key } = process.env;
  if (!url && !model) return undefined;
  if (!url || !model) throw new Usage('SANDBOX_MODEL_URL and SANDBOX_MODEL must be set together.');
  return { url, model, key: key ?? '' };
}

/**
 * Reports how many documents are indexed: as a message to the parent process if there is one, otherwise as a line on
 * the terminal.
 */
function report(progress: { readonly done: number; readonly total: number }): void {
  process.send?.({ type: 'indexing', ...progress });
  if (!process.send && process.stdout.isTTY) {
    process.stdout.write(
      `\rIndexing ${progress.done}/${progress.total}${progress.done === progress.total ? '\n' : ''}`,
    );
  }
}

async function run(): Promise<void> {
  const sandbox = await startSandbox({ ...readSettings(), onIndexing: report });
  if (process.send) process.send({ type: 'ready', url: sandbox.url });
  else process.stdout.write(`The sandbox is ready: ${sandbox.url}\n`);
  stopWith(sandbox);
  await sandbox.indexed.catch((error: unknown) => {
    process.stderr.write(`sandbox: the documents were not indexed: ${reasonOf(error)}\n`);
  });
  for (const document of sandbox.documents()) {
    if (document.state === 'fail')
      process.stderr.write(`sandbox: ${document.path} was not indexed: ${document.reason}\n`);
  }
}

function stopWith(sandbox: RunningSandbox): void {
  let stopping: Promise<void> | undefined;
  const stop = () => {
    if (stopping !== undefined) return;
    stopping = sandbox.close().finally(() => {
      if (process.connected) process.disconnect();
      process.exit(0);
    });
  };
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(event, stop);
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function complain(error: unknown): void {
  if (
    error instanceof Usage ||
    (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))
  ) {
    process.stderr.write(`${error.message}\n${USAGE}`);
    process.exitCode = error.message === '' ? 0 : EXIT.usage;
  } else if (error instanceof PortTaken) {
    const cure =
      error.free === undefined ? '' : ` Start with --port ${error.free}, or stop what uses ${error.port}.`;
    process.stderr.write(`${error.message}${cure}\n`);
    process.exitCode = EXIT.unavailable;
  } else {
    process.stderr.write(`The sandbox could not start: ${reasonOf(error)}\n`);
    process.exitCode = EXIT.cannotCreate;
  }
  if (process.connected) process.disconnect();
}

// A reader that closes the output (`… | head`) must not end the sandbox.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
await run().catch(complain);
