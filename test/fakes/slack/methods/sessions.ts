/** Implements the methods `agents.sessions.*` (agent sessions) and `assistant.threads.*`. */

import { list, needText, text } from '../args.ts';
import { type Call, channelOf } from '../call.ts';
import { refuse, refuseWith } from '../refusal.ts';
import { type AgentSession, type Channel, type Json, threadKey, type Workspace } from '../shapes.ts';
import type { World } from '../world.ts';

/** Statuses that the app may set: https://docs.slack.dev/reference/methods/agents.sessions.setStatus */
const STATUSES = ['active', 'processing', 'suspended', 'closed'];
/**
 * Maximum characters of a session's title. https://docs.slack.dev/reference/methods/agents.sessions.rename
 */
const TITLE = 200;
/**
 * Maximum number of suggested prompts.
 * https://docs.slack.dev/reference/methods/assistant.threads.setSuggestedPrompts
 */
const PROMPTS = 4;
/**
 * Maximum number of `loading_messages`. https://docs.slack.dev/reference/methods/assistant.threads.setStatus
 */
const LOADING_MESSAGES = 10;
/**
 * Lifetime of a status line in milliseconds; page of assistant.threads.setStatus: "A two minute timeout applies … if no
 * message has been sent".
 */
const STATUS_MS = 120_000;

export const isSessionStatus = (status: string): boolean => STATUSES.includes(status);

export function setStatus(call: Call): Json {
  const { args } = call;
  const { channel, threadTs } = sessionPlace(call);
  const status = needText(args, 'status');
  if (!isSessionStatus(status))
    refuseWith('invalid_arguments', ['[ERROR] invalid value [json-pointer:/status]']);
  const title = text(args, 'title');
  if (title !== undefined && title.length > TITLE) refuse('invalid_arguments');
  const initiator = text(args, 'initiator_user_id');
  if (initiator !== undefined && !channel.members.has(initiator)) refuse('user_not_found');
  const session = setSession(call, { channel: channel.id, threadTs }, status, title);
  const told = { status: session.status, agent_status: session.status, title: session.title ?? '' };
  // Without a subscription to this event, people have no Stop button:
  // https://docs.slack.dev/reference/events/agent_session_stopped
  return !call.world.subscriptions.has('agent_session_stopped')
    ? { ...told, ...warning('missing_agent_session_stopped_event_subscription') }
    : told;
}

const warning = (name: string): Json => ({ warning: name, response_metadata: { warnings: [name] } });

/** Returns the thread of a session; in a channel, the call must name the thread. */
function sessionPlace(call: Call): { channel: Channel; threadTs: string } {
  // "Only apps declared as agents in the app settings can create sessions": https://docs.slack.dev/ai/agent-sessions
  if (!call.workspace.agent) refuse('not_allowed_token_type');
  const channel = channelOf(call, needText(call.args, 'channel_id'));
  if (!channel.members.has(call.workspace.botUser)) refuse('not_in_channel');
  const threadTs = needText(call.args, 'thread_ts');
  if (channel.messages.findLast(({ ts }) => ts === threadTs) === undefined) refuse('invalid_thread_ts');
  return { channel, threadTs };
}

interface Place {
  readonly channel: string;
  readonly threadTs: string;
}

export function setSession(
  call: Call,
  { channel, threadTs }: Place,
  status: string,
  title?: string,
): AgentSession {
  const { workspace, world } = call;
  const key = threadKey(channel, threadTs);
  const known = workspace.sessions.get(key);
  const session = known ?? {
    channel,
    threadTs,
    status,
    ...(title === undefined ? {} : { title }),
    changes: [],
  };
  session.status = status;
  session.changes.push({ at: world.clock.now(), status });
  workspace.sessions.set(key, session);
  return session;
}

export function rename(call: Call): Json {
  const { channel, threadTs } = sessionPlace(call);
  const title = needText(call.args, 'title');
  if (title.length < 1 || title.length > TITLE) refuse('invalid_arguments');
  // The live service returns `not_authorized` for a thread without a session (observed).
  const session = call.workspace.sessions.get(threadKey(channel.id, threadTs)) ?? refuse('not_authorized');
  session.title = title;
  return { title };
}

export function setStatusLine(call: Call): Json {
  const { args, workspace, world } = call;
  const { channel, threadTs } = assistantPlace(call);
  const status = needText(args, 'status');
  const loading = args.loading_messages;
  if (Array.isArray(loading) && loading.length > LOADING_MESSAGES) refuse('invalid_arguments');
  const key = threadKey(channel.id, threadTs);
  const at = world.clock.now();
  const line = workspace.statusLines.get(key) ?? {
    channel: channel.id,
    threadTs,
    status,
    setAt: at,
    changes: [],
  };
  line.status = status;
  line.setAt = at;
  line.changes.push({ at, status });
  workspace.statusLines.set(key, line);
  return {};
}

/**
 * Returns the status under a thread: the status line of `assistant.threads.setStatus` until it expires, and the
 * session's status.
 */
export function shownStatus(world: World, workspace: Workspace, key: string): ShownStatus {
  const line = workspace.statusLines.get(key);
  const lasts = line !== undefined && line.status !== '' && world.clock.now() < line.setAt + STATUS_MS;
  return { line: lasts ? line.status : undefined, session: workspace.sessions.get(key)?.status };
}

export interface ShownStatus {
  readonly line: string | undefined;
  readonly session: string | undefined;
}

function assistantPlace(call: Call): { channel: Channel; threadTs: string } {
  const channel = channelOf(call, needText(call.args, 'channel_id'));
  const threadTs = needText(call.args, 'thread_ts');
  if (channel.messages.findLast(({ ts }) => ts === threadTs) === undefined) refuse('invalid_thread_ts');
  return { channel, threadTs };
}

export function setTitle(call: Call): Json {
  const { channel, threadTs } = assistantPlace(call);
  call.workspace.threadTitles.set(threadKey(channel.id, threadTs), needText(call.args, 'title'));
  return {};
}

/** Without a thread, the prompts are shown at the top of the agent view. */
export function setSuggestedPrompts(call: Call): Json {
  const { args, workspace } = call;
  const channel = channelOf(call, needText(args, 'channel_id'));
  if (channel.partner === undefined) refuse('channel_not_found');
  const prompts = list(args, 'prompts') ?? [];
  if (prompts.length === 0 || prompts.length > PROMPTS)
    refuseWith('invalid_arguments', [
      `[ERROR] no more than ${PROMPTS} items allowed [json-pointer:/prompts]`,
    ]);
  const title = text(args, 'title');
  const threadTs = text(args, 'thread_ts') ?? '';
  workspace.prompts.set(threadKey(channel.id, threadTs), {
    prompts,
    ...(title === undefined ? {} : { title }),
  });
  return {};
}
