/** Creates the handler for corrections of answers, which stops with the bridge. */

import { createHash } from 'node:crypto';
import {
  type Corrections,
  type CorrectionsDeps,
  createCorrections,
} from '../core/corrections/corrections.ts';

/** @param opened when this stack is disposed of, running calls are aborted */
export function makeCorrections(
  deps: Omit<CorrectionsDeps, 'digest' | 'signal'>,
  opened: AsyncDisposableStack,
): Corrections {
  const stopping = new AbortController();
  opened.defer(() => stopping.abort());
  const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
  return createCorrections({ ...deps, digest, signal: stopping.signal });
}
