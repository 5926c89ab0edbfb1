/** The shells that ferry can complete in. */
export const shells = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof shells)[number];

/**
 * A shell's completion script. It knows nothing of ferry's commands: each time it asks `ferry complete`, which prints a candidate a
 * line, with a tab before its description. Where that says nothing, the shell completes files.
 */
export const scripts: Readonly<Record<Shell, string>> = {
  bash: `# bash completion for ferry: source it, or put it into ~/.local/share/bash-completion/completions/ferry,
# and once more as git-ferry beside it for \`git ferry\`
_ferry_words() {
  local word last= current kept=
  local -a words=()
  # bash takes words apart at colons, and completes what is behind the last one.
  for word in "$@"; do
    if [[ $word == :* || ( $last == *: && -n $word ) ]] && (( \${#words[@]} )); then
      words[\${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    last=$word
  done
  current=\${words[\${#words[@]}-1]}
  [[ $current == *:* ]] && kept=\${current%"\${current##*:}"}
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    word=\${word#"$kept"}
    # What a service says must stay one word, and nothing that bash would run.
    case $word in
      "") continue ;;
      *[!A-Za-z0-9_./@:=+,%-]*) printf -v word %q "$word" ;;
    esac
    COMPREPLY+=("$word")
  done <<< "$(ferry complete -- "\${words[@]}" 2>/dev/null)"
}

_ferry() {
  _ferry_words "\${COMP_WORDS[@]:1:COMP_CWORD}"
}

# git's own completion calls this for \`git ferry\`.
_git_ferry() {
  _ferry_words "\${COMP_WORDS[@]:2:COMP_CWORD-1}"
}

complete -o bashdefault -o default -F _ferry ferry
`,
  zsh: `#compdef ferry git-ferry
# zsh completion for ferry: put it as _ferry into a folder of $fpath, and once more as _git-ferry for \`git ferry\`; or source it after compinit
_ferry() {
  local line value
  local -a values shown
  for line in "\${(@f)$(ferry complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    value=\${line%%$'\\t'*}
    values+=("$value")
    shown+=("\${value}  \${line#*$'\\t'}")
  done
  if (( \${#values} )); then
    compadd -l -d shown -a values
  else
    _files
  fi
}

# zsh's completion of git calls this for \`git ferry\`, its words without \`git\`.
_git-ferry() {
  _ferry "$@"
}

if [[ \${zsh_eval_context[-1]} == loadautofunc ]]; then
  _ferry "$@"
else
  compdef _ferry ferry
fi
`,
  fish: `# fish completion for ferry: put it into ~/.config/fish/completions/ferry.fish,
# and once more as git-ferry.fish beside it for \`git ferry\`
function __ferry_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found (ferry complete -- $words[2..-1] 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end

complete -c ferry -f -k -a '(__ferry_complete)'
# What fish's completion of git asks for \`git ferry\`.
complete -c git-ferry -f -k -a '(__ferry_complete)'
`,
  powershell: `# PowerShell completion for ferry: add to $PROFILE: ferry completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName ferry, git-ferry -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { "$_" })
  $next = if ($wordToComplete -eq '') { @('--next') } else { @() }
  ferry complete @next '--' @words 2>$null | ForEach-Object {
    $value, $description = $_ -split "\`t", 2
    if (-not $description) { $description = $value }
    # What a service says must stay one word, and nothing that PowerShell would run.
    # To it, typographic quotes are quotes, too.
    $text = if ($value -match '[^\\w./:=+%-]') { "'" + ($value -replace "['\\u2018-\\u201b]", '$0$0') + "'" } else { $value }
    [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $description)
  }
}
`,
};
