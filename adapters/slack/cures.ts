/**
 * Cures for the codes with which Slack refuses a token's call, for `parley doctor` and the log. The codes are explained
 * under "Common errors" of each method, such as https://docs.slack.dev/reference/methods/auth.test.
 */

const LATER =
  'Nothing needs to be changed here: Slack limits requests, or has a problem of its own. Wait a few minutes';
const ADMIN = 'Ask an administrator of the workspace or organization to allow the app';
const INSTALL =
  'Install the app in the workspace again (under "OAuth & Permissions"), and copy the new bot token (xoxb-…) into SLACK_BOT_TOKEN';

const list = (text: string): readonly string[] => text.trim().split(/\s+/);

const codes: readonly (readonly [cure: string, codes: readonly string[]])[] = [
  [
    LATER,
    list(`ratelimited rate_limited internal_error fatal_error service_unavailable request_timeout
      team_added_to_org external_channel_migrating`),
  ],
  [
    ADMIN,
    list(`team_access_not_granted access_denied app_access_restricted accesslimited enterprise_is_restricted
      org_login_required ekm_access_denied no_permission two_factor_setup_required user_removed_from_team`),
  ],
  [INSTALL, list(`token_revoked token_expired account_inactive app_uninstalled`)],
];
const cures = new Map(codes.flatMap(([cure, names]) => names.map((name) => [name, cure] as const)));

/**
 * Returns what the operator can do, without a full stop, after a code that does not mean that the token is the wrong
 * one; undefined for any other code.
 * @param code a code of Slack, or `HTTP` and a status
 */
export function cureOf(code: string): string | undefined {
  return cures.get(code) ?? (/^HTTP (429|5\d\d)$/.test(code) ? LATER : undefined);
}
