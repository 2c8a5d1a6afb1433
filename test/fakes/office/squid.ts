/**
 * Squid (Debian's package squid-openssl) as the proxy of an office: it asks for a password, knows a few hosts, and either
 * tunnels TLS or opens it with an authority of its own (https://www.squid-cache.org/Doc/config/).
 */

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Authority } from '../xmpp/certificates.ts';
import { GATEWAY, OFFICE } from './network.ts';
import { ORIGINS } from './origins.ts';

const PROGRAM = '/usr/sbin/squid';
const LIBRARY = '/usr/lib/squid';
/** User as whom squid runs if root starts it. */
const USER = 'proxy';

/** Returns why squid cannot run here; undefined if it can. */
export const noSquid = (): string | undefined =>
  [PROGRAM, `${LIBRARY}/security_file_certgen`, '/usr/bin/openssl'].every(existsSync)
    ? undefined
    : "Debian's packages squid-openssl and openssl are missing";

export interface Squid {
  /** A request: address of the client, result, method, and address that was requested. */
  requests(): readonly { readonly client: string; readonly result: string; readonly line: string }[];
  close(): Promise<void>;
}

export interface SquidOptions {
  readonly user: string;
  readonly password: string;
  /** Names that the proxy knows and allows. */
  readonly hosts: readonly string[];
  /** Ports: for the office and for this machine, and on loopback for requests to the bridge. */
  readonly ports: { readonly proxy: number; readonly inbound: number };
  /** Port of the bridge in the office. */
  readonly bridge: number;
  /** Authority of the hosts' certificates. */
  readonly origins: Authority;
  /** If set, the proxy opens TLS, and shows certificates of this authority. */
  readonly opening?: Authority | undefined;
}

export async function startSquid(options: SquidOptions): Promise<Squid> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-squid-'));
  const file = (name: string) => join(folder, name);
  const hash = execFileSync('openssl', ['passwd', '-apr1', options.password], { encoding: 'utf8' }).trim();
  writeFileSync(file('users'), `${options.user}:${hash}\n`);
  writeFileSync(file('hosts'), options.hosts.map((host) => `${ORIGINS} ${host}\n`).join(''));
  writeFileSync(file('origins.pem'), options.origins.pem);
  if (options.opening !== undefined) {
    const { certificate, key } = options.opening.own;
    writeFileSync(file('opening.pem'), readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'));
  }
  writeFileSync(file('squid.conf'), configuration(options, file));
  writeFileSync(file('access.log'), '');
  execFileSync('chown', ['-R', USER, folder]);
  if (options.opening !== undefined)
    execFileSync('setpriv', [
      `--reuid=${USER}`,
      '--clear-groups',
      `${LIBRARY}/security_file_certgen`,
      '-c',
      '-s',
      file('certificates'),
      '-M',
      '4MB',
    ]);
  const child = spawn(PROGRAM, ['-N', '-d', '1', '-f', file('squid.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.match(/Accepting .*connections at/g)?.length === PORTS) resolve();
    });
    void ended.then(() => reject(new Error(`squid ended:\n${said}`)));
  });
  return {
    requests: () =>
      readFileSync(file('access.log'), 'utf8')
        .split('\n')
        .flatMap((each) => {
          const [client = '', result = '', ...line] = each.split(' ');
          return client === '' ? [] : [{ client, result, line: line.join(' ') }];
        }),
    async close() {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

/** Number of ports on which squid listens. */
const PORTS = 3;

function configuration(options: SquidOptions, file: (name: string) => string): string {
  const { hosts, ports, opening } = options;
  const opens = ` ssl-bump tls-cert=${file('opening.pem')} generate-host-certificates=on`;
  const how = opening === undefined ? '' : opens;
  return `
visible_hostname proxy.example.test
pid_filename none
cache deny all
# Requests of browsers pass squid twice, which is no loop.
via off
cache_log ${file('cache.log')}
shutdown_lifetime 0 seconds
logformat seen %>a %Ss/%03>Hs %rm %ru
access_log stdio:${file('access.log')} seen
logfile_rotate 0
hosts_file ${file('hosts')}
dns_nameservers ${ORIGINS}

http_port ${GATEWAY}:${ports.proxy}${how}
http_port 127.0.0.1:${ports.proxy}${how}
http_port 127.0.0.1:${ports.inbound} name=inbound accel defaultsite=parley.example.test no-vhost
cache_peer ${OFFICE} parent ${options.bridge} 0 no-query no-digest originserver login=PASSTHRU name=bridge
acl inbound myportname inbound
cache_peer_access bridge allow inbound
never_direct allow inbound
http_access allow inbound

auth_param basic program ${LIBRARY}/basic_ncsa_auth ${file('users')}
acl known dstdomain ${hosts.join(' ')}
acl encrypted port 443
acl signed_in proxy_auth REQUIRED
http_access deny !known
http_access deny !encrypted
http_access allow signed_in
http_access deny all
${
  opening === undefined
    ? ''
    : `
sslcrtd_program ${LIBRARY}/security_file_certgen -s ${file('certificates')} -M 4MB
sslcrtd_children 2
tls_outgoing_options cafile=${file('origins.pem')}
http_upgrade_request_protocols websocket allow all
acl first at_step SslBump1
ssl_bump peek first
ssl_bump bump all
`
}`;
}
