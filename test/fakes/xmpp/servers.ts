/** Starts the XMPP servers of Debian's packages, prosody and ejabberd, in folders and on ports of their own. */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../bench/free-ports.ts';

export const DOMAIN = 'localhost';
export const ROOMS = `rooms.${DOMAIN}`;
/** Password of every account on a test server. */
export const PASSWORD = 'correct horse';

export type ServerName = 'prosody' | 'ejabberd';

export interface XmppServer {
  readonly name: ServerName;
  readonly port: number;
  readonly httpPort: number;
  /** Port with TLS from the start. */
  readonly tlsPort: number;
  /** Kills the server and starts it again on the same folder and ports. */
  restart(): Promise<void>;
  kill(): Promise<void>;
  start(): Promise<void>;
  log(): Promise<string>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** False: without stream management (XEP-0198). */
  readonly resumes?: false;
  /** False: without the archive of messages (XEP-0313). */
  readonly archives?: false;
  /** True: without limits on the bytes of a connection. */
  readonly isUnlimited?: true;
  /** False: without uploads (XEP-0363). */
  readonly uploads?: false;
  /** Time for which a cut session can be resumed, in seconds. */
  readonly resumeSeconds?: number;
  /** Certificate and key, as files; the server then offers STARTTLS, and TLS from the start on `tlsPort`. */
  readonly tls?: { readonly certificate: string; readonly key: string };
  /** Form in which the server stores passwords; it decides which mechanisms of SCRAM the server offers. */
  readonly hash?: 'sha1' | 'sha256' | 'sha512';
  /** True: the server offers no SCRAM, only PLAIN. */
  readonly isPlain?: true;
  /** Maximum size of an upload, in bytes. */
  readonly uploadBytes?: number;
  /** True: prosody's rooms show people's addresses to everyone, as the rooms of our ejabberd always do. */
  readonly showsAddresses?: true;
  /**
   * True: what the server has archived survives `kill`. ejabberd needs SQLite for that, because Mnesia loses up to the
   * last two seconds.
   */
  readonly isDurable?: true;
}

/** Maximum wait for a server, in milliseconds. Beside other programs on two cores, ejabberd once needed 43 s. */
const READY_MS = 120_000;
/** HTTP status of ejabberd for an account that exists, as after a restart. */
const CONFLICT = 409;
const PROSODY = '/usr/bin/prosody';
const EJABBERD = '/usr/sbin/ejabberdctl';
/** ejabberd's driver and its tables for SQLite, of the package `erlang-p1-sqlite3` and of ejabberd. */
const SQLITE = '/usr/lib/erlang/lib/p1_sqlite3-*/ebin/sqlite3.beam';
const TABLES = '/usr/share/ejabberd/sql/lite.sql';

/** Returns why a server's tests cannot run here; undefined if they can. */
export function missing(
  name: ServerName,
  { isDurable }: Pick<ServerOptions, 'isDurable'> = {},
): string | undefined {
  const path = name === 'prosody' ? PROSODY : EJABBERD;
  if (!existsSync(path)) return `${name} is not installed (${path} is missing), so its tests are skipped.`;
  if (!isDurable || name === 'prosody' || globSync(SQLITE).length > 0) return undefined;
  return 'erlang-p1-sqlite3 is not installed, so ejabberd loses its archive when it is killed, and its tests are skipped.';
}

export async function startServer(
  name: ServerName,
  users: readonly string[],
  options: ServerOptions = {},
): Promise<XmppServer> {
  const folder = await mkdtemp(join(tmpdir(), `parley-${name}-`));
  const [port, httpPort, tlsPort] = [await freePort(), await freePort(), await freePort()];
  const place = { folder, port, httpPort, tlsPort, users, options };
  const command = name === 'prosody' ? await prosody(place) : await ejabberd(place);
  let child: ChildProcess | undefined;
  let output = '';
  const start = async (): Promise<void> => {
    child = spawn(command.file, command.args, {
      cwd: folder,
      env: { ...process.env, ...command.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => (output += bytes));
    await untilOpen(port, () => `${name} did not start:\n${output}`);
    await command.prepare?.();
  };
  const kill = async (): Promise<void> => {
    const own = child;
    child = undefined;
    if (own === undefined || own.exitCode !== null) return;
    const gone = new Promise((resolve) => own.once('exit', resolve));
    own.kill('SIGKILL');
    await gone;
  };
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  await start().catch(async (thrown: unknown) => {
    await kill();
    await remove();
    throw thrown;
  });
  return {
    ...{ name, port, httpPort, tlsPort, start, kill },
    async restart() {
      await kill();
      await start();
    },
    log: async () => `${output}\n${await readFile(join(folder, 'server.log'), 'utf8').catch(() => '')}`,
    async stop() {
      await kill();
      await remove();
    },
  };
}

async function untilOpen(port: number, failure: () => string): Promise<void> {
  for (const deadline = Date.now() + READY_MS; ; await pause(50)) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (isOpen) return;
    if (Date.now() > deadline) throw new Error(failure());
  }
}

interface Place {
  readonly folder: string;
  readonly port: number;
  readonly httpPort: number;
  readonly tlsPort: number;
  readonly users: readonly string[];
  readonly options: ServerOptions;
}

interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  prepare?(): Promise<void>;
}

