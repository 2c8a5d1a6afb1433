/** Ends a reply whose answer was interrupted or never began. */

import { BridgeError } from '../../errors.ts';
import type { ReplyDocument } from '../reply.ts';
import type { Interruption } from '../turn.ts';
import { breakOff, lockOut, stop } from './compose.ts';

/** Returns the error of a turn whose process ended during the answer. */
export const interrupted = (): BridgeError =>
  new BridgeError(
    'turn-interrupted',
    'The process that ran this turn ended, or lost the store, during the answer.',
  );

/** Returns the error of a turn that the store could not read completely. */
export const unreadable = (): BridgeError =>
  new BridgeError('turn-damaged', 'The stored turn cannot be read.');

/**
 * Ends the document. Ignores `error` if `why` gives a reason for the end, because the error may be a consequence of
 * that reason.
 */
export function endOf(
  document: ReplyDocument,
  why: Interruption['kind'] | undefined,
  error: BridgeError,
): ReplyDocument {
  switch (why) {
    case 'stop':
      return stop(document);
    // The turn of the edited question continues the reply, or the reply is removed.
    case 'superseded':
    case 'withdrawn':
    // The question is asked later, so the reply does not end yet.
    case 'postponed':
      return document;
    case 'expired':
      return breakOff(document, new BridgeError('question-expired', 'The platform was down for too long.'));
    case 'locked-out':
    case 'not-accepted':
      return lockOut(document, why);
    case 'signed-out':
      return breakOff(document, new BridgeError('sign-in-needed', "The asker's token ended."));
    case 'deadline':
      return breakOff(document, new BridgeError('turn-deadline', 'The turn reached its deadline.'));
    case 'release':
      return document.text === ''
        ? document
        : breakOff(document, new BridgeError('turn-interrupted', 'The bridge stopped during the answer.'));
    default:
      return breakOff(document, error);
  }
}
