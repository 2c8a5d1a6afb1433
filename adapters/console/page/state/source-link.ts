import { type SafeDestination, safeDestination } from '../../../../src/kit/ladder.ts';

const OWN_MACHINE = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Returns where a source opens. Leaves out a link to the machine of the bridge, such as one of the sandbox in a
 * container, if the page itself is open on another machine.
 * @param host host name in the address of the page
 */
export function sourceLink(link: string | undefined, host: string): SafeDestination | undefined {
  const found = link === undefined ? undefined : safeDestination(link);
  const target = found === undefined ? undefined : URL.parse(found.href)?.hostname;
  return target !== undefined && OWN_MACHINE.test(target) && !OWN_MACHINE.test(host) ? undefined : found;
}
