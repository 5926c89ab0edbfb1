# fish completion for ferry: put it into ~/.config/fish/completions/ferry.fish,
# and once more as git-ferry.fish beside it for `git ferry`
function __ferry_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found (ferry complete -- $words[2..-1] 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end

complete -c ferry -f -k -a '(__ferry_complete)'
# What fish's completion of git asks for `git ferry`.
complete -c git-ferry -f -k -a '(__ferry_complete)'
