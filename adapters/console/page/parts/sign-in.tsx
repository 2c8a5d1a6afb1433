import { useEffect, useState } from 'preact/hooks';
import type { SignInView } from '../../wire.ts';
import { api, SIGN_IN_ADDRESS, sentenceOf } from '../net/api.ts';
import { keepPlaceForSignIn, takeSignInFailure } from '../state/returning.ts';
import { begin } from '../state/session.ts';
import { show } from '../state/store.ts';
import { CentredForm } from './centred.tsx';
import { Notice, useWork } from './notice.tsx';

const TITLE = 'Sign in to Parley';

/** The sign-in, shown if the console requires one: with the identity provider, or with the console's token. */
export function SignIn() {
  const [kind, setKind] = useState<SignInView['kind']>();
  useEffect(() => {
    api
      .signInKind()
      .then((view) => setKind(view.kind))
      .catch((thrown: unknown) => show({ phase: 'failed', failure: sentenceOf(thrown) }));
  }, []);
  if (kind === undefined) return <main class="centred" />;
  return kind === 'provider' ? <ProviderSignIn /> : <TokenSignIn />;
}

/** Sends the browser to the identity provider, which sends it back. */
function ProviderSignIn() {
  const [failure] = useState(takeSignInFailure);
  const [busy, setBusy] = useState(false);
  return (
    <CentredForm
      title={TITLE}
      onSubmit={() => {
        setBusy(true);
        keepPlaceForSignIn();
        location.assign(SIGN_IN_ADDRESS);
      }}
    >
      <p class="quiet">Continue to your organization’s sign-in page.</p>
      {failure && <Notice alert tone="error" text={failure} />}
      <button type="submit" class="button primary wide" disabled={busy}>
        {busy ? 'Signing in' : 'Sign in'}
      </button>
    </CentredForm>
  );
}

function TokenSignIn() {
  const [token, setToken] = useState('');
  const { run, busy, failure } = useWork(async () => {
    await api.signIn(token.trim());
    await begin();
  });
  return (
    <CentredForm title={TITLE} onSubmit={run}>
      <p class="quiet">Enter the token of this console. Its operator has it.</p>
      <label class="field">
        Console token
        <input
          type="password"
          autocomplete="current-password"
          autofocus
          required
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
      </label>
      {failure && <Notice alert tone="error" text={failure} />}
      <button type="submit" class="button primary wide" disabled={busy || token.trim() === ''}>
        {busy ? 'Signing in' : 'Sign in'}
      </button>
    </CentredForm>
  );
}
