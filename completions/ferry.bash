# bash completion for ferry: source it, or put it into ~/.local/share/bash-completion/completions/ferry
_ferry_words() {
  local IFS=$'\n'
  COMPREPLY=($(ferry complete -- "$@" 2>/dev/null | cut -f1))
}

_ferry() {
  _ferry_words "${COMP_WORDS[@]:1:COMP_CWORD}"
}

# git's own completion calls this for `git ferry`.
_git_ferry() {
  _ferry_words "${COMP_WORDS[@]:2:COMP_CWORD-1}"
}

complete -o bashdefault -o default -F _ferry ferry
