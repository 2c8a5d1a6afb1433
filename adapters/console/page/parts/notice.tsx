import { useEffect, useState } from 'preact/hooks';
import type { Notice as NoticeView } from '../../../../src/kit/ladder.ts';
import { sentenceOf } from '../net/api.ts';
import { useSelect } from '../state/store.ts';
import { Icon } from './icons.tsx';

interface NoticeProps extends NoticeView {
  /**
   * True if screen readers read the notice when it appears. Not set inside a reply, because the end of a reply is
   * announced anyway.
   */
  readonly alert?: boolean;
}

/** Shows a sentence of the bridge on a line. */
export function Notice({ tone, text, alert = false }: NoticeProps) {
  return (
    <p class={`notice ${tone}`} role={alert ? 'alert' : undefined}>
      <Icon name={tone === 'info' ? 'info' : 'warn'} size={16} />
      <span>{text}</span>
    </p>
  );
}

/** Returns a function that does the work, once at a time, and what the person sees of it. */
export function useWork(work: () => Promise<unknown>) {
  const [failure, setFailure] = useFailure();
  const [busy, setBusy] = useState(false);
  const run = async () => {
    if (busy) return;
    setBusy(true);
    setFailure(undefined);
    await work().catch((thrown: unknown) => setFailure(sentenceOf(thrown)));
    setBusy(false);
  };
  return { run, busy, failure };
}

/**
 * Holds the sentence of a failure. The sentence disappears when the server can be reached again, or when `key` changes.
 */
export function useFailure(key?: string) {
  const state = useState<string>();
  const [, setFailure] = state;
  const reconnects = useSelect((page) => page.reconnects);
  useEffect(() => setFailure(undefined), [key, reconnects]);
  return state;
}
