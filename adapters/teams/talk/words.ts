/** What Parley says of itself in Teams: what it is, what happened, what to do next. */

export const words = {
  whoAreYou: 'I could not find out from Teams who you are just now. Please ask again in a minute.',
  filesOnlyInChats:
    'I cannot open files that are shared here. Please share them with me in our own chat, or paste them as images.',
  waiting: (ahead: number) =>
    ahead === 0
      ? 'Your question waits for a moment: many are being answered just now.'
      : ahead === 1
        ? 'Your question waits until the one before it is answered.'
        : `Your question waits until the ${ahead} before it are answered.`,
  hello: (name: string) => `Hello, I am ${name}. Write to me, and an agent answers.`,
  helloThere: (name: string) =>
    `Hello, I am ${name}. Mention me with a question (@${name} …), and an agent answers here.`,
  agents: 'You can ask:',
  agentLine: (agent: string, description: string) => `• ${agent}: ${description}`,
  howToChoose: (agent: string) => `Begin with a name and a colon to choose one, such as “${agent}: …”.`,
  help: 'Say “help” to see what else I understand.',
  promptTitle: (agent: string) => `Ask ${agent}`,
  promptMessage: (agent: string) => `${agent}: What can you help me with?`,
} as const;
