/**
 * The arguments of each method that the fake knows, from the types of Slack's own client. Only make.ts reads this file.
 */

import type {
  AgentsSessionsRenameArguments,
  AgentsSessionsSetStatusArguments,
  AppsConnectionsOpenArguments,
  AppsEventAuthorizationsListArguments,
  AppsUninstallArguments,
  AssistantThreadsSetStatusArguments,
  AssistantThreadsSetSuggestedPromptsArguments,
  AssistantThreadsSetTitleArguments,
  AuthRevokeArguments,
  AuthTestArguments,
  BlocksValidateArguments,
  BotsInfoArguments,
  ChatAppendStreamArguments,
  ChatDeleteArguments,
  ChatGetPermalinkArguments,
  ChatPostEphemeralArguments,
  ChatPostMessageArguments,
  ChatStartStreamArguments,
  ChatStopStreamArguments,
  ChatUpdateArguments,
  ConversationsHistoryArguments,
  ConversationsInfoArguments,
  ConversationsJoinArguments,
  ConversationsMembersArguments,
  ConversationsOpenArguments,
  ConversationsRepliesArguments,
  FilesCompleteUploadExternalArguments,
  FilesGetUploadURLExternalArguments,
  FilesInfoArguments,
  OAuthV2AccessArguments,
  ReactionsAddArguments,
  ReactionsRemoveArguments,
  TeamInfoArguments,
  UsersInfoArguments,
  UsersListArguments,
  ViewsOpenArguments,
  ViewsPublishArguments,
  ViewsPushArguments,
  ViewsUpdateArguments,
} from '@slack/web-api';

export interface Arguments {
  'agents.sessions.rename': AgentsSessionsRenameArguments;
  'agents.sessions.setStatus': AgentsSessionsSetStatusArguments;
  'apps.connections.open': AppsConnectionsOpenArguments;
  'apps.event.authorizations.list': AppsEventAuthorizationsListArguments;
  'apps.uninstall': AppsUninstallArguments;
  'assistant.threads.setStatus': AssistantThreadsSetStatusArguments;
  'assistant.threads.setSuggestedPrompts': AssistantThreadsSetSuggestedPromptsArguments;
  'assistant.threads.setTitle': AssistantThreadsSetTitleArguments;
  'auth.revoke': AuthRevokeArguments;
  'auth.test': AuthTestArguments;
  'blocks.validate': BlocksValidateArguments;
  'bots.info': BotsInfoArguments;
  'chat.appendStream': ChatAppendStreamArguments;
  'chat.delete': ChatDeleteArguments;
  'chat.getPermalink': ChatGetPermalinkArguments;
  'chat.postEphemeral': ChatPostEphemeralArguments;
  'chat.postMessage': ChatPostMessageArguments;
  'chat.startStream': ChatStartStreamArguments;
  'chat.stopStream': ChatStopStreamArguments;
  'chat.update': ChatUpdateArguments;
  'conversations.history': ConversationsHistoryArguments;
  'conversations.info': ConversationsInfoArguments;
  'conversations.join': ConversationsJoinArguments;
  'conversations.members': ConversationsMembersArguments;
  'conversations.open': ConversationsOpenArguments;
  'conversations.replies': ConversationsRepliesArguments;
  'files.completeUploadExternal': FilesCompleteUploadExternalArguments;
  // The documentation calls the alternative text alt_txt; Slack's types call it alt_text.
  'files.getUploadURLExternal': Omit<FilesGetUploadURLExternalArguments, 'alt_text'> & { alt_txt?: string };
  'files.info': FilesInfoArguments;
  'oauth.v2.access': OAuthV2AccessArguments;
  'reactions.add': ReactionsAddArguments;
  'reactions.remove': ReactionsRemoveArguments;
  'team.info': TeamInfoArguments;
  'users.info': UsersInfoArguments;
  'users.list': UsersListArguments;
  'views.open': ViewsOpenArguments;
  'views.publish': ViewsPublishArguments;
  'views.push': ViewsPushArguments;
  'views.update': ViewsUpdateArguments;
}
