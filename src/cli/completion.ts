import type { Command } from 'commander';
import { usage } from '../errors.ts';

/** The completions that the shell can offer at one position of the command line. */
export interface Place {
  /** The commands typed so far, such as `platform users`. */
  readonly path: string;
  readonly words: readonly string[];
  /** Values that a flag accepts, if they are known. */
  readonly choices: readonly Choice[];
}

interface Choice {
  /** The flag, with its dashes. */
  readonly flag: string;
  readonly values: readonly string[];
}

const SHELLS: Readonly<Record<string, (places: readonly Place[]) => string>> = {
  bash: bashScript,
  zsh: (places) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(places)}`,
  fish: fishScript,
};

/** Returns the completion script for a shell. Throws `usage` if the shell is not supported. */
export function completionFor(shell: string, trees: readonly Command[]): string {
  const script = SHELLS[shell];
  if (script === undefined) {
    throw usage(`There is no completion for ${shell}. Known shells: ${Object.keys(SHELLS).join(', ')}.`);
  }
  return script(trees.flatMap((tree) => placesOf(tree, tree.name().replace(/^parley ?/, ''))));
}

function placesOf(command: Command, path: string): readonly Place[] {
  const below = command.commands.map((each) => each.name());
  const flags = command.options.flatMap(({ long }) => long ?? []);
  const choices = command.options.flatMap(({ long, argChoices }) =>
    typeof long === 'string' && argChoices !== undefined ? [{ flag: long, values: argChoices }] : [],
  );
  const here = { path, words: [...below, ...flags, '--help'], choices };
  return [here, ...command.commands.flatMap((each) => placesOf(each, `${path} ${each.name()}`.trim()))];
}

/**
 * Merges entries with the same path. The tree of all commands contains the platform command by name only; a second tree
 * contains its subcommands.
 */
function merged(places: readonly Place[]): readonly Place[] {
  const byPath = Map.groupBy(places, ({ path }) => path);
  return [...byPath].map(([path, same]) => ({
    path,
    words: [...new Set(same.flatMap(({ words }) => words))],
    choices: same.flatMap(({ choices }) => choices),
  }));
}

function bashScript(places: readonly Place[]): string {
  const all = merged(places);
  const cases = all.map(({ path, words }) => `    "${path}") words="${words.join(' ')}" ;;`);
  const values = all.flatMap(({ path, choices }) =>
    choices.map(({ flag, values }) => `    "${path} ${flag}") words="${values.join(' ')}" ;;`),
  );
  return `# Completion of parley: source <(parley completion bash)
_parley() {
  local path="" words="" word current="\${COMP_WORDS[COMP_CWORD]}" flag="\${COMP_WORDS[COMP_CWORD-1]}"
  # bash takes = for a word of its own.
  if [ "$current" = "=" ]; then current=""
  elif [ "$flag" = "=" ]; then flag="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; esac
    path="\${path:+$path }$word"
  done
  while :; do
    case "$path" in
${cases.join('\n')}
    esac
    if [ -n "$words" ] || [ -z "$path" ]; then break; fi
    case "$path" in *" "*) path="\${path% *}" ;; *) path="" ;; esac
  done
  case "$path $flag" in
${values.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _parley parley
`;
}

function fishScript(places: readonly Place[]): string {
  const lines = merged(places).flatMap(({ path, words, choices }) => {
    const begin = `complete -c parley -n '__parley_at "${path}"'`;
    const plain = words.filter((word) => !choices.some(({ flag }) => flag === word));
    return [
      `${begin} -a '${plain.join(' ')}'`,
      ...choices.map(({ flag, values }) => `${begin} -l ${flag.slice(2)} -x -a '${values.join(' ')}'`),
    ];
  });
  return `# Completion of parley: parley completion fish | source
function __parley_at
  set -l words (commandline -opc)[2..-1]
  set -l path (string match -v -- '-*' $words)
  test "$path" = "$argv[1]"
end
${lines.join('\n')}
`;
}
