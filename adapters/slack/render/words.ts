/** What Parley itself says in Slack: short, plain, kind. */

export const words = {
  thinking: 'Thinking…',
  /** For `assistant.threads.setStatus`, which puts the app's name before it. */
  isThinking: 'is thinking…',
  noText: 'The agent gave no text for an answer.',
  sources: 'Sources',
  allSources: (count: number) => `Sources (${count})`,
  stop: 'Stop',
  retry: 'Retry',
  regenerate: 'Regenerate',
  earlier: '‹',
  later: '›',
  version: (shown: number, count: number) => `Version ${shown} of ${count}`,
  askAnother: 'Ask another agent',
  share: 'Share',
  askAsMe: 'Ask as me',
  good: 'Good answer',
  bad: 'Bad answer',
  footer: 'AI-generated, check it',
  restInDirectMessage: 'The answer goes on in a direct message.',
  image: 'Image',
  file: 'File',
  reply: 'Answer',
} as const;
