/**
 * The error class of all parts, and the catalogue of its codes. `docs/errors.md` explains every code; a test compares
 * the two lists. An entry's `tellUser` is for the person in chat; the `message` of the thrown error is for the
 * operator.
 */

interface CatalogueEntry {
  /** A friendly sentence for the person in chat: what happened, what is kept, what to do next. */
  readonly tellUser: string;
  /** Cause to name if the error interrupts an answer that has begun; completes "The answer was interrupted because". */
  readonly midway?: string;
  /**
   * Process exit code when the error ends a command (sysexits: 64 usage, 65 data, 69 unavailable, 73 cannot create, 75
   * try later, 77 not allowed, 78 configuration).
   */
  readonly exit?: number;
  /** True if asking the same question again may succeed; the reply then offers Retry. */
  readonly retry?: true;
}

/** Last sentence of an answer that offers Retry. Channels without buttons show a different sentence. */
export const PRESS_RETRY = 'Press Retry to ask again.';

export const catalogue = {
  'config-invalid': { tellUser: 'The bridge is not set up yet. Please tell its operator.', exit: 78 },
  'console-token-missing': {
    tellUser: 'The console cannot be opened from this address. Please tell its operator.',
    exit: 78,
  },
  'sign-in-refused': { tellUser: 'You could not be signed in. Please try again, or tell the operator.' },
  'sign-in-unavailable': {
    tellUser: 'You cannot sign in right now. Please try again in a minute.',
    retry: true,
  },
  'sign-in-needed': {
    tellUser: `I could not confirm in time who you are, so I did not ask the agent. ${PRESS_RETRY}`,
    midway: 'your sign-in ended',
    retry: true,
  },
  'data-not-writable': {
    tellUser: 'The bridge cannot save messages right now. Please tell its operator.',
    exit: 73,
  },
  'data-in-use': { tellUser: 'The bridge is already running.', exit: 73 },
  'data-corrupt': { tellUser: 'The bridge cannot read its stored data. Please tell its operator.', exit: 73 },
  'data-moved': { tellUser: 'The bridge is not set up yet. Please tell its operator.', exit: 78 },
  'database-unreachable': {
    tellUser: 'The bridge could not start. Please tell its operator.',
    exit: 69,
  },
  'database-refused': { tellUser: 'The bridge is not set up yet. Please tell its operator.', exit: 78 },
  'database-foreign': { tellUser: 'The bridge is not set up yet. Please tell its operator.', exit: 78 },
  'port-in-use': { tellUser: 'The bridge could not start. Please tell its operator.', exit: 69 },
  usage: { tellUser: 'That command is not valid. Check how it is written.', exit: 64 },
  'store-unavailable': {
    tellUser: 'Your message could not be saved just now. Please send it again in a minute.',
    midway: 'the bridge could not save the answer',
    retry: true,
  },
  'lane-full': {
    tellUser:
      'Too many questions are already waiting in this thread. Please ask again when some are answered.',
  },
  'too-many-questions': {
    tellUser: 'You asked many questions in a short time. Please wait a minute and ask again.',
  },
  'question-empty': { tellUser: 'That message contains no question. Write what you would like to know.' },
  'question-too-long': {
    tellUser: 'That question is too long for the agent. Please shorten it and ask again.',
  },
  'agent-unknown': {
    tellUser: 'There is no agent with that name here. Send "agents" to list the agents.',
    exit: 64,
  },
  'access-denied': {
    tellUser: 'You are not allowed to ask agents here. The operator of the bridge can allow it.',
  },
  'agent-failed': {
    tellUser: 'The agent had an error. Please try again.',
    midway: 'the agent had an error',
    retry: true,
  },
  'image-refused': { tellUser: 'One of the images could not be sent to the agent.' },
  'agent-sees-no-images': { tellUser: 'This agent accepts no images, so none were sent.' },
  'platform-unreachable': {
    tellUser: 'The agent could not be reached. Please try again.',
    midway: 'the agent could no longer be reached',
    exit: 69,
    retry: true,
  },
  'platform-timeout': {
    tellUser: 'The agent did not answer in time. Please try again.',
    midway: 'the agent took too long',
    exit: 69,
    retry: true,
  },
  'platform-idle': {
    tellUser: 'The agent stopped responding while it was answering. Please try again.',
    midway: 'the agent stopped responding',
    exit: 69,
    retry: true,
  },
  'platform-interrupted': {
    tellUser: 'The connection to the agent broke while it was answering. Please try again.',
    midway: 'the connection to the agent broke',
    exit: 69,
    retry: true,
  },
  'platform-busy': {
    tellUser: 'The agent is very busy. Please try again in a little while.',
    midway: 'the agent is very busy',
    exit: 75,
    retry: true,
  },
  'platform-auth': {
    tellUser: 'The sign-in to the agent platform failed. Please tell the operator of the bridge.',
    midway: 'the sign-in to the agent platform failed',
    exit: 77,
  },
  'platform-permission': {
    tellUser:
      'The agent platform does not allow this account to do that. Please tell the operator of the bridge.',
    midway: 'the agent platform did not allow this account to continue',
    exit: 77,
  },
  'platform-parameter': {
    tellUser: 'The agent platform did not accept the question. Please tell the operator of the bridge.',
    midway: 'the agent platform reported an error',
    exit: 65,
  },
  'platform-server': {
    tellUser: 'The agent platform reported an error. Please try again.',
    midway: 'the agent platform reported an error',
    retry: true,
  },
  'platform-refused': {
    tellUser: 'The agent platform refused the question. Please try again.',
    midway: 'the agent platform reported an error',
    exit: 65,
    retry: true,
  },
  'platform-unconfirmed': {
    tellUser:
      'The agent platform did not confirm this. It may or may not be done: check before you repeat it.',
  },
  'platform-protocol': {
    tellUser: 'The agent platform sent something that the bridge could not read. Please try again.',
    midway: 'the agent platform sent something that the bridge could not read',
    retry: true,
  },
  'platform-too-large': {
    tellUser: 'The agent platform sent more than the bridge accepts. Please ask a narrower question.',
    midway: 'the agent platform sent more than the bridge accepts',
  },
  'platform-empty': { tellUser: 'The agent returned no text. Please try again.', retry: true },
  'media-unavailable': { tellUser: 'An image or file of the answer could not be opened.' },
  'channel-unavailable': { tellUser: 'The answer could not be shown here.' },
  'turn-deadline': {
    tellUser: 'The answer was stopped because it took longer than nine minutes. Please try again.',
    midway: 'it took longer than nine minutes',
    retry: true,
  },
  'turn-interrupted': {
    tellUser: 'The bridge stopped or lost its database just as the agent began to answer. Please try again.',
    midway: 'the bridge stopped or lost its database',
    retry: true,
  },
  'turn-damaged': {
    tellUser: `The bridge could not read the stored question. ${PRESS_RETRY}`,
    midway: 'the bridge could not read the stored question',
    retry: true,
  },
  'question-expired': {
    tellUser: `The agent platform could not be reached for too long, so your question was not answered. ${PRESS_RETRY}`,
    retry: true,
  },
  'personal-data-gone': {
    tellUser: 'Your question is no longer kept here. Please ask it again.',
  },
  'turn-gave-up': {
    tellUser: 'This question could not be answered after several attempts. Please try again.',
    retry: true,
  },
  internal: {
    tellUser: 'Something went wrong in the bridge. Please try again.',
    midway: 'something went wrong in the bridge',
    retry: true,
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof catalogue;

export interface BridgeErrorOptions {
  /** Milliseconds until another attempt makes sense. */
  readonly retryAfterMs?: number;
  /** Replaces the catalogue's sentence with a more precise one. */
  readonly tellUser?: string;
  /** The platform's own error message, if it may help the person: one line, without secrets. */
  readonly said?: string;
  readonly cause?: unknown;
  /** Plain facts for the log: operation, httpStatus, setting. Never a secret, never message text. */
  readonly facts?: Readonly<Record<string, string | number | boolean>>;
}

/**
 * An error with a code of the catalogue, which `docs/errors.md` explains, and a sentence for the person in chat.
 * @example
 * ```ts
 * throw new BridgeError('image-refused', 'My Chat has no files.', { tellUser: 'I cannot read files here.' });
 * ```
 */
export class BridgeError extends Error {
  readonly code: ErrorCode;
  /** The sentence for the person. The `message` is for the operator. */
  readonly tellUser: string;
  readonly said: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly facts: Readonly<Record<string, string | number | boolean>>;

  /** @param message for the operator: what happened, where, and the cure */
  constructor(code: ErrorCode, message: string, options: BridgeErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'BridgeError';
    this.code = code;
    this.tellUser = options.tellUser ?? catalogue[code].tellUser;
    this.said = options.said;
    this.retryAfterMs = options.retryAfterMs;
    this.facts = options.facts ?? {};
  }
}

/** Returns the error of a command line that cannot be carried out as it is written. */
export const usage = (message: string, cause?: unknown): BridgeError =>
  new BridgeError('usage', message, { cause });

/** Returns the error's sentence for the person; undefined if it is the standard sentence of its code. */
export function ownWords(thrown: unknown): string | undefined {
  if (!(thrown instanceof BridgeError)) return undefined;
  return thrown.tellUser === catalogue[thrown.code].tellUser ? undefined : thrown.tellUser;
}

/** Returns a `BridgeError` unchanged; wraps any other thrown value in one with the code `internal`. */
export function asBridgeError(thrown: unknown): BridgeError {
  if (thrown instanceof BridgeError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new BridgeError('internal', message, { cause: thrown });
}

/** Returns the code of an operating system error, such as `EEXIST`; "unknown reason" for any other value. */
export function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown reason';
}

/** Returns the cause that completes "The answer was interrupted because" for this error. */
export function midwayReason({ code, said }: BridgeError): string {
  const { midway = catalogue.internal.midway }: CatalogueEntry = catalogue[code];
  return said === undefined ? midway : `${midway} ("${said}")`;
}

/** True if a reply that ended with this code offers Retry. */
export function offersRetry(code: ErrorCode): boolean {
  const entry: CatalogueEntry = catalogue[code];
  return entry.retry === true;
}

/** Returns the exit code of a command that ended with this error; 70 (internal error) if the catalogue has none. */
export function exitCode(code: ErrorCode): number {
  const entry: CatalogueEntry = catalogue[code];
  return entry.exit ?? 70;
}
