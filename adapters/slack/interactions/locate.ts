/**
 * Finds the workspace in which a person acted, if a whole organization installed the app. Each of its workspaces is a
 * separate tenant, but Slack may not say in which one a button was pressed. Only workspaces of the organization that
 * Slack named are considered, whatever a control contains (attack S16: crossing tenants).
 */

import type { ReplyRef } from '../../../src/kit/ladder.ts';
import type { AdapterHost } from '../../../src/kit.ts';
import type { Workspace } from '../api/workspace.ts';
import type { Locate } from '../receive/dispatch.ts';
import type { SlackAct } from '../receive/events.ts';
import type { Members } from '../receive/members.ts';
import { readAction, readActionValue } from '../render/actions.ts';
import { threadAt } from './deps.ts';

/** Maximum number of workspaces in which a reply is looked for. */
const MAX_SEARCHED = 200;

export function createLocate(
  members: Pick<Members, 'of'>,
  host: Pick<AdapterHost, 'reply' | 'running'>,
): Locate {
  const contains = async (workspace: Workspace, reply: ReplyRef): Promise<boolean> => {
    const { turn } = reply;
    if ((await host.reply(turn, threadAt(workspace, reply))) !== undefined) return true;
    return (await host.running(workspace.tenant)).some((running) => running.id === turn);
  };
  return async (found, { team, room }, act) => {
    if (found.organization === undefined || act.kind === 'command') return found;
    const { all, inRoom } = await members.of(found.organization, room);
    const noted = viewOf(act)?.tenant;
    if (noted !== undefined && all.includes(noted)) return { ...found, tenant: noted };
    const reply = replyOf(act);
    if (reply !== undefined)
      for (const tenant of [...inRoom, ...all].slice(0, MAX_SEARCHED))
        if (await contains({ ...found, tenant }, reply)) return { ...found, tenant };
    // The reply has expired, or there is none.
    if (team !== undefined || inRoom.length > 1) return found;
    const own = reply === undefined ? all.filter((tenant) => tenant === act.by.team) : [];
    const [tenant = found.tenant] = [...inRoom, ...own];
    return { ...found, tenant };
  };
}

const viewOf = (act: SlackAct) => ('view' in act ? act.view : undefined);

/** Returns the reply that the pressed control or the sent form belongs to. */
function replyOf(act: SlackAct): ReplyRef | undefined {
  if (act.kind === 'submitted') return readActionValue(act.view.metadata)?.reply;
  return act.kind === 'pressed'
    ? (readAction(act.action) ?? readActionValue(act.action.value))?.reply
    : undefined;
}