/** Modules are those of Debian's prosody 0.12. Occupant ids (XEP-0421) are part of its MUC. */
async function prosody({ folder, port, httpPort, tlsPort, users, options }: Place): Promise<Command> {
  const accounts = join(folder, DOMAIN, 'accounts');
  await mkdir(accounts, { recursive: true });
  for (const user of users)
    await writeFile(join(accounts, `${user}.dat`), `return { ["password"] = "${PASSWORD}"; };\n`);
  const modules = [
    'disco',
    'roster',
    'saslauth',
    'ping',
    'pep',
    'carbons',
    'websocket',
    'offline',
    'message',
  ];
  if (options.resumes !== false) modules.push('smacks');
  if (options.archives !== false) modules.push('mam');
  if (options.tls !== undefined) modules.push('tls');
  const files = options.tls && `certificate = "${options.tls.certificate}"; key = "${options.tls.key}"`;
  // Prosody turns plain passwords into hashes at the first login.
  const hash = options.hash === 'sha256' ? 'SHA-256' : 'SHA-1';
  const offered = options.isPlain ? '"SCRAM-SHA-1", "SCRAM-SHA-256"' : '';
  const config = `
    run_as_root = true; daemonize = false; pidfile = "${folder}/prosody.pid"; data_path = "${folder}"
    log = { info = "${folder}/server.log" }
    interfaces = { "127.0.0.1" }; c2s_ports = { ${port} }; s2s_ports = {}; http_ports = { ${httpPort} }
    https_ports = {}; http_interfaces = { "127.0.0.1" }; http_external_url = "http://${DOMAIN}:${httpPort}/"
    c2s_require_encryption = false; allow_unencrypted_plain_auth = true
    authentication = "${options.hash === undefined ? 'internal_plain' : 'internal_hashed'}"; password_hash = "${hash}"
    disable_sasl_mechanisms = { "DIGEST-MD5", ${offered} }; smacks_hibernation_time = ${options.resumeSeconds ?? 600}
    ${files === undefined ? '' : `ssl = { ${files} }; c2s_direct_tls_ports = { ${tlsPort} }; c2s_direct_tls_ssl = { ${files} }`}
    consider_websocket_secure = true; cross_domain_websocket = true; http_default_host = "${DOMAIN}"
    modules_disabled = { "s2s"${files === undefined ? ', "tls"' : ''} }; archive_expires_after = "1d"
    ${options.isUnlimited ? '' : 'limits = { c2s = { rate = "10kb/s"; burst = "2s" } }'}
    modules_enabled = { ${modules.map((each) => `"${each}"`).join(', ')} }
    VirtualHost "${DOMAIN}"
    Component "${ROOMS}" "muc"
      modules_enabled = { ${options.archives === false ? '' : '"muc_mam"'} }
      muc_log_by_default = true; muc_room_locking = false; muc_room_default_persistent = true
      muc_room_default_public_jids = ${options.showsAddresses === true}
    ${options.uploads === false ? '' : `Component "upload.${DOMAIN}" "http_file_share"\n      http_host = "${DOMAIN}"; http_file_share_size_limit = ${options.uploadBytes ?? 10_000_000}`}
  `;
  await writeFile(join(folder, 'prosody.cfg.lua'), config);
  return { file: PROSODY, args: ['--config', join(folder, 'prosody.cfg.lua'), '-F'], env: {} };
}

/**
 * The shaper is that of ejabberd's example configuration. Rooms are not anonymous, because 23.01 has no occupant ids.
 * The log is short: a detailed one makes ejabberd so slow that an archive takes seconds to answer.
 */
