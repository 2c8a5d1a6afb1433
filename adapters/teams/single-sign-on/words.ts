/** Sentences about the sign-in, on the card and on the page. */

export const words = {
  card: 'Please sign in, so that the agent answers you with your own rights.',
  button: 'Sign in',
  done: 'You are signed in. You can close this window.',
  failed: 'The sign-in did not work. Please close this window and press Retry under your question.',
} as const;
