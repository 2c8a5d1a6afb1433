import type { ComponentChildren } from 'preact';
import type { Loaded } from '../state/model.ts';
import { loadAgain } from '../state/session.ts';

interface LoadStateProps {
  readonly name: string;
  readonly loaded: Loaded | undefined;
  readonly empty: boolean;
  readonly children: ComponentChildren;
}

/** Quiet bars while a page is on its way, its failure with another try, else the page. */
export function LoadState({ name, loaded, empty, children }: LoadStateProps) {
  if (loaded === 'known' || (!empty && typeof loaded !== 'object')) return children;
  if (typeof loaded === 'object') {
    return (
      <div class="load-failed">
        <p>{loaded.failed}</p>
        <button type="button" class="button" onClick={() => loadAgain(name)}>
          Try again
        </button>
      </div>
    );
  }
  return (
    <div class="skeleton" role="status" aria-label="Loading messages">
      <i />
      <i />
      <i />
    </div>
  );
}
