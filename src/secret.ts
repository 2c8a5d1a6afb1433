/** Text that is printed instead of a secret. */
export const MASK = '***';

/**
 * A secret value: logs, JSON, templates and `util.inspect` show `***`. Only `reveal` returns the text. Call `reveal`
 * each time the text is sent or compared, and never store its result: a secret that is read from a file changes with
 * the file.
 */
export class Secret {
  readonly #read: () => string;

  /** @param text the secret, or a function that reads its current value */
  constructor(text: string | (() => string)) {
    this.#read = typeof text === 'string' ? () => text : text;
  }

  reveal(): string {
    return this.#read();
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [Symbol.toPrimitive](): string {
    return MASK;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return MASK;
  }
}

/**
 * What may follow `token:` or `secret:` in a sentence: error codes of Slack, Microsoft and OAuth, and ordinary words. The
 * list is closed, because any other word could be a secret.
 */
const PROSE = [
  'access_denied|account_inactive|bad_client_secret|code_already_used|ekm_access_denied|enterprise_is_restricted',
  'interaction_required|invalid_(?:arguments|auth|client|client_id|code|grant|refresh_token|request|scope|signature|token)',
  'missing_scope|no_permission|not_allowed_token_type|not_authed|org_login_required|team_access_not_granted',
  'token_expired|token_revoked|unauthorized_client|unsupported_grant_type|user_removed_from_team',
  'absent|denied|disabled|empty|expired|forbidden|invalid|malformed|missing|none|refused|rejected|required|revoked',
  'unauthorized|unknown|unset|unsupported|wrong|a|an|because|check|create|has|is|it|its|no|not|see|set|that|the|this',
  'too|use|was|HTTP|Microsoft|Slack',
].join('|');
const NAMES =
  'api[-_ ]?key|authorization|(?:access_?|refresh_?)?token|(?:client_?)?secret|signature|password';
/** Matches named credentials: `api-key: x`, `token=x`. */
const NAMED = new RegExp(
  `((?:${NAMES})(?!\\s*:\\s+(?:${PROSE})[.,;:!?)"']*(?:\\s|$))["']?\\s*[:=]\\s*["']?(?:(?:bearer|openapi|basic)\\s+)?)[^\\s"',;&]+`,
  'gi',
);
/** Matches credentials after their scheme: `Bearer x`. */
const SCHEMED = /\b((?:bearer|openapi)\s+)[\w.~+/=-]{8,}/gi;
/** Matches tokens of Slack: https://docs.slack.dev/authentication/tokens */
const SLACK = /\b(?:xox[a-z](?:\.xox[a-z])?|xapp)-[\w.~+/=-]+/gi;

/** Matches a JSON Web Token, whose first part is the base64url form of `{"` (RFC 7519). */
const JWT = /\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g;

/** Returns the text with `***` in place of everything that looks like a credential. */
export function maskCredentials(text: string): string {
  const named = text.replace(NAMED, `$1${MASK}`).replace(SCHEMED, `$1${MASK}`);
  return named.replace(SLACK, MASK).replace(JWT, MASK);
}
