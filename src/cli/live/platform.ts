/** `parley doctor --live platform`: calls the operations of a deployment, and compares the answers with their descriptions. */

import { asBridgeError, BridgeError } from '../../errors.ts';
import { plain } from '../../kit/json.ts';
import { LiveFault } from '../../kit/live.ts';
import { type AnyOperation, differences, operations } from '../../platform/api.ts';
import type { CommandDeps } from '../channels.ts';
import { type Access, withPlatform } from '../platform/access.ts';
import { reads, type Seen, writes } from './platform-requests.ts';
import { type LiveOptions, type LivePorts, listActs, report, withPorts } from './ports.ts';
import { type Act, chosen, performActs, type Recorder } from './run.ts';
import { LiveSkip } from './stage.ts';

/**
 * Resolves with the exit code of `report`. Throws `usage` and `config-invalid`.
 * @param ports replaced in tests
 */
export async function livePlatform(
  options: LiveOptions,
  deps: CommandDeps,
  ports?: LivePorts,
): Promise<number> {
  if (ports === undefined) return withPorts(options, (own) => livePlatform(options, deps, own));
  return withPlatform(options, deps, async (access) => {
    const acts = chosen(platformActs(access, options, ports.signal), options.only ?? []);
    if (options.list) return listActs(acts, ports);
    const { clock, signal, terminal } = ports;
    const results = await performActs(acts, {
      clock,
      signal,
      say: terminal.say,
      stage: (_act, recorder) => recorder,
    });
    return report(options, { acts: results }, ports);
  });
}

/** Returns an act for each operation: first the reads, then the writes in the order in which they undo each other. */
function platformActs(access: Access, options: LiveOptions, signal: AbortSignal): readonly Act<Recorder>[] {
  const requests = { ...reads, ...writes };
  const order = Object.keys(requests);
  const rank = ({ id }: AnyOperation): number => (order.includes(id) ? order.indexOf(id) : order.length);
  const answers = new Map<string, unknown>();
  const seen: Seen = (id, path) => fieldIn(answers.get(id), path);
  return operations
    .toSorted((one, other) => rank(one) - rank(other))
    .map((operation) => ({
      name: operation.id,
      proves: operation.doc,
      by: 'tool',
      async perform(recorder) {
        const request = requests[operation.id]?.(seen);
        if (request === undefined)
          throw new LiveSkip('needs values that the check does not know, or cannot be undone');
        if (operation.id in writes && !options.allowWrites) throw new LiveSkip('writes; add --allow-writes');
        if (Object.values(request).includes(undefined))
          throw new LiveSkip('an earlier operation found nothing to ask about');
        answers.set(operation.id, await call(operation, request, { access, recorder, signal }));
      },
    }));
}

interface Calling {
  readonly access: Access;
  readonly recorder: Recorder;
  readonly signal: AbortSignal;
}

async function call(
  operation: AnyOperation,
  request: Readonly<Record<string, unknown>>,
  { access, recorder, signal }: Calling,
): Promise<unknown> {
  const { client, call: options } = access;
  const { item } = operation;
  const compared: AnyOperation = {
    ...operation,
    read(body, deployment) {
      if (item !== undefined) differences(item, body, deployment).forEach(recorder.note);
      return operation.read(body, deployment);
    },
  };
  try {
    return await client.call(compared, { ...request }, { ...options, signal });
  } catch (thrown) {
    if (!(thrown instanceof BridgeError)) throw thrown;
    const { code, facts } = asBridgeError(thrown);
    if (code === 'config-invalid') throw new LiveSkip(`no credential for it (${operation.credential})`);
    throw new LiveFault(
      `The operation failed: ${code}${facts.httpStatus === undefined ? '' : `, HTTP ${facts.httpStatus}`}.`,
    );
  }
}

/** Returns the value at a path such as `workspaces.name`. Of a list or a page, takes the first item. */
function fieldIn(result: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => plain(firstOf(value))[name], result);
}

function firstOf(value: unknown): unknown {
  const inside = plain(value).items ?? value;
  return Array.isArray(inside) ? inside[0] : inside;
}
