/** Implements views.*: modals and the Home tab. https://docs.slack.dev/surfaces/modals */

import { child, needText, text } from '../args.ts';
import type { Call } from '../call.ts';
import { checkView } from '../checks/blocks.ts';
import { takeTrigger } from '../interact/triggers.ts';
import { refuse } from '../refusal.ts';
import type { Json, View } from '../shapes.ts';

/** Maximum number of views in a stack: "Currently the limit is 3" (error `push_limit_reached`). */
const STACK = 3;

function given(call: Call, type: View['type']): Json {
  const view = child(call.args, 'view') ?? refuse('invalid_arguments');
  checkView(call, view);
  if (view.type !== type) refuse('invalid_arguments', messages(`[ERROR] view type must be ${type}`));
  const external = text(view, 'external_id');
  const taken = [...call.workspace.views.values()].some(
    (each) => !each.closed && each.view.external_id === external,
  );
  return external !== undefined && external !== '' && taken ? refuse('duplicate_external_id') : view;
}

const messages = (said: string): Json => ({ response_metadata: { messages: [said] } });

export function open(call: Call): Json {
  const view = given(call, 'modal');
  const trigger = takeTrigger(call.world, needText(call.args, 'trigger_id'), call.workspace.id);
  return { view: viewJson(call, keep(call, view, { user: trigger.user })) };
}

export function push(call: Call): Json {
  const view = given(call, 'modal');
  const trigger = takeTrigger(call.world, needText(call.args, 'trigger_id'), call.workspace.id);
  const below = call.workspace.views.get(trigger.view ?? '') ?? refuse('not_found');
  const stack = [...call.workspace.views.values()].filter(
    ({ root, closed }) => root === below.root && !closed,
  );
  if (stack.length >= STACK) refuse('push_limit_reached');
  return { view: viewJson(call, keep(call, view, { user: trigger.user, below })) };
}

export function update(call: Call): Json {
  const { args, workspace, world } = call;
  const external = text(args, 'external_id');
  const known = [...workspace.views.values()].find(
    ({ id, view }) =>
      id === text(args, 'view_id') || (external !== undefined && view.external_id === external),
  );
  if (known === undefined || known.closed) return refuse('not_found');
  const hash = text(args, 'hash');
  if (hash !== undefined && hash !== known.hash) refuse('hash_conflict');
  const view = child(args, 'view') ?? refuse('invalid_arguments');
  checkView(call, view);
  known.view = view;
  known.hash = world.newId('h');
  return { view: viewJson(call, known) };
}

export function publish(call: Call): Json {
  const { args, workspace, world } = call;
  const user = needText(args, 'user_id');
  if (!workspace.people.has(user)) refuse('user_not_found');
  const view = given(call, 'home');
  const known = [...workspace.views.values()].find((each) => each.type === 'home' && each.user === user);
  const hash = text(args, 'hash');
  if (known !== undefined && hash !== undefined && hash !== known.hash) refuse('hash_conflict');
  if (known === undefined) return { view: viewJson(call, keep(call, view, { user })) };
  known.view = view;
  known.hash = world.newId('h');
  return { view: viewJson(call, known) };
}

interface Place {
  readonly user: string;
  readonly below?: View;
}

export function keep(
  { world, workspace }: Pick<Call, 'world' | 'workspace'>,
  view: Json,
  { user, below }: Place,
): View {
  const id = world.newId('V');
  const kept: View = {
    id,
    root: below?.root ?? id,
    type: view.type === 'home' ? 'home' : 'modal',
    user,
    team: workspace.id,
    view,
    hash: world.newId('h'),
    closed: false,
    ...(below === undefined ? {} : { previous: below.id }),
  };
  workspace.views.set(id, kept);
  return kept;
}

export function viewJson({ world, workspace }: Pick<Call, 'world' | 'workspace'>, kept: View): Json {
  return {
    ...kept.view,
    id: kept.id,
    team_id: workspace.id,
    app_id: world.app.id,
    app_installed_team_id: workspace.id,
    bot_id: workspace.botId,
    hash: kept.hash,
    root_view_id: kept.root,
    previous_view_id: kept.previous ?? null,
    external_id: text(kept.view, 'external_id') ?? '',
    callback_id: text(kept.view, 'callback_id') ?? '',
    private_metadata: text(kept.view, 'private_metadata') ?? '',
    state: { values: {} },
  };
}
