/** Passes Slack's requests through Bolt, which finds their installation, decodes them, and calls their handlers. */

import { App, type AuthorizeSourceData } from '@slack/bolt';
import { isPlain, type Plain, text } from '../../../src/kit/json.ts';
import type { Log } from '../../../src/kit.ts';
import { sdkLog } from '../api/sdk-log.ts';
import type { Source, Workspace, Workspaces } from '../api/workspace.ts';
import { decodeEvent } from './decode.ts';
import { decodeAct } from './decode-act.ts';
import type { SlackAct, SlackEvent } from './events.ts';

/** Handlers of events. An event is acknowledged when the promise resolves, and sent again when it rejects. */
export interface Handlers {
  event(event: SlackEvent, from: Origin): Promise<void>;
  /** Resolves with the acknowledgement's body: errors of a form, options of a list. Must not use the network. */
  act(act: SlackAct, from: Origin): Promise<object | undefined>;
}

export interface Origin {
  readonly workspace: Workspace;
  /** Slack's unique id of the event; acts have none. */
  readonly event?: string;
}

export type Dispatcher = ReturnType<typeof createDispatcher>;

interface DispatchDeps {
  readonly workspaces: Workspaces;
  readonly handlers: Handlers;
  readonly log: Log;
}

/** Maximum workspaces without the app whose events are logged, once for each workspace. */
const MAX_REPORTED = 1_000;

export function createDispatcher(deps: DispatchDeps) {
  const app = createApp(deps);
  const reported = new Set<string>();
  return {
    /** Resolves with the acknowledgement's body. Rejects if Slack must send the event again. */
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

/** Rethrows the errors of handlers: Bolt by itself drops them, and the event would be lost. */
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

/** Arguments that all listeners of acts share. Bolt's types of the acknowledgement's body differ by kind. */
interface Acted {
  readonly body: unknown;
  ack(answer?: never): Promise<void>;
  readonly context: Plain;
}

/** Key of the workspace in Bolt's context. */
const WORKSPACE_KEY = 'parleyWorkspace';

/** Returns no token, because with a token, Bolt creates a client for each workspace and never releases it. */
async function authorize(asked: AuthorizeSourceData<boolean>, workspaces: Workspaces) {
  const workspace = await find(asked, workspaces);
  const { botUser: botUserId, botId } = workspace;
  return { botUserId, ...(botId !== undefined && { botId }), [WORKSPACE_KEY]: workspace };
}

/**
 * Returns the workspace in the context. Looks it up if there is none, because Bolt does not authorize events about a
 * removal of the app.
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

/** Thrown for an event of a workspace without the app, which is acknowledged and dropped. The message is the tenant. */
class NotInstalled extends Error {}

/** Returns the original error inside those that Bolt wraps around it. */
function causeOf(error: Error): unknown {
  if ('originals' in error && Array.isArray(error.originals)) return error.originals[0];
  return 'original' in error && error.original instanceof Error ? causeOf(error.original) : error;
}
