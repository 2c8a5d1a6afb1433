/**
 * A network like that of an office behind a proxy: programs in it reach one address of this machine and no other. It is a
 * network namespace of Linux, which needs root and the programs of util-linux and iproute2.
 */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** Addresses that no machine has, because they are reserved for documentation (RFC 5737). */
export const GATEWAY = '198.51.100.1';
export const OFFICE = '198.51.100.2';

export interface Office {
  /** Command that runs the command after it in the office. */
  readonly inside: readonly string[];
  close(): Promise<void>;
}

/** Returns why no such network can be made here; undefined if it can. */
export function noOffice(): string | undefined {
  const tried = spawnSync('unshare', ['--net', 'ip', 'link', 'add', 'one', 'type', 'veth'], {
    stdio: 'ignore',
  });
  return tried.status === 0 ? undefined : 'network namespaces are not permitted here';
}

export async function openOffice(): Promise<Office> {
  // `cat` ends when its input ends, so the network disappears together with the test process.
  const holder = spawn('unshare', ['--net', 'sh', '-c', 'echo ready; exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(holder, 'exit');
  await once(holder.stdout, 'data');
  const inside = ['nsenter', `--net=/proc/${holder.pid}/ns/net`];
  const here = `parley${holder.pid}`;
  const there = 'office';
  const ip = (line: string, [command = 'ip', ...words]: readonly string[] = []) =>
    execFileSync(command, [...words, ...(words.length > 0 ? ['ip'] : []), ...line.split(' ')]);
  ip(`link add ${here} type veth peer name ${there} netns ${holder.pid}`);
  // Without these addresses, the office could also reach servers here that listen on all addresses of IPv6.
  ip(`link set ${here} addrgenmode none`);
  ip(`link set ${there} addrgenmode none`, inside);
  ip(`addr add ${GATEWAY}/30 dev ${here}`);
  ip(`addr add ${OFFICE}/30 dev ${there}`, inside);
  ip(`link set ${here} up`);
  ip(`link set ${there} up`, inside);
  ip('link set lo up', inside);
  return {
    inside,
    async close() {
      holder.stdin.end();
      await ended;
    },
  };
}