async function ejabberd({ folder, port, httpPort, tlsPort, users, options }: Place): Promise<Command> {
  const { tls } = options;
  const hash = { sha1: 'sha', sha256: 'sha256', sha512: 'sha512' }[options.hash ?? 'sha1'];
  const stored = options.isPlain ? 'plain' : 'scram';
  const scram =
    'SCRAM-SHA-1, SCRAM-SHA-256, SCRAM-SHA-512, SCRAM-SHA-1-PLUS, SCRAM-SHA-256-PLUS, SCRAM-SHA-512-PLUS';
  const common = 'ip: "127.0.0.1", module: ejabberd_c2s, shaper: c2s_shaper, max_stanza_size: 262144';
  const store = options.isDurable ? 'sql' : 'mnesia';
  const database = join(folder, 'ejabberd.sqlite');
  if (options.isDurable) new DatabaseSync(database).exec(await readFile(TABLES, 'utf8'));
  const config = `
hosts: [ ${DOMAIN} ]
${options.isDurable ? `sql_type: sqlite\nsql_database: "${database}"` : ''}
loglevel: info
auth_password_format: ${stored}
auth_scram_hash: ${hash}
disable_sasl_mechanisms: [ digest-md5, X-OAUTH2${options.isPlain ? `, ${scram}` : ''} ]
${tls === undefined ? '' : `certfiles: [ "${tls.certificate}", "${tls.key}" ]`}
listen:
  - { port: ${port}, ${common}${tls === undefined ? '' : ', starttls: true'} }
${tls === undefined ? '' : `  - { port: ${tlsPort}, ${common}, tls: true }`}
  - port: ${httpPort}
    ip: "127.0.0.1"
    module: ejabberd_http
    request_handlers: { /api: mod_http_api, /ws: ejabberd_http_ws, /upload: mod_http_upload }
api_permissions:
  tests: { who: all, what: [ "*" ] }
acl: { local: { user_regexp: "" } }
shaper: { normal: { rate: 3000, burst_size: 20000 } }
shaper_rules: { c2s_shaper: ${options.isUnlimited ? 'none' : 'normal'} }
modules:
  mod_disco: {}
  mod_ping: {}
  mod_roster: {}
  mod_offline: {}
  mod_admin_extra: {}
  mod_muc:
    host: ${ROOMS}
    default_room_options: { anonymous: false, persistent: true, mam: ${options.archives !== false} }
    db_type: ${store}
  mod_muc_admin: {}
${options.archives === false ? '' : `  mod_mam: { default: always, db_type: ${store} }`}
${options.resumes === false ? '' : `  mod_stream_mgmt: { resend_on_timeout: if_offline, resume_timeout: ${options.resumeSeconds ?? 300} }`}
${
  options.uploads === false
    ? ''
    : `  mod_http_upload: { put_url: "http://${DOMAIN}:${httpPort}/upload", docroot: "${folder}/upload", host: "upload.${DOMAIN}", access: all, max_size: ${options.uploadBytes ?? 10_000_000} }`
}
`;
  await writeFile(join(folder, 'ejabberd.yml'), config);
  const [ebin = ''] = globSync('/usr/lib/*/ejabberd*/ebin');
  /** Repeats while ejabberd answers nothing or refuses, because its port opens before all its modules run. */
  const register = async (user: string): Promise<void> => {
    const body = JSON.stringify({ user, host: DOMAIN, password: PASSWORD });
    const ask = () => fetch(`http://127.0.0.1:${httpPort}/api/register`, { method: 'POST', body });
    for (const deadline = Date.now() + READY_MS; ; await pause(50)) {
      const answer = await ask().catch((thrown: unknown) => thrown);
      if (answer instanceof Response && (answer.ok || answer.status === CONFLICT)) return;
      if (Date.now() > deadline) throw new Error(`ejabberd did not register ${user}.`, { cause: answer });
    }
  };
  return {
    file: '/usr/bin/erl',
    args: ['-noinput', '-pa', ebin, '-mnesia', 'dir', `"${folder}/mnesia"`, '-s', 'ejabberd'],
    env: {
      EJABBERD_CONFIG_PATH: join(folder, 'ejabberd.yml'),
      EJABBERD_LOG_PATH: join(folder, 'server.log'),
      CONTRIB_MODULES_CONF_DIR: join(folder, 'modules.d'),
      HOME: folder,
    },
    async prepare() {
      await untilOpen(httpPort, () => 'The HTTP port of ejabberd did not open.');
      for (const user of users) await register(user);
    },
  };
}
