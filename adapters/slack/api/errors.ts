/**
 * Meanings of the error codes that Slack returns, in one table for all methods. The codes are listed on each method's
 * page under https://docs.slack.dev/reference/methods/, and under "Common errors" there. The page
 * docs/reference/slack-errors.md says what people see.
 */

/**
 * Meanings of a refusal. closed: the room accepts no messages from the app (fault F20). threadless: the thread accepts
 * no replies. fixed: the message accepts no more edits. gone: the message or the person is missing. invalid: Slack
 * never accepts this content. not-live: no stream is open. live: a stream is open, which forbids the call. rate: too
 * many calls. unknown: the call may have taken effect. off: the app is no longer installed in the workspace.
 * unsupported: the workspace does not have the method. done: the call was not needed, because its effect exists already.
 */
export type Meaning = keyof typeof codes;

const list = (text: string): readonly string[] => text.trim().split(/\s+/);

const codes = {
  closed: list(`
    channel_not_found is_archived is_inactive not_in_channel no_permission access_denied restricted_action
    restricted_action_read_only_channel restricted_action_thread_only_channel ekm_access_denied
    messages_tab_disabled channel_type_not_supported method_not_supported_for_channel_type invalid_channel
    team_access_not_granted app_access_restricted channel_is_limited_access user_disabled forbidden_team`),
  threadless: list(`
    thread_locked restricted_action_thread_locked restricted_action_non_threadable_channel
    cannot_reply_to_message invalid_thread_ts thread_not_found`),
  fixed: list(`
    cant_update_message edit_window_closed message_not_owned_by_app as_user_not_supported
    cant_broadcast_message no_dual_broadcast_content_update duplicate_channel_not_found
    duplicate_message_not_found`),
  gone: list(`
    message_not_found cant_delete_message user_not_visible user_not_in_channel invalid_user_combination
    no_access`),
  invalid: list(`
    invalid_blocks invalid_blocks_format invalid_chunks invalid_attachments invalid_arguments invalid_arg_name
    invalid_array_arg invalid_charset invalid_form_data invalid_post_type invalid_metadata_format
    invalid_metadata_schema metadata_too_large metadata_must_be_sent_from_app missing_post_type
    missing_argument msg_too_long msg_blocks_too_long msg_blocks_too_many no_text block_mismatch
    markdown_text_conflict markdown_text_required markdown_text_or_chunks_required
    cannot_provide_both_markdown_text_and_chunks streaming_mode_mismatch too_many_attachments
    too_many_contact_cards attachment_payload_limit_exceeded missing_recipient_team_id
    missing_recipient_user_id user_not_found team_not_found missing_file_data file_not_found file_deleted
    file_is_deleted file_share_limit_reached max_file_sharing_exceeded unable_to_share_files blocked_file_type
    file_type_not_allowed file_update_failed file_upload_size_restricted file_uploads_disabled
    file_uploads_except_images_disabled storage_limit_reached alt_txt_too_large snippet_too_large
    unknown_snippet_type unknown_subtype channels_limit_exceeded
    slack_connect_canvas_sharing_blocked slack_connect_file_link_sharing_blocked
    slack_connect_lists_sharing_blocked slack_connect_clip_sharing_blocked
    slack_connect_file_upload_sharing_blocked slack_connect_blocked_file_type draft_already_deleted
    draft_already_sent draft_has_conflict draft_not_found reserved_username invalid_cursor
    invalid_metadata_filter_keys invalid_ts_latest invalid_ts_oldest list_record_comment_fetch_failed
    not_enough_users too_many_users users_list_not_supplied bad_timestamp invalid_name no_item_specified
    not_reactable file_comment_not_found too_many_emoji too_many_reactions posting_to_channel_denied
    bad_client_secret bad_redirect_uri bot_not_found bots_not_found cannot_install_an_org_installed_app
    canvas_disabled_file_team canvas_disabled_user_team canvas_globally_disabled duplicate_external_id
    exchanged_trigger_id expired_trigger_id fail_to_get_teams_for_restricted_user hash_conflict
    fetch_members_failed insecure_request invalid_client_id invalid_code invalid_code_verifier invalid_grant_type invalid_limit
    invalid_refresh_token invalid_status invalid_team invalid_trigger_id invalid_types limit_required
    missing_args missing_profile_id missing_user name_taken no_scopes not_found not_visible
    oauth_authorization_url_mismatch pkce_not_allowed push_limit_reached send_on_behalf_not_allowed
    session_not_found template_not_visible thread_ts_not_allowed thread_ts_required user_email_unverified
    users_not_found view_too_large`),
  'not-live': list(`message_not_in_streaming_state stopped_by_user`),
  live: list(`streaming_state_conflict`),
  rate: list(`rate_limited ratelimited message_limit_exceeded`),
  // With token rotation, Slack issues a new token after `token_expired`, so a repeated call may succeed.
  unknown: list(`
    fatal_error internal_error request_timeout service_unavailable update_failed messaging_processing_failed
    team_added_to_org org_login_required external_channel_migrating token_expired`),
  off: list(`
    account_inactive token_revoked invalid_auth not_authed app_uninstalled two_factor_setup_required`),
  unsupported: list(`
    missing_scope not_allowed_token_type unknown_method deprecated_endpoint method_deprecated accesslimited
    enterprise_is_restricted enterprise_not_found org_not_found team_not_on_enterprise not_authorized
    feature_not_enabled feature_disabled is_bot not_agent_app not_enabled not_implemented
    not_subscribed_to_message_stream_stopped plan_upgrade_required preview_feature_not_available`),
  done: list(`already_reacted no_reaction`),
};

