# bash completion for ferry: source it, or put it into ~/.local/share/bash-completion/completions/ferry,
# and once more as git-ferry beside it for `git ferry`
_ferry_words() {
  local word last= current kept=
  local -a words=()
  # bash takes words apart at colons, and completes what is behind the last one.
  for word in "$@"; do
    if [[ $word == :* || ( $last == *: && -n $word ) ]] && (( ${#words[@]} )); then
      words[${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    last=$word
  done
  current=${words[${#words[@]}-1]}
  [[ $current == *:* ]] && kept=${current%"${current##*:}"}
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    word=${word#"$kept"}
    # What a service says must stay one word, and nothing that bash would run.
    case $word in
      "") continue ;;
      *[!A-Za-z0-9_./@:=+,%-]*) printf -v word %q "$word" ;;
    esac
    COMPREPLY+=("$word")
  done <<< "$(ferry complete -- "${words[@]}" 2>/dev/null)"
}

_ferry() {
  _ferry_words "${COMP_WORDS[@]:1:COMP_CWORD}"
}

# git's own completion calls this for `git ferry`.
_git_ferry() {
  _ferry_words "${COMP_WORDS[@]:2:COMP_CWORD-1}"
}

complete -o bashdefault -o default -F _ferry ferry
