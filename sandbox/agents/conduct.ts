/** Behaviour of an agent that was created through the API, as read from its record. */
export interface Conduct {
  /** Display name. */
  readonly title: string;
  /** Answers to a greeting, and to any question if the agent has neither documents nor a model. */
  readonly greetings: readonly Localized[];
  /** Instructions for a model. Like the next two members, used only if a model is configured. */
  readonly prompt: string;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  /** Ids of the knowledge workspaces that the agent answers from. Empty: no workspace; undefined: all of them. */
  readonly workspaces: readonly string[] | undefined;
  readonly suggests: boolean;
  /** Number of earlier turns that the agent sees; undefined for the default number. */
  readonly turns: number | undefined;
  readonly published: boolean;
  /**
   * Maximum number of fragments of an answer, and the minimum score of a fragment (platform contract ADM-9).
   */
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

/** Key words that replace an answer (platform contract ADM-12). */
export interface KeywordFilter {
  readonly words: readonly string[];
  /** Answer to a question that contains a key word; undefined if questions are not checked. */
  readonly onQuestion: string | undefined;
  /** Replaces an answer that contains a key word; undefined if answers are not checked. */
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

/** True if a text contains a key word in any case. */
export function holdsKeyword(text: string, { words }: KeywordFilter): boolean {
  const lower = text.toLowerCase();
  return words.some((word) => word !== '' && lower.includes(word.toLowerCase()));
}

/**
 * Returns the text in the first of the wanted languages that exists, else in English, else the first text. Returns an
 * empty text if all texts are blank.
 */
export function inLanguage(texts: readonly Localized[], wanted: readonly string[]): string {
  const told = texts.filter(({ content }) => content.trim() !== '');
  const inOrder = [...wanted, 'en-US'].flatMap((language) => [
    ...told.filter(({ languageCode }) => languageCode.toLowerCase() === language.toLowerCase()),
    ...told.filter(({ languageCode }) => primary(languageCode) === primary(language)),
  ]);
  return (inOrder[0] ?? told[0])?.content ?? '';
}

/** Returns the primary language of a tag: `zh` for `zh-CN`. */
const primary = (language: string): string => language.toLowerCase().split(/[-_]/)[0] ?? '';
