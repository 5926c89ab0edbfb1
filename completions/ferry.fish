# fish completion for ferry: put it into ~/.config/fish/completions/ferry.fish
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
