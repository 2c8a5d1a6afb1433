/**
 * Passes Slack's requests through Bolt, Slack's framework: it finds the installation, and calls the handlers with
 * decoded data.
 */

import { App, type AuthorizeSourceData } from '@slack/bolt';
import { isPlain, type Plain, text } from '../../../src/kit/json.ts';
import type { Log } from '../../../src/kit.ts';
import { sdkLog } from '../api/sdk-log.ts';
import type { Source, Workspace, Workspaces } from '../api/workspace.ts';
import { decodeEvent } from './decode.ts';
import { decodeAct } from './decode-act.ts';
import type { SlackAct, SlackEvent } from './events.ts';

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
}

export type Dispatcher = ReturnType<typeof createDispatcher>;

interface DispatchDeps {
  readonly workspaces: Workspaces;
  readonly handlers: Handlers;
  readonly log: Log;
}

/** Maximum number of workspaces without the app for which a log line is written; each gets one line. */
const MAX_REPORTED = 1_000;

export function createDispatcher(deps: DispatchDeps) {
  const app = createApp(deps);
  const reported = new Set<string>();
  return {
    /**
     * Delivers a request to its handler. Resolves with the acknowledgement's body; rejects if Slack must send the event
     * again.
     */
    async deliver(body: Plain): Promise<object | undefined> {
      let answer: object | undefined;
      const ack = async (given?: unknown): Promise<void> => {
        if (isPlain(given)) answer = given;
      };
      await app.processEvent({ body, ack }).catch((thrown: unknown) => {
        if (!(thrown instanceof NotInstalled)) throw thrown;
        if (reported.has(thrown.message) || reported.size >= MAX_REPORTED) return;
        reported.add(thrown.message);
        deps.log.warn(
          { tenant: thrown.message },
          'Slack sent an event from a workspace that has not installed the app',
        );
      });
      return answer;
    },
  };
}

/**
 * Creates the Bolt app. Rethrows the errors of handlers, because Bolt by itself drops them and the event would be lost.
 */
function createApp(deps: DispatchDeps): App {
  const app = new App({
    receiver: { init: () => undefined, start: async () => undefined, stop: async () => undefined },
    authorize: (source) => authorize(source, deps.workspaces),
    convoStore: false,
    logger: sdkLog(deps.log, 'bolt'),
  });
  app.error(async (error) => {
    throw causeOf(error);
  });
  listen(app, deps);
  return app;
}

const ANY = /^/;

function listen(app: App, { handlers, workspaces }: DispatchDeps): void {
  app.event(ANY, async ({ body, context }) => {
    const event = decodeEvent(body.event);
    if (event === undefined) return;
    await handlers.event(event, { workspace: await workspaceOf(context, workspaces), event: body.event_id });
  });
  const act = async ({ body, ack, context }: Acted): Promise<void> => {
    const decoded = decodeAct(body);
    const workspace = decoded && (await workspaceOf(context, workspaces));
    const answer = workspace && (await handlers.act(decoded, { workspace }));
    await (answer === undefined ? ack() : ack(answer as never));
  };
  app.action(ANY, act);
  app.view(ANY, act);
  app.view({ callback_id: ANY, type: 'view_closed' }, act);
  app.shortcut(ANY, act);
  app.command(ANY, act);
  app.options(ANY, act);
}

/**
 * Arguments of the listeners of presses, forms, shortcuts and commands. The type of `ack`'s argument is `never`,
 * because Bolt's types for it differ between these listeners.
 */
interface Acted {
  readonly body: unknown;
  ack(answer?: never): Promise<void>;
  readonly context: Plain;
}

/** Key of the workspace in Bolt's context. */
const WORKSPACE_KEY = 'parleyWorkspace';

/**
 * Returns Bolt's authorization without a bot token. With a bot token, Bolt would create a client for each workspace and
 * never release it.
 */
async function authorize(asked: AuthorizeSourceData<boolean>, workspaces: Workspaces) {
  const workspace = await find(asked, workspaces);
  const { botUser: botUserId, botId } = workspace;
  return { botUserId, ...(botId !== undefined && { botId }), [WORKSPACE_KEY]: workspace };
}

/**
 * Returns the workspace stored in the context. Looks it up if there is none, because Bolt skips authorization for
 * events about a removal of the app.
 */
async function workspaceOf(context: Plain, workspaces: Workspaces): Promise<Workspace> {
  const found = context[WORKSPACE_KEY];
  if (isWorkspace(found)) return found;
  const { teamId, enterpriseId, isEnterpriseInstall } = context;
  const asked = { teamId: text(teamId), enterpriseId: text(enterpriseId) };
  return find({ ...asked, isEnterpriseInstall: isEnterpriseInstall === true }, workspaces);
}

const isWorkspace = (value: unknown): value is Workspace => isPlain(value) && 'tenant' in value;

async function find(
  { teamId, enterpriseId, isEnterpriseInstall }: AuthorizeSourceData<boolean>,
  workspaces: Workspaces,
) {
  const source: Source = { team: teamId, enterprise: enterpriseId, orgWide: isEnterpriseInstall };
  const workspace = await workspaces.find(source);
  if (workspace === undefined) throw new NotInstalled(teamId ?? enterpriseId ?? 'unknown');
  return workspace;
}

/**
 * Thrown for an event of a workspace that does not have the app. The event is acknowledged and dropped. The error's
 * message is the tenant's id.
 */
class NotInstalled extends Error {}

/** Returns the error that the handler threw, without the errors that Bolt wraps around it. */
function causeOf(error: Error): unknown {
  if ('originals' in error && Array.isArray(error.originals)) return error.originals[0];
  return 'original' in error && error.original instanceof Error ? causeOf(error.original) : error;
}
