/** Posts to a response_url: https://docs.slack.dev/interactivity/handling-user-interaction#message_responses */

import { type Route, readBody } from '../../listen.ts';
import { flag, isJson, list, text } from '../args.ts';
import type { Call } from '../call.ts';
import { checkBlocks } from '../checks/blocks.ts';
import { checkSomething, contentOf, cutText } from '../checks/text.ts';
import { note } from '../log.ts';
import { keepHistory } from '../methods/change.ts';
import { blankMessage } from '../methods/post.ts';
import type { Server } from '../parts.ts';
import { Refusal, refuse } from '../refusal.ts';
import type { Channel, Json, Message } from '../shapes.ts';
import { unfurlsOf } from '../visible/live.ts';
import { type ResponsePlace, takePlace } from './triggers.ts';

export const responseRoute =
  (server: Server): Route =>
  async (request, response, url) => {
    const at = server.world.clock.now();
    const body = (await readBody(request)).toString('utf8');
    const [, , team = '', id = ''] = url.pathname.split('/');
    const args = parsed(body);
    const fault = server.faults.hit('response_url', team, undefined);
    const answer =
      fault?.kind === 'status' ? `error ${fault.status ?? 500}` : respond(server, team, id, args);
    const status = answer === 'ok' ? 200 : fault?.kind === 'status' ? (fault.status ?? 500) : 404;
    const error = answer === 'ok' ? {} : { error: answer };
    const said = { ok: answer === 'ok', ...error };
    const call = { at, method: 'response_url', team, args, status, answer: said, size: body.length };
    note(server.log, call, server.world.clock.now());
    response.writeHead(status, { 'content-type': 'text/plain' }).end(answer);
  };

function parsed(body: string): Json {
  try {
    const value: unknown = JSON.parse(body);
    return isJson(value) ? value : {};
  } catch {
    return {};
  }
}

function respond(server: Server, team: string, id: string, args: Json): string {
  try {
    answer(server, team, takePlace(server.world, id), args);
    return 'ok';
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown.code;
    throw thrown;
  }
}

function answer({ world, url }: Server, team: string, place: ResponsePlace, args: Json): void {
  const workspace = world.workspaces.get(team) ?? refuse('invalid_url');
  const channel = workspace.channels.get(place.channel) ?? refuse('channel_not_found');
  const token = world.tokens.get(workspace.token) ?? refuse('token_revoked');
  const call: Call = { method: 'response_url', args, world, url, token, workspace };
  // The app may not replace or delete a person's message.
  const original = channel.messages.find(
    ({ ts, app, deletedAt }) => ts === place.message && app && deletedAt === undefined,
  );
  if (flag(args, 'delete_original') === true) {
    if (original !== undefined) original.deletedAt = world.clock.now();
    return;
  }
  const content = contentOf(args);
  checkSomething(content);
  checkBlocks(call, content.blocks ?? [], 'message');
  if (flag(args, 'replace_original') === true && original !== undefined) replace(call, original);
  else channel.messages.push(fresh(call, channel, place));
}

function replace({ args, world }: Call, original: Message): void {
  keepHistory(original, world.clock.now());
  original.text = text(args, 'text') ?? '';
  original.blocks = list(args, 'blocks') ?? [];
  original.editedAt = world.clock.now();
}

/** Builds a new post, which is ephemeral unless `response_type` is `in_channel`. */
function fresh(call: Call, channel: Channel, place: ResponsePlace): Message {
  const { args } = call;
  // Without `thread_ts`, the post goes to the channel even if the button is in a thread:
  // slackapi/node-slack-sdk#674, slackapi/bolt-js#963.
  const threadTs = text(args, 'thread_ts');
  const message: Message = {
    ...blankMessage(call, channel),
    ...cutText(text(args, 'text') ?? ''),
    blocks: list(args, 'blocks') ?? [],
    ...(threadTs === undefined ? {} : { threadTs }),
    ...(text(args, 'response_type') === 'in_channel' ? {} : { onlyFor: place.user }),
  };
  message.unfurls.push(...unfurlsOf(message, flag(args, 'unfurl_links'), flag(args, 'unfurl_media')));
  return message;
}
