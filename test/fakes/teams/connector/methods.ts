/** Maps each call of the Bot Connector to its handler. */

import { viewFile } from '../files/files.ts';
import type { Method } from '../log.ts';
import { refuse } from '../refusal.ts';
import { remove, send, showTyping, update } from './activities.ts';
import type { Answer, Call } from './call.ts';
import { create } from './conversations.ts';
import { channels, member, members, team } from './members.ts';
import { finish, stream } from './stream.ts';

const methods: Partial<Record<Method, (call: Call) => Answer>> = {
  send,
  typing: showTyping,
  stream,
  final: finish,
  update,
  delete: remove,
  create,
  member,
  members,
  team,
  channels,
  view: viewFile,
};

export const perform = (call: Call): Answer =>
  methods[call.asked.method]?.(call) ?? refuse(404, 'NotFound', 'No such operation.');
