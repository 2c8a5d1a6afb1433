/** How an agent that was made through the API behaves; read from its record when it is created. */
export interface Conduct {
  /** What people call it. */
  readonly title: string;
  /** What it says to who greets it, and where it has nothing to answer from. */
  readonly greetings: readonly Localized[];
  /** Instructions for a model; used where one is configured, and so are both numbers. */
  readonly prompt: string;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  /** Ids of the knowledge workspaces that it answers from: none without knowledge, undefined for every one. */
  readonly workspaces: readonly string[] | undefined;
  readonly suggests: boolean;
  /** Earlier turns that it sees; undefined for the usual number. */
  readonly turns: number | undefined;
  readonly published: boolean;
  /** Fragments that it answers from at most, and their least score (platform contract ADM-9). */
  readonly fragments: number | undefined;
  readonly leastScore: number;
  readonly showsReferences: boolean;
  readonly filter: KeywordFilter | undefined;
}

/** A text in one language, such as `en-US` (platform contract BOT-3). */
export interface Localized {
  readonly languageCode: string;
  readonly content: string;
}

/** Platform contract ADM-12. */
export interface KeywordFilter {
  readonly words: readonly string[];
  /** Answered instead when a question holds a key word; undefined where questions are not looked at. */
  readonly onQuestion: string | undefined;
  /** Shown instead when an answer holds one; undefined where answers are not looked at. */
  readonly onAnswer: string | undefined;
}

export const plainConduct: Omit<Conduct, 'title'> = {
  greetings: [],
  prompt: '',
  temperature: undefined,
  topP: undefined,
  workspaces: [],
  suggests: true,
  turns: undefined,
  published: true,
  fragments: undefined,
  leastScore: 0,
  showsReferences: true,
  filter: undefined,
};

/** Whether a text holds a key word, whatever its case. */
export function holdsKeyword(text: string, { words }: KeywordFilter): boolean {
  const lower = text.toLowerCase();
  return words.some((word) => word !== '' && lower.includes(word.toLowerCase()));
}

/** The text in the first of the wanted languages that it has, else in English, else the first; empty where there is none. */
export function inLanguage(texts: readonly Localized[], wanted: readonly string[]): string {
  const told = texts.filter(({ content }) => content.trim() !== '');
  const inOrder = [...wanted, 'en-US'].flatMap((language) => [
    ...told.filter(({ languageCode }) => languageCode.toLowerCase() === language.toLowerCase()),
    ...told.filter(({ languageCode }) => primary(languageCode) === primary(language)),
  ]);
  return (inOrder[0] ?? told[0])?.content ?? '';
}

/** `zh` of `zh-CN`. */
const primary = (language: string): string => language.toLowerCase().split(/[-_]/)[0] ?? '';
