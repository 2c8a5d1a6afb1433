/**
 * Every method that the fake knows, with the scopes that the method's page under docs.slack.dev/reference/methods
 * lists.
 */

import type { MethodFacts } from '../call.ts';
import { remove, update } from './change.ts';
import { history, info, join, members, open, replies, scopesFor } from './conversations.ts';
import { completeUpload, fileInfo, getUploadUrl } from './files.ts';
import { access, authTest, eventAuthorizations, openConnection, revoke, uninstall } from './oauth.ts';
import { addReaction, botInfo, removeReaction, teamInfo, userInfo, userList } from './people.ts';
import { getPermalink, postEphemeral, postMessage } from './post.ts';
import { rename, setStatus, setStatusLine, setSuggestedPrompts, setTitle } from './sessions.ts';
import { appendStream, startStream, stopStream } from './stream.ts';
import { validate } from './validate.ts';
import { open as openView, publish, push, update as updateView } from './views.ts';

const write = ['chat:write'];

export const methods: Readonly<Record<string, MethodFacts>> = {
  'chat.postMessage': { run: postMessage, scopes: write },
  'chat.postEphemeral': { run: postEphemeral, scopes: write },
  'chat.update': { run: update, scopes: write },
  'chat.delete': { run: remove, scopes: write },
  'chat.getPermalink': { run: getPermalink, formOnly: true },
  'chat.startStream': { run: startStream, scopes: write },
  'chat.appendStream': { run: appendStream, scopes: write },
  'chat.stopStream': { run: stopStream, scopes: write },
  'agents.sessions.setStatus': { run: setStatus, scopes: write },
  'agents.sessions.rename': { run: rename, scopes: write },
  'assistant.threads.setStatus': { run: setStatusLine, scopes: [...write, 'assistant:write'] },
  'assistant.threads.setTitle': { run: setTitle, scopes: ['assistant:write'] },
  'views.open': { run: openView },
  'views.push': { run: push },
  'views.update': { run: updateView },
  'views.publish': { run: publish },
  'blocks.validate': { run: validate, token: 'none' },
  'auth.test': { run: authTest },
  'auth.revoke': { run: revoke },
  'oauth.v2.access': { run: access, token: 'none', formOnly: true },
  'apps.connections.open': { run: openConnection, token: 'app', scopes: ['connections:write'] },
  'apps.event.authorizations.list': {
    run: eventAuthorizations,
    token: 'app',
    scopes: ['authorizations:read'],
  },
  'apps.uninstall': { run: uninstall, formOnly: true },
  'conversations.info': { run: info, scopes: scopesFor('read'), formOnly: true },
  'conversations.history': { run: history, scopes: scopesFor('history'), formOnly: true },
  'conversations.replies': { run: replies, scopes: scopesFor('history'), formOnly: true },
  'conversations.members': { run: members, scopes: scopesFor('read'), formOnly: true },
  'conversations.join': { run: join, scopes: ['channels:join'] },
  'conversations.open': { run: open, scopes: ['im:write'] },
  'users.info': { run: userInfo, scopes: ['users:read'], formOnly: true },
  'users.list': { run: userList, scopes: ['users:read'], formOnly: true },
  'team.info': { run: teamInfo, scopes: ['team:read'], formOnly: true },
  'bots.info': { run: botInfo, scopes: ['users:read'], formOnly: true },
  'reactions.add': { run: addReaction, scopes: ['reactions:write'] },
  'reactions.remove': { run: removeReaction, scopes: ['reactions:write'] },
  'files.getUploadURLExternal': { run: getUploadUrl, scopes: ['files:write'], formOnly: true },
  'files.completeUploadExternal': { run: completeUpload, scopes: ['files:write'] },
  'files.info': { run: fileInfo, scopes: ['files:read'], formOnly: true },
  'assistant.threads.setSuggestedPrompts': { run: setSuggestedPrompts, scopes: ['assistant:write'] },
};