export const meanings = new Map(
  (Object.keys(codes) as Meaning[]).flatMap((meaning) =>
    codes[meaning].map((code) => [code, meaning] as const),
  ),
);

export const UNREADABLE = 'unreadable';

/**
 * Returns Slack's error code for the log, or `unreadable` if the value is not a code (for example, an HTML page). Other
 * text must not reach the log, because it may contain messages (attack S20).
 */
export function codeOf(error: unknown): string {
  return typeof error === 'string' && /^[\w.:-]{1,80}$/.test(error) ? error : UNREADABLE;
}

/** Codes whose meaning differs for one method. */
const special: Readonly<Record<string, Readonly<Record<string, Meaning>>>> = {
  // The message to delete is already gone.
  'chat.delete': { message_not_found: 'done', cant_delete_message: 'done' },
  // Slack does not know the message's team, which a simpler form cannot change.
  'chat.update': { team_not_found: 'fixed' },
};

type Changed = Readonly<Partial<Record<Meaning, Meaning>>>;

const anyRefusal = (to: Meaning): Changed => ({ closed: to, threadless: to, fixed: to, gone: to });

/**
 * Methods whose refusals do not decide about the reply. After a refused start or look-up, the answer is posted; after a
 * refused append, its message is edited; and if the thread refuses an edit, the answer is posted. The last call
 * then shows whether people can see the answer.
 */
const undecided: Readonly<Record<string, Changed>> = {
  'chat.startStream': anyRefusal('invalid'),
  'conversations.replies': anyRefusal('invalid'),
  'chat.appendStream': anyRefusal('not-live'),
  // While Slack refuses to end the stream, it refuses edits too.
  'chat.stopStream': { fixed: 'not-live', gone: 'not-live' },
  'chat.update': { threadless: 'fixed' },
};

/**
 * Methods after which an undocumented code counts as `invalid`. If Slack returns an error code, it has posted nothing,
 * so simpler forms are tried, each once.
 */
const posting = new Set([
  'chat.postMessage',
  'chat.postEphemeral',
  'chat.startStream',
  'chat.stopStream',
  // A code of a sign-in works once, so the call is never repeated.
  'openid.connect.token',
]);

/**
 * Returns the meaning of a code. For methods that post nothing, an undocumented code counts as `unknown`: the call is
 * repeated, and given up after some attempts.
 */
export function meaningOf(method: string, code: string): Meaning {
  const otherwise = posting.has(method) ? 'invalid' : 'unknown';
  const meaning = special[method]?.[code] ?? meanings.get(code) ?? otherwise;
  return undecided[method]?.[meaning] ?? meaning;
}
