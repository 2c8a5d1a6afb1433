/**
 * blocks.validate, which needs no token: https://docs.slack.dev/reference/methods/blocks.validate. Only the shape of an
 * error is documented, so every fault has the code of the page's example.
 */

import { child, list } from '../args.ts';
import type { Call } from '../call.ts';
import { checkBlocks, checkView } from '../checks/blocks.ts';
import { Refusal, refuse } from '../refusal.ts';
import type { Json } from '../shapes.ts';

export function validate(call: Call): Json {
  const given = ['blocks', 'message', 'view'].filter((name) => call.args[name] !== undefined);
  const [name] = given;
  if (name === undefined || given.length > 1) refuse('invalid_arguments');
  // "text" of a message is refused: https://github.com/slackapi/node-slack-sdk/pull/2659
  if (child(call.args, 'message')?.text !== undefined) refuse('invalid_message');
  try {
    if (name === 'view') checkView(call, child(call.args, 'view') ?? {});
    else
      checkBlocks(
        call,
        list(name === 'blocks' ? call.args : (child(call.args, name) ?? {}), 'blocks') ?? [],
        'message',
      );
    return {};
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    const messages = (child(thrown.more, 'response_metadata')?.messages ?? [
      thrown.code,
    ]) as readonly string[];
    const errors = messages.map((message) => {
      const pointer = /json-pointer:([^\]]*)/.exec(message)?.[1] ?? '';
      return { pointer: pointer.replace(/^\/blocks/, ''), code: 'failed_constraint', message };
    });
    return refuse(`invalid_${name}`, { errors });
  }
}
