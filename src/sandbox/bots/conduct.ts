/** How an agent that was made through the API behaves; read from its record when it is created. */
export interface Conduct {
  /** What people call it. */
  readonly title: string;
  /** What it says where it has nothing to answer from. */
  readonly greeting: string;
  /** Instructions for a model; used where one is configured. */
  readonly prompt: string;
  /** Ids of the knowledge workspaces that it answers from: none without knowledge, undefined for every one. */
  readonly workspaces: readonly string[] | undefined;
  readonly suggests: boolean;
  /** Earlier turns that it sees; undefined for the usual number. */
  readonly turns: number | undefined;
  readonly published: boolean;
  /** Fragments that it uses at most, and their least score (platform contract ADM-9). */
  readonly fragments: number | undefined;
  readonly leastScore: number;
  readonly showsReferences: boolean;
  readonly filter: KeywordFilter | undefined;
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
  greeting: '',
  prompt: '',
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
