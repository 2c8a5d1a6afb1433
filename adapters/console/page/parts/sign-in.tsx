import { useEffect, useState } from 'preact/hooks';
import type { SignInView } from '../../wire.ts';
import { api, SIGN_IN_ADDRESS, sentenceOf } from '../net/api.ts';
import { keepPlaceForSignIn, takeSignInFailure } from '../state/returning.ts';
import { begin } from '../state/session.ts';
import { show } from '../state/store.ts';
import { CentredForm } from './centred.tsx';
import { Notice, useWork } from './notice.tsx';

/** The sign-in, shown if the console requires one: with the identity provider, or with the console's token. */
export function SignIn() {
  const [kind, setKind] = useState<SignInView['kind']>();
  useEffect(() => {
    api
      .signInKind()
      .then((view) => setKind(view.kind))
      .catch((thrown: unknown) => show({ phase: 'failed', failure: sentenceOf(thrown) }));
  }, []);
  return kind === undefined ? <main class="centred" /> : <SignInForm isProvider={kind === 'provider'} />;
}

function SignInForm({ isProvider }: { isProvider: boolean }) {
  const [refused] = useState(takeSignInFailure);
  const [token, setToken] = useState('');
  const {
    run,
    busy,
    failure = refused,
  } = useWork(async () => {
    if (isProvider) return goToProvider();
    await api.signIn(token.trim());
    return begin();
  });
  return (
    <CentredForm title="Sign in to Parley" onSubmit={run}>
      <p class="quiet">
        {isProvider
          ? 'Continue to your organization’s sign-in page.'
          : 'Enter the token of this console. Its operator has it.'}
      </p>
      {!isProvider && (
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
      )}
      {failure && <Notice alert tone="error" text={failure} />}
      <button
        type="submit"
        class="button primary wide"
        disabled={busy || (!isProvider && token.trim() === '')}
      >
        {busy ? 'Signing in' : 'Sign in'}
      </button>
    </CentredForm>
  );
}

/** Sends the browser to the identity provider, which sends it back. Never resolves, because the browser leaves the page. */
function goToProvider(): Promise<never> {
  keepPlaceForSignIn();
  location.assign(SIGN_IN_ADDRESS);
  return new Promise(() => undefined);
}
