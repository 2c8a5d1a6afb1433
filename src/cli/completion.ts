import type { Command } from 'commander';
import { BridgeError } from '../errors.ts';

/** What can follow at one place of the command line. */
export interface Place {
  /** The commands so far, such as `platform users`. */
  readonly path: string;
  readonly words: readonly string[];
}

const SHELLS: Readonly<Record<string, (places: readonly Place[]) => string>> = {
  bash: bashScript,
  zsh: (places) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(places)}`,
  fish: fishScript,
};

/** The script for a shell, made of the whole tree of commands. Throws `usage` for another shell. */
export function completionFor(shell: string, trees: readonly Command[]): string {
  const script = SHELLS[shell];
  if (script === undefined) {
    throw new BridgeError(
      'usage',
      `There is no completion for ${shell}. Known are: ${Object.keys(SHELLS).join(', ')}.`,
    );
  }
  return script(trees.flatMap((tree) => placesOf(tree, tree.name().replace(/^parley ?/, ''))));
}

function placesOf(command: Command, path: string): readonly Place[] {
  const below = command.commands.map((each) => each.name());
  const flags = command.options.flatMap(({ long }) => long ?? []);
  const here = { path, words: [...below, ...flags, '--help'] };
  return [here, ...command.commands.flatMap((each) => placesOf(each, `${path} ${each.name()}`.trim()))];
}

/** One place per path: the tree of the platform's commands hangs below a command that knows only its name. */
function merged(places: readonly Place[]): readonly Place[] {
  const words = new Map<string, Set<string>>();
  for (const place of places) {
    const known = words.get(place.path) ?? new Set();
    for (const word of place.words) known.add(word);
    words.set(place.path, known);
  }
  return [...words].map(([path, each]) => ({ path, words: [...each] }));
}

function bashScript(places: readonly Place[]): string {
  const cases = merged(places).map(({ path, words }) => `    "${path}") words="${words.join(' ')}" ;;`);
  return `# Completion of parley: source <(parley completion bash)
_parley() {
  local path="" words="" word
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
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")); fi
}
complete -o filenames -F _parley parley
`;
}

function fishScript(places: readonly Place[]): string {
  const lines = merged(places).map(
    ({ path, words }) => `complete -c parley -n '__parley_at "${path}"' -a '${words.join(' ')}'`,
  );
  return `# Completion of parley: parley completion fish | source
function __parley_at
  set -l words (commandline -opc)[2..-1]
  set -l path (string match -v -- '-*' $words)
  test "$path" = "$argv[1]"
end
${lines.join('\n')}
`;
}
