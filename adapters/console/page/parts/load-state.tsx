import type { ComponentChildren } from 'preact';
import type { Loaded } from '../state/model.ts';
import { loadAgain } from '../state/session.ts';

interface LoadStateProps {
  readonly name: string;
  readonly loaded: Loaded | undefined;
  readonly empty: boolean;
  /** Link to another place, shown if this one does not exist. */
  readonly back?: { readonly label: string; readonly go: () => void };
  readonly children: ComponentChildren;
}

/** Quiet bars while a page is on its way, its failure with another try, else the page. */
export function LoadState({ name, loaded, empty, back, children }: LoadStateProps) {
  if (loaded === 'known' || (!empty && typeof loaded !== 'object')) return children;
  if (typeof loaded === 'object') {
    return (
      <div class="load-failed">
        <p>{loaded.failed}</p>
        {loaded.gone && back ? (
          <button type="button" class="button" onClick={back.go}>
            {back.label}
          </button>
        ) : (
          <button type="button" class="button" onClick={() => loadAgain(name)}>
            Try again
          </button>
        )}
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
