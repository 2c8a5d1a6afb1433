/** Every method that the fake knows, with its scopes as its own page under docs.slack.dev/reference/methods names them. */

import type { MethodFacts } from '../call.ts';
import { remove, update } from './change.ts';
import { getPermalink, postEphemeral, postMessage } from './post.ts';
import { rename, setStatus, setStatusLine, setSuggestedPrompts, setTitle } from './sessions.ts';
import { appendStream, startStream, stopStream } from './stream.ts';

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
  'assistant.threads.setSuggestedPrompts': { run: setSuggestedPrompts, scopes: ['assistant:write'] },
};
