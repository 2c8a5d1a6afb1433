/**
 * Provides the accounts of the file in `identity.file`, and watches it. A changed file replaces all accounts, or none if
 * it has a fault.
 */

import type { CheckedAccounts } from '../config/accounts-file.ts';
import type { AccountTable } from '../core/agents/access.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { digestOf, watchFile } from './file-watch.ts';

export interface AccountsSource {
  /** Returns the accounts in force. */
  readonly current: () => AccountTable;
  /** Reads the file again. Keeps the accounts in force if the file has a fault. */
  reload(): void;
  stop(): Promise<void>;
}

interface AccountsSourceDeps {
  readonly file: string;
  /** The accounts that were read at the start. */
  readonly first: CheckedAccounts & { readonly accounts: AccountTable };
  read(): CheckedAccounts;
  readonly clock: Clock;
  readonly log: Log;
}

export function createAccountsSource({ file, first, read, clock, log }: AccountsSourceDeps): AccountsSource {
  let { accounts, digest } = first;
  const ended = new AbortController();
  const reload = () => {
    const checked = read();
    if (checked.accounts === undefined) {
      const faults = checked.faults.map(
        ({ place, subject, what, cure }) => `${place}: ${subject} ${what}. ${cure}`,
      );
      log.error({ file, faults }, 'the accounts file has faults, so the earlier accounts stay in force');
      return;
    }
    ({ accounts, digest } = { accounts: checked.accounts, digest: checked.digest });
    log.info({ file, entries: checked.entries }, 'the accounts file was read again');
  };
  const changed = async () => {
    if (digestOf(file) !== digest) reload();
  };
  const watching = watchFile(file, { clock, signal: ended.signal, changed });
  return {
    current: () => accounts,
    reload,
    async stop() {
      ended.abort();
      await watching;
    },
  };
}
