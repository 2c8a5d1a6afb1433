/**
 * Meanings of the error codes that Slack returns for the calls of a reply, in one table for all methods. The codes are
 * listed on each method's page under https://docs.slack.dev/reference/methods/, and under "Common errors" there.
 */

/**
 * Meanings of a refusal. gone: the room or the message accepts no more calls. invalid: Slack never accepts this
 * content. not-live: no stream is open. live: a stream is open, which forbids the call. rate: too many calls. unknown:
 * the call may have taken effect. off: the app is no longer installed in the workspace. unsupported: the workspace does
 * not have the method. done: the call was not needed, because its effect exists already.
 */
export type Meaning = keyof typeof codes;

/**
 * Codes of rooms that accept no message from the app (fault F20: room closed). Most other codes of `gone` mean that a
 * message, a thread or a person is missing.
 */
const closed: readonly string[] = [
  ...['channel_not_found', 'is_archived', 'is_inactive', 'not_in_channel', 'no_permission', 'access_denied'],
  ...['restricted_action', 'restricted_action_non_threadable_channel', 'restricted_action_read_only_channel'],
  ...['restricted_action_thread_locked', 'restricted_action_thread_only_channel', 'ekm_access_denied'],
  ...['posting_to_channel_denied', 'external_channel_migrating', 'messages_tab_disabled'],
  ...['channel_type_not_supported', 'method_not_supported_for_channel_type', 'cannot_reply_to_message'],
];

const codes = {
  gone: [
    ...closed,
    ...['invalid_channel', 'thread_not_found'],
    ...['message_not_found', 'cant_update_message', 'edit_window_closed', 'message_not_owned_by_app'],
    ...['cant_delete_message', 'duplicate_channel_not_found', 'duplicate_message_not_found', 'user_disabled'],
    ...['user_not_visible', 'user_not_in_channel', 'invalid_user_combination'],
    ...['as_user_not_supported', 'cant_broadcast_message'],
    // Slack refuses calls for this workspace of an organization; the token still works in the organization's other
    // workspaces.
    'team_access_not_granted',
    ...['thread_locked', 'no_access'],
  ],
  invalid: [
    ...['invalid_blocks', 'invalid_blocks_format', 'invalid_chunks', 'invalid_attachments'],
    ...['invalid_arguments', 'invalid_arg_name', 'invalid_array_arg', 'invalid_charset', 'invalid_form_data'],
    ...['invalid_post_type', 'invalid_metadata_format', 'invalid_metadata_schema', 'metadata_too_large'],
    ...['metadata_must_be_sent_from_app', 'missing_post_type', 'missing_argument', 'msg_too_long'],
    ...['msg_blocks_too_long', 'msg_blocks_too_many', 'no_text', 'block_mismatch', 'markdown_text_conflict'],
    ...['markdown_text_required', 'markdown_text_or_chunks_required'],
    ...['cannot_provide_both_markdown_text_and_chunks', 'streaming_mode_mismatch', 'too_many_attachments'],
    ...['too_many_contact_cards', 'attachment_payload_limit_exceeded', 'missing_recipient_team_id'],
    ...['missing_recipient_user_id', 'user_not_found', 'team_not_found', 'missing_file_data'],
    ...['file_not_found', 'file_deleted', 'file_is_deleted', 'file_share_limit_reached'],
    ...['max_file_sharing_exceeded', 'unable_to_share_files', 'blocked_file_type', 'file_type_not_allowed'],
    ...['file_update_failed', 'file_upload_size_restricted', 'file_uploads_disabled'],
    ...['file_uploads_except_images_disabled', 'storage_limit_reached', 'alt_txt_too_large'],
    ...['snippet_too_large', 'unknown_snippet_type', 'unknown_subtype', 'channels_limit_exceeded'],
    ...['no_dual_broadcast_content_update', 'slack_connect_canvas_sharing_blocked'],
    ...['slack_connect_file_link_sharing_blocked', 'slack_connect_lists_sharing_blocked'],
    ...['slack_connect_clip_sharing_blocked', 'slack_connect_file_upload_sharing_blocked'],
    ...['slack_connect_blocked_file_type', 'draft_already_deleted', 'draft_already_sent'],
    ...['draft_has_conflict', 'draft_not_found', 'invalid_thread_ts', 'reserved_username', 'invalid_cursor'],
    ...['invalid_metadata_filter_keys', 'invalid_ts_latest', 'invalid_ts_oldest'],
    ...['list_record_comment_fetch_failed', 'not_enough_users', 'too_many_users', 'users_list_not_supplied'],
    ...['bad_timestamp', 'invalid_name', 'no_item_specified', 'not_reactable', 'file_comment_not_found'],
    ...['too_many_emoji', 'too_many_reactions'],
  ],
  'not-live': ['message_not_in_streaming_state', 'stopped_by_user'],
  live: ['streaming_state_conflict'],
  rate: ['rate_limited', 'ratelimited', 'message_limit_exceeded'],
  unknown: [
    ...['fatal_error', 'internal_error', 'request_timeout', 'service_unavailable', 'update_failed'],
    ...['messaging_processing_failed', 'team_added_to_org', 'org_login_required'],
    // With token rotation, Slack issues a new token, so a repeated call may succeed.
    'token_expired',
  ],
  off: [
    ...['account_inactive', 'token_revoked', 'invalid_auth', 'not_authed', 'app_uninstalled'],
    'two_factor_setup_required',
  ],
  unsupported: [
    ...['missing_scope', 'not_allowed_token_type', 'unknown_method', 'deprecated_endpoint'],
    ...['method_deprecated', 'accesslimited', 'enterprise_is_restricted', 'not_authorized'],
    'feature_not_enabled',
  ],
  done: ['already_reacted', 'no_reaction'],
};

export const meanings = new Map(
  (Object.keys(codes) as Meaning[]).flatMap((meaning) =>
    codes[meaning].map((code) => [code, meaning] as const),
  ),
);

/**
 * Returns Slack's error code for the log, or `unreadable` if the value is not a code (for example, an HTML page). Other
 * text must not reach the log, because it may contain messages (attack S20).
 */
export function codeOf(error: unknown): string {
  return typeof error === 'string' && /^[\w.:-]{1,80}$/.test(error) ? error : 'unreadable';
}

/** Codes whose meaning differs for one method. */
const special: Readonly<Record<string, Readonly<Record<string, Meaning>>>> = {
  // The message to delete is already gone.
  'chat.delete': { message_not_found: 'done', cant_delete_message: 'done' },
  // The message is too old for an edit, so its content is posted again.
  'chat.update': { edit_window_closed: 'invalid' },
  // The room accepts no streams, but it may accept ordinary messages.
  'chat.startStream': {
    channel_type_not_supported: 'invalid',
    method_not_supported_for_channel_type: 'invalid',
  },
  // The message is gone, so its stream has ended too. The update that follows reports that the message is missing.
  'chat.stopStream': { message_not_owned_by_app: 'not-live' },
};

/**
 * Returns the meaning of a code. An undocumented code counts as `unknown`: the call is repeated, and given up after
 * some attempts.
 */
export function meaningOf(method: string, code: string): Meaning {
  return special[method]?.[code] ?? meanings.get(code) ?? 'unknown';
}

const closing = new Set(closed);

/** True if a refusal means that the room is closed to the app, and not that a message is gone. */
export const isClosed = (code: string): boolean => closing.has(code);
