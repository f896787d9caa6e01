// Completion scripts for shells, generated from the definitions of the commands.

import type { Command, Option } from 'commander';
import { shellQuoted } from '../base/shell.ts';

interface Described {
  readonly name: string;
  readonly description: string;
}

interface CompletedCommand extends Described {
  readonly options: readonly (Described & { readonly choices: readonly string[]; readonly takesValue: boolean })[];
  readonly words: readonly string[];
}

/** Returns the script for a shell: `bash`, `zsh` or `fish`. */
export function completionScript(program: Command, shell: string): string {
  const commands = program.commands.map(completed);
  if (shell === 'bash') return bashScript(commands);
  return shell === 'zsh' ? zshScript(commands) : fishScript(commands);
}

function completed(command: Command): CompletedCommand {
  const help: readonly Option[] = command.createHelp().visibleOptions(command);
  return {
    name: command.name(),
    description: firstLine(command.description()),
    options: help.flatMap((option) =>
      [option.long, option.short].flatMap((name) =>
        name === undefined || name === null
          ? []
          : [
              {
                name,
                description: firstLine(option.description),
                choices: option.argChoices ?? [], // The option may accept any value.
                takesValue: option.required || option.optional,
              },
            ],
      ),
    ),
    words: [
      ...command.commands.map((each) => each.name()),
      ...command.registeredArguments.flatMap((argument) => argument.argChoices ?? []), // The argument may accept any value.
    ],
  };
}

const firstLine = (text: string): string => text.split('\n')[0]?.trim() ?? ''; // A text has at least one line.

function bashScript(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(({ name, options, words }) => {
    const choices = options.filter((option) => option.choices.length > 0);
    const values = choices.map(
      (option) =>
        `        ${option.name}) COMPREPLY=($(compgen -W '${option.choices.join(' ')}' -- "$word")); return ;;\n`,
    );
    const previous = values.length === 0 ? '' : `      case "$previous" in\n${values.join('')}      esac\n`;
    const all = [...options.map((option) => option.name), ...words].join(' ');
    return `    ${name})\n${previous}      words='${all}'\n      ;;\n`;
  });
  return `# bash completion of lanewise: source <(lanewise completion bash)
_lanewise() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" words
  case "\${COMP_WORDS[1]}" in
${cases.join('')}    *) words='${commands.map(({ name }) => name).join(' ')} --help --version' ;;
  esac
  if [[ $COMP_CWORD -eq 1 ]]; then words='${commands.map(({ name }) => name).join(' ')} --help --version'; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -o bashdefault -F _lanewise lanewise
`;
}

function zshScript(commands: readonly CompletedCommand[]): string {
  // Escapes colons and brackets, which `_describe` and `_arguments` interpret.
  const plain = (text: string): string => text.replace(/[[\]:]/g, '\\$&');
  const list = commands.map(({ name, description }) => `    ${shellQuoted(`${name}:${plain(description)}`)}\n`);
  const cases = commands.map(({ name, options, words }) => {
    const specs = options.map(({ name: option, description, choices, takesValue }) => {
      const value = choices.length > 0 ? `:value:(${choices.join(' ')})` : takesValue ? ':value:_files' : '';
      return ` \\\n        ${shellQuoted(`*${option}[${plain(description)}]${value}`)}`;
    });
    const rest = words.length > 0 ? `*:word:(${words.join(' ')})` : '*:file:_files';
    return `    ${name})\n      _arguments${specs.join('')} \\\n        ${shellQuoted(rest)}\n      ;;\n`;
  });
  return `#compdef lanewise
# zsh completion of lanewise: lanewise completion zsh > "\${fpath[1]}/_lanewise"
_lanewise() {
  local -a commands=(
${list.join('')}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case "$words[1]" in
${cases.join('')}  esac
}
if [[ "$funcstack[1]" == _lanewise ]]; then _lanewise "$@"; else compdef _lanewise lanewise; fi
`;
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, description, options, words }) => {
    const here = `-n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c lanewise -n __fish_use_subcommand -f -a ${name} -d ${shellQuoted(description)}`,
      ...options.map((option) => {
        const flag = option.name.startsWith('--') ? `-l ${option.name.slice(2)}` : `-s ${option.name.slice(1)}`;
        const value =
          option.choices.length > 0
            ? ` -x -a ${shellQuoted(option.choices.join(' '))}`
            : option.takesValue
              ? ' -r'
              : '';
        return `complete -c lanewise ${here} ${flag}${value} -d ${shellQuoted(option.description)}`;
      }),
      ...(words.length > 0 ? [`complete -c lanewise ${here} -f -a ${shellQuoted(words.join(' '))}`] : []),
    ];
  });
  return `# fish completion of lanewise: lanewise completion fish > ~/.config/fish/completions/lanewise.fish\n${lines.join('\n')}\n`;
}
