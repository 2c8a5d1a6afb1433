/** An entry of the section `rooms`: what applies in a room. */

import { z } from 'zod';
import { isTree } from '../settings/tree.ts';
import { textSetting } from '../settings/values.ts';
import { ids } from './agent-setting.ts';
import { accountName } from './identity-setting.ts';

export const followUps = z.enum(['alone', 'always', 'mention']);
export const FOLLOW_UPS =
  'When a message in a thread in which somebody asked is a question, although it does not mention the bridge. alone: while only its author and the bridge have written since the last answer; always: always; mention: only if it mentions the bridge';

/** Which agent answers in the room, as whom, and from what. */
const answering = {
  agent: textSetting(
    'The agent that answers in the room, unless the message names another, or a person chose another with `use`',
  ).optional(),
  account: accountName
    .optional()
    .describe(
      "The platform account that agents use in the room; if absent, the account of the agent's own credential",
    ),
  workspace: textSetting(
    'The knowledge workspace that `search` and `files` read in the room, and to which documents attached to questions are uploaded; if absent, `search` and `files` read everything that the account may see, and documents are not uploaded',
  ).optional(),
  workspaceIds: ids
    .optional()
    .describe(
      "Ids of the knowledge workspaces from which agents with the interface `lite-key` or `lite-token` answer in the room; if absent, the agent's own `workspaceIds`",
    ),
  layoutMode: z
    .enum(['chat', 'retrieval'])
    .optional()
    .describe(
      'What agents with the interface `lite-key` or `lite-token` return in the room: an answer (chat), or the passages that the platform finds (retrieval); if absent, the platform decides',
    ),
};

/** @param usual the channel for entries that name no channel */
export const roomLine = (usual: string) =>
  z
    .strictObject({
      channel: textSetting('Channel of the room').default(usual),
      tenant: textSetting('Workspace of the room; if absent, every workspace').optional(),
      room: textSetting(
        'Id of the room; if absent, every room of `kind`, such as all direct chats with the bridge',
      ).optional(),
      kind: z
        .enum(['direct', 'group', 'room'])
        .optional()
        .describe(
          'Limits the entry to direct chats with the bridge (direct), group chats (group) or channels (room); if absent, all kinds',
        ),
      ...answering,
      mention: z
        .enum(['first', 'always', 'never'])
        .optional()
        .describe(
          'never: every message in the room is a question. `first` and `always` are older names of `threads: always` and `threads: mention`',
        ),
      threads: followUps
        .optional()
        .describe(`${FOLLOW_UPS}. If absent, the setting \`threads\` for all rooms applies`),
    })
    .refine(({ mention, threads }) => mention === undefined || threads === undefined, {
      error: 'sets both `mention` and `threads`; give one of them',
      when: ({ value }) => isTree(value),
    })
    // An entry without room and kind would apply to every room.
    .refine(({ room: id, kind }) => id !== undefined || kind !== undefined, {
      error: 'needs `room`, `kind` or both',
      // This check also runs if the entry has other faults, so that all faults are reported at once.
      when: ({ value }) => isTree(value),
    })
    .describe('Settings of a room');
