/** Decodes Slack's requests, finds the installation that each belongs to, and calls the handlers. */

import { createStoringAgain, isPlain, type Plain, type StoringDeps, text } from '../../../src/kit/ladder.ts';
import { defined } from '../../../src/kit.ts';
import type { MovedRooms } from '../api/moved-rooms.ts';
import type { Source, Workspace, Workspaces } from '../api/workspace.ts';
import { decodeEvent } from './decode.ts';
import { decodeAct } from './decode-act.ts';
import type { SlackAct, SlackEvent } from './events.ts';
import { sourceOf } from './source.ts';

/**
 * Handlers of events. If the promise resolves, the event is acknowledged; if it rejects, Slack sends the event again.
 */
export interface Handlers {
  event(event: SlackEvent, from: Origin): Promise<void>;
  /**
   * Resolves with the acknowledgement's body, such as the errors of a form. Must not use the network, because Slack
   * waits only 3 s.
   */
  act(act: SlackAct, from: Origin): Promise<object | undefined>;
}

export interface Origin {
  readonly workspace: Workspace;
  /** Slack's unique id of the event. Absent for presses, forms, shortcuts and commands. */
  readonly event?: string;
  /** Time of the event by Slack's clock, in seconds since the epoch. */
  readonly at?: number;
  /** The workspace that Slack named. */
  readonly team?: string;
}

/**
 * Returns the workspace in which a person acted.
 * @param found the workspace as Slack reports it; the organization if Slack names no workspace
 */
export type Locate = (found: Workspace, source: Source, act: SlackAct) => Promise<Workspace>;

export type Dispatcher = ReturnType<typeof createDispatcher>;

interface DispatchDeps extends StoringDeps {
  readonly workspaces: Workspaces;
  readonly handlers: Handlers;
  /** Finds the workspace of an organization in which a person acted. */
  readonly locate: Locate;
  readonly moved: Pick<MovedRooms, 'firstId'>;
}

/** Maximum number of workspaces and of kinds of requests that are logged; each gets one line. */
const MAX_REPORTED = 1_000;

export function createDispatcher(deps: DispatchDeps) {
  const { workspaces, handlers, locate, moved, log } = deps;
  const storing = createStoringAgain(deps);
  const reported = new Set<string>();
  const report = (facts: Readonly<Record<string, string>>, sentence: string): void => {
    const key = JSON.stringify(facts);
    if (reported.has(key) || reported.size >= MAX_REPORTED) return;
    reported.add(key);
    log.warn(facts, sentence);
  };
  const find = async (source: Source): Promise<Workspace | undefined> => {
    const workspace = await workspaces.find(source);
    if (workspace === undefined) {
      const tenant = source.team ?? source.enterprise ?? 'unknown';
      report({ tenant }, 'Slack sent an event from a workspace that has not installed the app');
    }
    return workspace;
  };
  const onEvent = async (event: SlackEvent, body: Plain): Promise<undefined> => {
    const source = sourceOf(body);
    const workspace = await find(source);
    if (workspace === undefined) return;
    const at = typeof body.event_time === 'number' ? body.event_time : undefined;
    const from = { workspace, ...defined({ event: text(body.event_id), at, team: source.team }) };
    await handlers.event(await atFirst(event, workspace, moved), from);
  };
  const onAct = async (act: SlackAct, source: Source): Promise<object | undefined> => {
    const found = await find(source);
    const workspace = found && (await locate(found, source, act));
    return workspace && handlers.act(await atFirst(act, workspace, moved), { workspace });
  };
  return {
    /**
     * Delivers a request to its handler. Resolves with the acknowledgement's body; rejects if Slack must send the event
     * again. A request that cannot be read is acknowledged, because Slack would show the person an error.
     */
    async deliver(body: Plain): Promise<object | undefined> {
      if (body.type === 'event_callback' || body.event !== undefined) {
        const event = decodeEvent(body.event);
        return event && storing.try(() => onEvent(event, body));
      }
      const act = decodeAct(body);
      if (act !== undefined) return onAct(act, sourceOf(body));
      const kind = kindOf(body);
      if (!UNUSED.has(kind)) report({ kind }, 'Slack sent a request that Parley cannot read; it is ignored');
      return undefined;
    },
  };
}

/** Returns the event or the act with the first id of its room. */
async function atFirst<Act extends object>(
  act: Act,
  workspace: Workspace,
  moved: DispatchDeps['moved'],
): Promise<Act> {
  if ('conversation' in act && typeof act.conversation === 'string')
    return { ...act, conversation: await moved.firstId(workspace.tenant, act.conversation) };
  if (!('message' in act) || !isPlain(act.message)) return act;
  return { ...act, message: await atFirst(act.message, workspace, moved) };
}

/** Kinds of requests that need no handling. */
const UNUSED = new Set(['view_closed', 'block_suggestion']);

/** Returns the name of the kind of request for the log, without text of people. */
function kindOf({ type, command }: Plain): string {
  const kind = command === undefined ? type : 'command';
  return typeof kind === 'string' && /^\w{1,40}$/.test(kind) ? kind : 'unknown';
}
