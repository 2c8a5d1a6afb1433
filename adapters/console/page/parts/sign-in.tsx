import { useState } from 'preact/hooks';
import { api, Refusal, sentenceOf } from '../net/api.ts';
import { begin } from '../state/session.ts';
import { Mark } from './icons.tsx';
import { Notice } from './notice.tsx';

/** The sign-in form, shown if the console requires a token. */
export function SignIn() {
  const [token, setToken] = useState('');
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    setBusy(true);
    try {
      await api.signIn(token.trim());
      await begin();
    } catch (thrown) {
      const wrong = thrown instanceof Refusal && thrown.status === 401;
      setFailure(wrong ? 'That token is wrong. Check it, or ask the operator.' : sentenceOf(thrown));
      setBusy(false);
    }
  };
  return (
    <main class="centred">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Mark size={48} />
        <h1>Sign in to Parley</h1>
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
      </form>
    </main>
  );
}
